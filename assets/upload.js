/* Uploads: small files are sent together in one request, a large file in parts; companions stay together in both cases.

   The server keeps the parts until its response has arrived: if the response is lost, the same `finish` is sent again
   and gets the same response. */
(function () {
    const upload = (window.tilescopeUpload ||= {});
    const SMALL = 32 * 2 ** 20;
    const MAX_FILES = 5_000; // of a request
    const AT_ONCE = 2; // a small file does not wait behind a large one
    const MAX_ASKED = 3;
    const SENT = "sent; it is read together with the other files";
    const PAGES = ["runs", "landing"]; // which show the runs of a store
    const ENDED = new Set(["taken", "along", "refused", "cancelled"]);
    const queue = [];
    let running = 0;

    /* Values of the fields of the dialog: files may be dropped while it is closed, and then it is not in the page. */
    const told = {settings: "", strip: false};
    addEventListener("input", (/** @type {FieldEvent} */ {target}) => {
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

    const limit = () => Number(document.getElementById("upload-open").dataset.maxMb) * 2 ** 20;
    const bytes = (group) => group.reduce((sum, entry) => sum + entry.file.size, 0);
    const showAll = (group, state, words) => group.filter(({ending}) => !ending)
        .forEach((entry) => upload.show(entry, state, words));
    const isLive = (entry) => !ENDED.has(entry.state);

    /* Whether files fit into one request; a form adds to their bytes, a file that is the whole body does not. */
    function fits(group) {
        const most = group.length === 1 ? limit() : limit() - 2 ** 20;
        return bytes(group) <= Math.min(SMALL, most) && group.length <= MAX_FILES;
    }

    /* Files that may be parts of one run stay together. Loaders look at a file's folder and those next to it, so
       folders are independent of each other below one that holds no file itself. */
    function independent(group, depth = 0) {
        const folders = Map.groupBy(group, ({path}) => path.split("/").slice(0, -1)[depth] ?? "");
        if (fits(group) || (depth && folders.has(""))) {
            return [group];
        }
        return [...folders].flatMap(([name, inside]) => (name ? independent(inside, depth + 1) : [inside]));
    }

    /* Returns groups of files: those that fit share requests, the others are sent in parts. */
    function planned(entries) {
        const forms = [];
        const parted = [];
        for (const group of independent(entries)) {
            const joined = [...(forms.at(-1) || []), ...group];
            if (!fits(group)) {
                parted.push(group);
            } else if (forms.length && fits(joined)) {
                forms[forms.length - 1] = joined;
            } else {
                forms.push(group);
            }
        }
        return {forms, parted};
    }

    class Unreadable extends Error {
        constructor(lost) {
            super("The file cannot be read any more: it was changed, moved or removed.");
            this.lost = lost;
        }
    }

    /* A file that changed on the disk looks to the browser like a lost connection; this distinguishes the two. */
    async function readable(group) {
        const read = await Promise.allSettled(group.map(({file}) => file.slice(0, 1).arrayBuffer()));
        const lost = group.filter((_, rank) => read[rank].status === "rejected");
        if (lost.length) {
            throw new Unreadable(lost);
        }
    }

    function form(group) {
        const data = new FormData();
        group.forEach(({file, path}) => data.append("file", file, path));
        return data;
    }

    /* Files of a form travel one after the other: the bytes that are sent say which is on its way. */
    function formProgress(group, sent, all) {
        let left = sent;
        for (const entry of group) {
            const here = Math.max(0, Math.min(entry.file.size, left));
            left -= entry.file.size;
            if (here < entry.file.size && sent < all) {
                return here ? upload.progress(entry, here) : undefined;
            }
            if (entry.state !== "reading" && !entry.ending) {
                entry.fraction = 1;
                upload.show(entry, "reading", "reading");
            }
        }
    }

    /* Each request has an id, by which it can be cancelled while the server reads. */
    async function sendTogether(unit, signal) {
        const group = unit.entries.filter(isLive);
        const single = group.length === 1;
        const query = new URLSearchParams([...group[0].settings, ...(single ? [["name", group[0].path]] : [])]);
        unit.readings = [];
        const ask = async (tries) => {
            stopIfEnding(group);
            await readable(tries ? group : []);
            showAll(group, "waiting", "waiting");
            const id = upload.newId();
            unit.readings.push(id);
            return upload.request("POST", "/runs?" + query, {
                headers: {"Upload-Id": id, ...(single ? {"Content-Type": "application/octet-stream"} : {})},
                body: single ? group[0].file : form(group),
                signal, onSent: (sent, all) => formProgress(group, sent, all),
            });
        };
        const answer = await upload.patiently(ask, {signal, tell: (words) => showAll(group, "retrying", words)});
        goOnUnlessRead(settled(group, answer));
    }

    /* Only for a page that is open: Dash would write the properties of a missing component to the page's root. */
    const drawAgain = (page) => dash_clientside.set_props(`${page}-changed`, {data: Date.now()});

    function stopIfEnding(group) {
        if (group.some(({ending}) => ending)) {
            throw new upload.Stopped();
        }
    }

    /* Show the result of each file; return the files that were not read because another file was cancelled. */
    function settled(group, answer) {
        const unread = upload.settle(group, answer);
        if (answer.answer?.runs?.length) {
            PAGES.filter((page) => document.getElementById(`${page}-body`)).forEach(drawAgain);
        }
        return unread;
    }

    function goOnUnlessRead(unread) {
        if (unread.length) {
            throw new upload.Stopped();
        }
    }

    async function sendOne(unit, signal) {
        const [entry] = unit.entries;
        const refused = await upload.sendParts(entry, signal);
        if (refused) {
            upload.refuse(entry, upload.sentence(refused));
        } else {
            entry.fraction = 1;
            upload.show(entry, "sent", SENT);
        }
        advance(entry.group);
    }

    /* Once all files of a group are there they become runs together. */
    function advance(group) {
        const live = group?.entries.filter(isLive) || [];
        if (live.length && live.every(({state}) => state === "sent")) {
            enqueue(group.finish, true);
        }
    }

    async function finish(unit, signal) {
        const group = unit.entries.filter(isLive);
        const body = {uploads: group.map(({id}) => id), settings: Object.fromEntries(group[0].settings), keep: true};
        unit.readings = [];
        const ask = () => {
            stopIfEnding(group);
            showAll(group, "reading", "reading");
            return upload.request("POST", "/uploads/finish", {...upload.asJson(body), signal});
        };
        const answer = await upload.patiently(ask, {signal, tell: (words) => showAll(group, "retrying", words)});
        const isLost = answer.status === 404 || answer.status === 409;
        if (isLost) {
            stopIfEnding(group);
        }
        if (isLost && (unit.asked += 1) <= MAX_ASKED) {
            return group.forEach(askAgain);
        }
        const unread = settled(group, answer);
        if (answer.answer?.skipped || isLost) { // else a person may sign in again and choose the files once more
            group.filter((entry) => !unread.includes(entry)).forEach(upload.discard);
        }
        goOnUnlessRead(unread);
    }

    /* The server may have been set back, or an upload expired: it knows how far each file is. */
    function askAgain(entry) {
        entry.offset = null;
        upload.show(entry, "waiting", "waiting");
        enqueue(entry.own);
    }

    /* A unit of work waits or runs at most once: where it is wanted again meanwhile, it looks itself when it ends. */
    function enqueue(unit, first = false) {
        if (!unit.busy) {
            unit.busy = true;
            queue[first ? "unshift" : "push"](unit);
            work();
        }
    }

    const isDue = (unit) => unit.entries.some((entry) => isLive(entry) && entry.state !== "paused");

    function work() {
        while (running < AT_ONCE && queue.length) {
            const unit = queue.shift();
            unit.busy = isDue(unit);
            if (unit.busy) {
                running += 1;
                run(unit).finally(() => {
                    running -= 1;
                    work();
                });
            }
        }
    }

    async function run(unit) {
        unit.control = new AbortController();
        unit.entries.filter(isLive).forEach((entry) => (entry.unit = unit));
        const error = await unit.send(unit, unit.control.signal).then(() => null, (reason) => reason);
        unit.busy = false;
        if (error && !(error instanceof upload.Stopped)) {
            (error.lost || unit.entries.filter(isLive)).forEach((entry) => upload.refuse(entry, error.message));
            error.lost?.forEach(upload.discard); // the file on the disk has changed
        }
        if (error) {
            goOn(unit);
        }
        unit.entries.filter((entry) => !isLive(entry)).forEach(upload.release);
    }

    /* Goes on with the other files if a file was stopped or cannot be read. */
    function goOn(unit) {
        unit.entries.filter((entry) => entry.ending && isLive(entry)).forEach(upload.showCancelled);
        const others = unit.entries.filter((entry) => isLive(entry) && entry.state !== "paused");
        if (unit.send === finish) {
            showAll(others, "sent", SENT);
        } else if (others.length) {
            enqueue(unit, true);
        }
        advance(unit.entries[0].group);
    }

    function pause(entry) {
        if (entry.state === "paused") {
            upload.show(entry, "waiting", "waiting");
            return enqueue(entry.own, true);
        }
        upload.show(entry, "paused", `paused at ${Math.floor(100 * entry.fraction)} %`);
        entry.unit?.control.abort();
    }

    function cancel(entry) {
        if (entry.state === "reading") {
            return endReading(entry);
        }
        upload.show(entry, "cancelled", "cancelled");
        entry.unit?.control.abort();
        upload.discard(entry);
        advance(entry.group);
    }

    /* The server stops reading and responds with the runs that it has stored: only this response lists them. */
    async function endReading(entry) {
        entry.ending = true;
        upload.show(entry, "ending", "ending");
        const {unit} = entry;
        const ids = () => (entry.id ? [entry.id] : unit.readings);
        while (isLive(entry) && !(await upload.endReadings(ids()))) {
            await upload.pauseFor(1); // the server has not begun yet
        }
    }

    const warn = (event) => (event.preventDefault(), (event.returnValue = true));
    let guarded = false;

    /* The browser asks before it leaves a page whose uploads are under way. */
    function guard(needed) {
        if (needed !== guarded) {
            guarded = needed;
            if (needed) {
                addEventListener("beforeunload", warn);
            } else {
                removeEventListener("beforeunload", warn);
            }
        }
    }

    function takeParted(entries) {
        const group = {entries, finish: {entries, send: finish, asked: 0}};
        entries.forEach((entry) => {
            Object.assign(entry, {group, parted: true, own: {entries: [entry], send: sendOne}});
            upload.recall(entry);
            enqueue(entry.own);
        });
    }

    function take(files) {
        if (!files.length) {
            return;
        }
        dash_clientside.set_props("upload", {is_open: true});
        const chosen = settings();
        const entries = files.map(({file, path}) => ({file, path, settings: chosen}));
        upload.addRows(entries);
        upload.showList();
        const {forms, parted} = planned(entries);
        forms.forEach((group) => enqueue({entries: group, send: sendTogether}));
        parted.forEach(takeParted);
    }

    Object.assign(upload, {take, pause, cancel, guard, limit, readable});
})();
