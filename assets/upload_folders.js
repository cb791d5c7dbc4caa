/* A large folder of the upload dialog is one line, "21 new runs, 30 not recognised", that opens to a row per file. */
(function () {
    const upload = (window.tilescopeUpload ||= {});
    const MAX_ROWS = 8; // of a folder that is shown without a line of its own
    const folders = new WeakMap(); // entry -> its folder

    const topFolder = ({path}) => (path.includes("/") ? path.split("/")[0] : "");

    /* Makes a line for each folder with many files among new entries; their rows are moved into it. */
    function folderLines(entries) {
        const byFolder = Map.groupBy(entries, topFolder);
        return [...byFolder]
            .filter(([name, inside]) => name && inside.length > MAX_ROWS)
            .map(([name, inside]) => makeFolder(name, inside));
    }

    function makeFolder(name, entries) {
        const line = upload.element("li", "ts-upload-folder");
        const opening = upload.element("details", "ts-upload-more");
        const summary = upload.element("summary");
        const said = upload.element("span", "ts-upload-said");
        const button = upload.element("button", "ts-button", "Cancel");
        const list = upload.element("ul", "ts-upload-list");
        Object.assign(button, {type: "button", ariaLabel: `Cancel ${name}`});
        summary.append(upload.element("span", "ts-upload-name ts-mono", name), " ", said);
        list.append(...entries.map(({view}) => view.item));
        opening.append(summary, list);
        line.append(opening, button);
        const folder = {line, entries, said, button};
        button.addEventListener("click", () => entries.filter(isStoppable).forEach(upload.cancel));
        entries.forEach((entry) => folders.set(entry, folder));
        return folder;
    }

    const isStoppable = ({state}) => upload.STOPPABLE.has(state);

    /* Draws the lines of the folders of entries that have changed. */
    function drawFolders(changed) {
        new Set([...changed].map((entry) => folders.get(entry)).filter(Boolean)).forEach(drawFolder);
    }

    function drawFolder({entries, said, button}) {
        const left = entries.filter(({state}) => upload.MOVING.has(state));
        const reading = left.some(({state}) => state === "reading") ? "reading, " : "";
        const words = [
            upload.countWords(sumOf(entries)),
            left.length ? `${reading}${left.length} of ${upload.plural(entries.length, "file")} to go` : "",
        ];
        said.textContent = words.filter(Boolean).join(", ");
        button.hidden = !entries.some(isStoppable);
    }

    function sumOf(entries) {
        const sum = {};
        for (const {counts, state} of entries) {
            const ended = counts || (["refused", "cancelled"].includes(state) ? {[state]: 1} : {});
            Object.entries(ended).forEach(([kind, count]) => (sum[kind] = (sum[kind] || 0) + count));
        }
        return sum;
    }

    Object.assign(upload, {folderLines, drawFolders});
})();
