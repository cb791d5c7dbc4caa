/* A large file in parts: after a pause, a lost connection or a reload it continues at the offset of the server. */
(function () {
    const upload = (window.tilescopeUpload ||= {});
    const PART = 8 * 2 ** 20;
    const KEY = "tilescope-uploads";
    const MAX_REMEMBERED = 200;
    const MAX_BEGUN = 3;
    const held = new Set();

    /* The uploads that a reload interrupted: name, size and date of each file, and its id on the server. */
    function remembered() {
        try {
            const found = JSON.parse(localStorage.getItem(KEY));
            return Array.isArray(found) ? found : [];
        } catch {
            return [];
        }
    }

    function keep(list) {
        try {
            localStorage.setItem(KEY, JSON.stringify(list.slice(0, MAX_REMEMBERED)));
        } catch {
            // Without it only a reload is a new beginning.
        }
    }

    const path = (id) => "/uploads/" + encodeURIComponent(id);
    const same = (known, {file, path: name}) =>
        known.name === name && known.size === file.size && known.lastModified === file.lastModified;

    function remember(entry) {
        const {path: name, file: {size, lastModified}, id} = entry;
        keep([{name, size, lastModified, id}, ...remembered().filter((known) => !same(known, entry))]);
    }

    function forget(id) {
        held.delete(id);
        keep(remembered().filter((known) => known.id !== id));
    }

    /* Continue the upload of an earlier page; if the same file is chosen twice, the second is another upload. */
    function recall(entry) {
        const known = remembered().find((one) => same(one, entry) && !held.has(one.id));
        if (known) {
            hold(entry, known.id, null);
        }
    }

    function hold(entry, id, offset) {
        entry.id = id;
        entry.offset = offset;
        held.add(id);
    }

    async function begin(entry, signal) {
        const made = await upload.request("POST", "/uploads", {
            ...upload.asJson({name: entry.path, size: entry.file.size}), signal,
        });
        if (made.status === 201) {
            hold(entry, made.answer.id, 0);
            remember(entry);
        }
        return made;
    }

    async function ask(entry, signal) {
        const told = await upload.request("HEAD", path(entry.id), {signal});
        if (told.status === 200) {
            entry.offset = Number(told.header("Upload-Offset"));
            upload.progress(entry, entry.offset);
        }
        return told;
    }

    /* Where the upload is counts as unknown until the server has answered. */
    async function part(entry, signal) {
        const at = entry.offset;
        const body = entry.file.slice(at, at + Math.min(PART, upload.limit()));
        entry.offset = null;
        const answer = await upload.request("PATCH", path(entry.id), {
            headers: {"Content-Type": "application/offset+octet-stream", "Upload-Offset": String(at)},
            body, signal, onSent: (loaded) => upload.progress(entry, at + Math.min(loaded, body.size)),
        });
        if (answer.status === 204) {
            entry.offset = Number(answer.header("Upload-Offset"));
            upload.progress(entry, entry.offset);
        }
        return answer;
    }

    /* Send one part, after the requests that it needs: as one step, so that pauses grow if only parts are refused. */
    async function step(entry, signal) {
        const known = entry.id ? null : await begin(entry, signal);
        const asked = entry.id && entry.offset === null ? await ask(entry, signal) : known;
        const missing = !entry.id || entry.offset === null;
        return missing || entry.offset === entry.file.size ? asked : part(entry, signal);
    }

    /* Sends a file to its last byte; gives the answer that forbids it, or nothing. */
    async function sendParts(entry, signal) {
        let begun = 0;
        while (!entry.id || entry.offset === null || entry.offset < entry.file.size) {
            const answer = await upload.patiently(
                (tries) => upload.readable(tries ? [entry] : []).then(() => step(entry, signal)),
                {signal, tell: (words) => upload.show(entry, "retrying", words)},
            );
            if (answer.status === 404 && entry.id && begun < MAX_BEGUN) {
                begun += 1; // it expired, or the store is another one
                forget(entry.id);
                entry.id = null;
            } else if (answer.status === 409) {
                await upload.pauseFor(1, signal); // another tab sends the same file; then the server reports the offset
            } else if (answer.status >= 300) {
                return answer;
            }
        }
        return null;
    }

    /* Lets the same file be chosen again and go on from here. */
    const release = ({id}) => held.delete(id);

    /* Remove an upload from the server; if that fails, the server removes it after a day. */
    function discard(entry) {
        if (entry.id) {
            const {id} = entry;
            entry.id = null;
            forget(id);
            upload.patiently(() => upload.request("DELETE", path(id)), {most: 5});
        }
    }

    Object.assign(upload, {sendParts, recall, release, discard});
})();
