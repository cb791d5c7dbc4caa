/* Files reach the server in groups, one after the other, each file with a bar and the server's own words. */
(function () {
    const queue = [];
    let busy = false;
    let depth = 0;

    const items = [];
    const list = () => document.getElementById("upload-list");

    /* The dialog draws its list anew each time it opens, a moment after the click. */
    function showItems() {
        return list() ? list().replaceChildren(...items) : void setTimeout(showItems, 30);
    }

    /* What the dialog was told; files may be dropped while it is closed, and then it is not in the page. */
    const told = {settings: "", strip: false};
    addEventListener("input", ({target}) => {
        if (target.id === "upload-settings") {
            told.settings = target.value;
        } else if (target.id === "upload-strip") {
            told.strip = target.checked;
        }
    });

    function settings() {
        const words = told.settings.trim().split(/\s+/).filter(Boolean);
        const pairs = words.map((word) => word.split(/=(.*)/s).slice(0, 2));
        const known = pairs.filter((pair) => pair.length === 2 && pair[0] !== "name");
        return told.strip ? [...known, ["tinygrad.strip_tracebacks", "true"]] : known;
    }

    function element(tag, className, text) {
        return Object.assign(document.createElement(tag), {className, textContent: text || ""});
    }

    function row(path) {
        const item = element("li", "ts-upload");
        const bar = Object.assign(element("progress", "ts-upload-bar"), {max: 1, value: 0});
        const said = element("span", "ts-upload-said", "waiting");
        item.append(element("span", "ts-upload-name ts-mono", path), bar, said);
        items.push(item);
        return {item, bar, said};
    }

    function finish(entry, state, ...said) {
        entry.view.bar.value = 1;
        entry.view.item.dataset.state = state;
        entry.view.said.replaceChildren(...said);
    }

    const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

    /* A line per run: what became of it, a link to it, how many findings it has. */
    function runLine(run) {
        const line = element("span", "ts-upload-run");
        const link = Object.assign(element("a", "", run.name), {href: "/run/" + encodeURIComponent(run.run_id)});
        const found = run.diagnostics.filter((d) => d.severity !== "info");
        const findings = element("span", "", `, ${found.length ? plural(found.length, "finding") : "no findings"}`);
        findings.title = found.map((d) => d.message).join("\n");
        line.append("✓ ", link, ` (${run.source}), ${run.status}`, findings);
        return line;
    }

    /* What became of one file of an upload, from the answer about all of them. */
    function became(entry, answer) {
        const runs = (answer.runs || []).filter((run) => run.file === entry.path);
        const skipped = answer.skipped.find((other) => other.path === entry.path);
        if (runs.length) {
            finish(entry, "taken", ...runs.map(runLine));
        } else if (skipped?.reason.startsWith("read along with")) {
            finish(entry, "along", "· " + skipped.reason);
        } else {
            finish(entry, "refused", "✕ " + (skipped?.reason || answer.detail || "Not read."));
        }
    }

    function answered(group, request) {
        let answer = null;
        try {
            answer = JSON.parse(request.responseText);
        } catch {
            // The page of a proxy in between.
        }
        if (answer?.skipped) { // also where the storage failed after some of them
            group.forEach((entry) => became(entry, answer));
        } else {
            const why = "✕ " + (answer?.detail || `The server answered ${request.status}.`);
            group.forEach((entry) => finish(entry, "refused", why));
        }
        if (request.status === 200) {
            dash_clientside.set_props("runs-changed", {data: Date.now()});
        }
    }

    const limit = () => Number(document.getElementById("upload-open").dataset.maxMb) * 2 ** 20;
    const bytes = (group) => group.reduce((sum, entry) => sum + entry.file.size, 0);

    /* Files of one folder, or chosen together, may be parts of one run, so they travel together where they may. */
    function together(entries) {
        const groups = Map.groupBy(entries, (entry) => entry.path.split("/").slice(0, -1)[0] || "");
        return [...groups.values()].flatMap((group) => bytes(group) < limit() - 2 ** 20
            ? [group] : group.map((entry) => [entry]));
    }

    function body(group) {
        if (group.length === 1) {
            return group[0].file;
        }
        const form = new FormData();
        group.forEach((entry) => form.append("file", entry.file, entry.path));
        return form;
    }

    const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

    /* A busy server says when to come again; files wait here, not there. */
    async function deliver(group) {
        let seconds = await send(group);
        while (seconds) {
            group.forEach(({view}) => Object.assign(view.said, {textContent: "waiting: the server is busy"}));
            await pause(seconds);
            seconds = await send(group);
        }
    }

    /* Gives the seconds after which to try again, or nothing. */
    function send(group) {
        const first = group[0];
        /* The server would cut the connection in the middle of a file that it does not take. */
        if (bytes(group) > limit()) {
            return finish(first, "refused", `✕ The file exceeds the limit of ${limit() / 2 ** 20} MiB.`);
        }
        return new Promise((resolve) => {
            const request = new XMLHttpRequest();
            const name = group.length === 1 ? [["name", first.path]] : [];
            request.open("POST", "/api/upload?" + new URLSearchParams([...first.settings, ...name]));
            if (group.length === 1) {
                request.setRequestHeader("Content-Type", "application/octet-stream");
            }
            request.upload.onprogress = (event) => group.forEach(({view}) => {
                view.bar.value = event.loaded / event.total;
                view.said.textContent = `${Math.floor(100 * event.loaded / event.total)} %`;
            });
            request.upload.onload = () => group.forEach(({view}) => {
                view.bar.removeAttribute("value");
                view.said.textContent = "reading";
            });
            request.onload = () => resolve(request.status === 429
                ? Number(request.getResponseHeader("Retry-After")) || 5
                : answered(group, request));
            request.onerror = () => resolve(group.forEach((e) => finish(e, "refused", "✕ The connection broke off.")));
            request.send(body(group));
        });
    }

    async function work() {
        if (busy) {
            return;
        }
        busy = true;
        while (queue.length) {
            await deliver(queue.shift());
        }
        busy = false;
    }

    function take(files) {
        if (!files.length) {
            return;
        }
        dash_clientside.set_props("upload", {is_open: true});
        const chosen = settings();
        queue.push(...together(files.map(({file, path}) => ({file, path, settings: chosen, view: row(path)}))));
        showItems();
        work();
    }

    function pick(folder) {
        const input = Object.assign(document.createElement("input"), {type: "file", multiple: true});
        input.webkitdirectory = folder;
        input.onchange = () => take(visible([...input.files].map((file) => ({
            file, path: file.webkitRelativePath || file.name,
        }))));
        input.click();
    }

    const visible = (files) => files.filter(({path}) => !path.split("/").some((part) => part.startsWith(".")));

    const readEntries = (reader) => new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    const readFile = (entry) => new Promise((resolve, reject) => entry.file(resolve, reject));

    async function walk(entry) {
        if (entry instanceof File) {
            return [{file: entry, path: entry.name}];
        }
        if (entry.isFile) {
            return [{file: await readFile(entry), path: entry.fullPath.replace(/^\//, "")}];
        }
        const reader = entry.createReader();
        const found = [];
        for (let part = await readEntries(reader); part.length; part = await readEntries(reader)) {
            found.push(...(await Promise.all(part.map(walk))).flat());
        }
        return found;
    }

    async function dropped(transfer) {
        const entries = [...transfer.items].map((item) => item.webkitGetAsEntry() || item.getAsFile()).filter(Boolean);
        take(visible((await Promise.all(entries.map(walk))).flat()));
    }

    const carriesFiles = (event) => event.dataTransfer && [...event.dataTransfer.types].includes("Files");
    const mark = () => document.body.classList.toggle("ts-dragging", depth > 0);

    addEventListener("dragenter", (event) => carriesFiles(event) && (depth += 1, mark()));
    addEventListener("dragleave", (event) => carriesFiles(event) && (depth -= 1, mark()));
    addEventListener("dragover", (event) => carriesFiles(event) && event.preventDefault());
    addEventListener("drop", (event) => {
        if (carriesFiles(event)) {
            event.preventDefault();
            depth = 0;
            mark();
            dropped(event.dataTransfer);
        }
    });
    addEventListener("click", (event) => {
        const button = event.target.closest("[data-pick]");
        if (button) {
            pick(button.dataset.pick === "folder");
        } else if (event.target.closest("#upload-open") && items.length) {
            showItems();
        }
    });
})();
