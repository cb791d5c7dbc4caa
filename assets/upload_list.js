/* The list of the upload dialog: a row per file with name, bar, words and buttons, and one line about all of them. */
(function () {
    const upload = (window.tilescopeUpload ||= {});
    const MOVING = new Set(["waiting", "sending", "retrying", "paused", "sent", "reading", "ending"]);
    const STOPPABLE = new Set(["waiting", "sending", "retrying", "paused", "sent", "reading"]);
    const BARLESS = ["reading", "ending"];
    const GOOD = ["taken", "along"];
    const RATE_MS = 500;
    const counts = {};
    const changed = new Set();
    const entries = new WeakMap();

    function element(tag, className, text) {
        return Object.assign(document.createElement(tag), {className, textContent: text || ""});
    }

    const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
    const about = element("p", "ts-upload-about");
    const rows = element("ul", "ts-upload-list");
    about.setAttribute("role", "status");

    /* The rows of a large folder are behind one line. */
    function addRows(added) {
        added.forEach(addRow);
        const folders = upload.folderLines(added);
        const lines = new Map(folders.flatMap((folder) => folder.entries.map((entry) => [entry, folder.line])));
        rows.append(...new Set(added.map((entry) => lines.get(entry) || entry.view.item)));
    }

    /* The dialog draws its content again each time it opens, a moment after the click; the list is moved into it. */
    function showList(tries = 100) {
        const host = document.getElementById("upload-list");
        if (host) {
            host.replaceChildren(about, rows);
        } else if (tries) {
            setTimeout(showList, 30, tries - 1);
        }
    }

    /* Bytes in the unit that the last of them asks for: "16.0 of 40.0 MiB". */
    function size(...several) {
        const last = several.at(-1);
        const rank = last < 2 ** 20 ? 1 : last < 2 ** 30 ? 2 : 3;
        const numbers = several.map((bytes) => (bytes / 1024 ** rank).toFixed(last < 100 * 1024 ** rank ? 1 : 0));
        return `${numbers.join(" of ")} ${["KiB", "MiB", "GiB"][rank - 1]}`;
    }

    function addRow(entry) {
        const item = element("li", "ts-upload");
        const bar = Object.assign(element("progress", "ts-upload-bar"), {max: 1, value: 0});
        const said = element("span", "ts-upload-said");
        const buttons = element("span", "ts-upload-buttons");
        bar.setAttribute("aria-label", "Progress of " + entry.path);
        item.tabIndex = -1;
        item.append(element("span", "ts-upload-name ts-mono", entry.path), bar, buttons, said);
        entries.set(item, entry);
        Object.assign(entry, {view: {item, bar, said, buttons}, state: "", meter: null, fraction: 0});
        show(entry, "waiting", "waiting");
    }

    /* Set the state of an entry; rows are drawn together, as progress arrives more often than anyone can see. */
    function show(entry, state, ...words) {
        if (state !== entry.state) {
            counts[entry.state] = (counts[entry.state] || 0) - 1;
            counts[state] = (counts[state] || 0) + 1;
            entry.state = state;
            upload.guard(moving() > 0);
        }
        entry.words = words;
        if (state !== "sending") {
            entry.meter = null;
        }
        if (!changed.size) {
            requestAnimationFrame(draw);
        }
        changed.add(entry);
    }

    const total = (states) => [...states].reduce((sum, state) => sum + (counts[state] || 0), 0);
    const moving = () => total(MOVING);

    function draw() {
        changed.forEach(drawRow);
        upload.drawFolders(changed);
        changed.clear();
        const parts = [
            plural(total(MOVING) + total([...GOOD, "refused", "cancelled"]), "file"),
            ...["read", "refused", "cancelled", "to go"].map((word, rank) => {
                const count = total([GOOD, ["refused"], ["cancelled"], MOVING][rank]);
                return count ? `${count} ${word}` : "";
            }),
        ];
        const text = parts.filter(Boolean).join(" · ");
        if (about.textContent !== text) { // a screen reader reads each change, so an equal text is not set again
            about.textContent = text;
        }
    }

    function drawRow(entry) {
        const {item, bar, said} = entry.view;
        item.dataset.state = entry.state;
        said.replaceChildren(...entry.words);
        if (BARLESS.includes(entry.state)) {
            bar.removeAttribute("value");
        } else {
            bar.value = entry.fraction;
        }
        drawButtons(entry);
    }

    /* A button that turns into its opposite stays the same one, so that the keyboard stays on it. */
    function drawButtons({view, state, parted, path}) {
        const pausable = parted && !["sent", "reading"].includes(state) ? ["pause"] : [];
        const wanted = STOPPABLE.has(state) ? [...pausable, "cancel"] : [];
        [...view.buttons.children].filter((button) => !wanted.includes(button.dataset.does)).forEach((button) => {
            if (button === document.activeElement) {
                view.item.focus();
            }
            button.remove();
        });
        wanted.forEach((does, rank) => {
            const button = view.buttons.querySelector(`[data-does=${does}]`) || element("button", "ts-button");
            const name = does === "cancel" ? "Cancel" : state === "paused" ? "Resume" : "Pause";
            if (button.textContent !== name) {
                Object.assign(button, {type: "button", textContent: name, ariaLabel: `${name} ${path}`});
                button.dataset.does = does;
            }
            if (view.buttons.children[rank] !== button) {
                view.buttons.insertBefore(button, view.buttons.children[rank] || null);
            }
        });
    }

    rows.addEventListener("click", ({target}) => {
        const does = target.closest("[data-does]")?.dataset.does;
        if (does) {
            upload[does](entries.get(target.closest(".ts-upload")));
        }
    });

    /* How much of a file is sent, and how fast: the rate is that of the last seconds. */
    function progress(entry, bytes) {
        const now = performance.now();
        const meter = (entry.meter ||= {at: now, bytes, rate: 0});
        const seconds = (now - meter.at) / 1000;
        if (1000 * seconds >= RATE_MS) {
            const rate = Math.max(0, bytes - meter.bytes) / seconds;
            entry.meter = {at: now, bytes, rate: meter.rate ? 0.7 * meter.rate + 0.3 * rate : rate};
        }
        const all = entry.file.size;
        entry.fraction = all ? bytes / all : 1;
        const fast = entry.meter.rate ? ` · ${size(entry.meter.rate)}/s` : "";
        show(entry, "sending", size(bytes, all) + fast);
    }

    const refuse = (entry, words) => show(entry, "refused", "✕ " + words);
    const showCancelled = (entry) => show(entry, "cancelled", "cancelled");

    addEventListener("click", (/** @type {PressEvent} */ {target}) => {
        if (target.closest("#upload-open") && rows.childElementCount) {
            showList();
        }
    });

    Object.assign(upload, {
        MOVING, STOPPABLE, element, plural, addRows, showList, show, progress, refuse, showCancelled,
    });
})();
