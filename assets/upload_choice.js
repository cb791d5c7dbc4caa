/* Files that a person chooses or drops anywhere, with their paths below the folder that they come from. */
(function () {
    const upload = (window.tilescopeUpload ||= {});
    let depth = 0;

    const visible = (files) => files.filter(({path}) => !path.split("/").some((part) => part.startsWith(".")));

    function pick(folder) {
        const input = Object.assign(document.createElement("input"), {type: "file", multiple: true});
        input.webkitdirectory = folder;
        input.onchange = () => upload.take(visible([...input.files].map((file) => ({
            file, path: file.webkitRelativePath || file.name,
        }))));
        input.click();
    }

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
        upload.take(visible((await Promise.all(entries.map(walk))).flat()));
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
    addEventListener("click", (/** @type {PressEvent} */ event) => {
        const button = /** @type {HTMLElement} */ (event.target.closest("[data-pick]"));
        if (button) {
            pick(button.dataset.pick === "folder");
        }
    });
})();
