/* Files reach the server one after the other, raw, each with a bar and the server's own words. */
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

    function settings() {
        const words = (document.getElementById("upload-settings")?.value || "").trim().split(/\s+/).filter(Boolean);
        const pairs = words.map((word) => word.split(/=(.*)/s).slice(0, 2));
        return pairs.filter((pair) => pair.length === 2 && pair[0] !== "name");
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

    function finish(entry, state, text) {
        entry.view.bar.value = 1;
        entry.view.item.dataset.state = state;
        entry.view.said.textContent = text;
    }

    function taken(answer) {
        return answer.runs.map((run) => {
            const found = run.diagnostics.filter((d) => d.severity !== "info");
            const findings = found.length ? ": " + found.map((d) => d.message).join(" ") : ", no findings";
            return `✓ ${run.name} (${run.source}), ${run.status}${findings}`;
        }).join("; ");
    }

    function answered(entry, request) {
        let answer = null;
        try {
            answer = JSON.parse(request.responseText);
        } catch {
            // A proxy's page, not ours.
        }
        if (request.status === 200 && answer) {
            finish(entry, "taken", taken(answer));
            dash_clientside.set_props("runs-changed", {data: Date.now()});
        } else {
            finish(entry, "refused", "✕ " + (answer?.error || `The server answered ${request.status}.`));
        }
    }

    /* The server would cut the connection in the middle of a file that it does not take. */
    function tooLarge(entry) {
        const limit = Number(document.getElementById("upload-open").dataset.maxMb);
        return entry.file.size > limit * 2 ** 20 && `✕ The file is larger than the ${limit} MiB that are taken here.`;
    }

    function send(entry) {
        const refused = tooLarge(entry);
        if (refused) {
            return finish(entry, "refused", refused);
        }
        return new Promise((resolve) => {
            const request = new XMLHttpRequest();
            const query = new URLSearchParams([...entry.settings, ["name", entry.path]]);
            request.open("POST", "/api/upload?" + query);
            request.setRequestHeader("Content-Type", "application/octet-stream");
            request.upload.onprogress = (event) => {
                entry.view.bar.value = event.loaded / event.total;
                entry.view.said.textContent = `${Math.floor(100 * event.loaded / event.total)} %`;
            };
            request.upload.onload = () => {
                entry.view.bar.removeAttribute("value");
                entry.view.said.textContent = "reading";
            };
            request.onload = () => resolve(answered(entry, request));
            request.onerror = () => resolve(finish(entry, "refused", "✕ The connection broke off."));
            request.send(entry.file);
        });
    }

    async function work() {
        if (busy) {
            return;
        }
        busy = true;
        while (queue.length) {
            await send(queue.shift());
        }
        busy = false;
    }

    function take(files) {
        if (!files.length) {
            return;
        }
        dash_clientside.set_props("upload", {is_open: true});
        const chosen = settings();
        for (const {file, path} of files) {
            queue.push({file, path, settings: chosen, view: row(path)});
        }
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
