/* The result of each file of an upload: its runs, or the reason why it has none. An archive counts as a folder. */
(function () {
    const upload = (window.tilescopeUpload ||= {});
    const ARCHIVE = /\.(zip|tar|tgz|tbz2?|txz|tar\.(gz|bz2|xz))$/i;
    const MAX_LINES = 8; // more are behind one line
    /* Codes of findings that the row itself shows: the user has to know them without opening the run. */
    const LOUD = ["poorer_reading", "settings_unknown"];
    const KINDS = [
        {kind: "along", pattern: /^read along with/},
        {kind: "cancelled", pattern: /^cancelled before/},
        {kind: "unrecognised", pattern: /^(no loader reads it|an output of trace post-processing)/},
        {kind: "refused", pattern: /^/},
    ];

    /* A line per run: its status, a link, and its number of findings. */
    function runLine(run) {
        const line = upload.element("span", "ts-upload-run");
        const address = "/run/" + encodeURIComponent(run.run_id);
        const link = Object.assign(upload.element("a", "", run.name), {href: address});
        const found = run.diagnostics.filter((d) => d.severity !== "info");
        const count = found.length ? upload.plural(found.length, "finding") : "no findings";
        const findings = upload.element("span", "", `, ${count}`);
        findings.title = found.map((d) => d.message).join("\n");
        line.append("✓ ", link, ` (${run.source}), ${run.status}`, findings);
        for (const {message} of found.filter((d) => LOUD.includes(d.code))) {
            line.append(upload.element("span", "ts-upload-warning", "▲ warning: " + message));
        }
        return line;
    }

    const kindOf = (reason) => KINDS.find(({pattern}) => pattern.test(reason)).kind;

    /* Counts runs by status and files without a run by the kind of reason. */
    function countOf(runs, skipped) {
        const counts = {};
        for (const kind of [...runs.map(({status}) => status), ...skipped.map(({reason}) => kindOf(reason))]) {
            counts[kind] = (counts[kind] || 0) + 1;
        }
        return counts;
    }

    /* Counts in words: "21 new runs, 30 not recognised". */
    function countWords(counts) {
        const words = [
            ["new", upload.plural(counts.new || 0, "new run")],
            ["updated", upload.plural(counts.updated || 0, "updated run")],
            ["unchanged", upload.plural(counts.unchanged || 0, "unchanged run")],
            ["along", `${counts.along} read along`],
            ["unrecognised", `${counts.unrecognised} not recognised`],
            ["refused", `${counts.refused} refused`],
            ["cancelled", `${counts.cancelled} cancelled`],
        ];
        return words.filter(([kind]) => counts[kind]).map(([, text]) => text).join(", ");
    }

    function skippedLine({path, reason}) {
        const sign = kindOf(reason) === "along" ? "·" : "✕";
        return upload.element("span", "ts-upload-run", `${sign} ${path}: ${reason}`);
    }

    /* The lines of an archive: its runs, and the other members behind a line that opens. */
    function archiveLines(runs, skipped, counts) {
        const few = runs.length + skipped.length <= MAX_LINES;
        const open = few ? runs.map(runLine) : [];
        const closed = [...(few ? [] : runs.map(runLine)), ...skipped.map(skippedLine)];
        if (!closed.length) {
            return open;
        }
        const more = upload.element("details", "ts-upload-more");
        more.append(upload.element("summary", "", countWords(counts)), ...closed);
        return [...open, more];
    }

    /* The runs and other members of an archive; its own reason, if it has one, counts as a member's. */
    function contentOf({path}, {runs, skipped}) {
        const isInside = (name) => name === path || name.startsWith(path + "/");
        return {runs: runs.filter(({file}) => isInside(file)), skipped: skipped.filter((one) => isInside(one.path))};
    }

    function settleArchive(entry, {runs, skipped}) {
        entry.counts = countOf(runs, skipped);
        upload.show(entry, runs.length ? "taken" : "refused", ...archiveLines(runs, skipped, entry.counts));
    }

    function settleFile(entry, runs, why, told) {
        entry.counts = countOf(runs, why ? [{reason: why}] : []);
        if (runs.length) {
            upload.show(entry, "taken", ...runs.map(runLine));
        } else if (why && kindOf(why) === "along") {
            upload.show(entry, "along", "· " + why);
        } else {
            upload.refuse(entry, why || upload.sentence(told));
        }
    }

    /* Shows what became of each file, from the answer about all of them; both may have thousands of rows. Returns the
       files that are still to be read, because the reading ended when a person cancelled another file. */
    function settle(group, told) {
        const {runs = [], skipped = []} = told.answer || {};
        const byFile = Map.groupBy(runs, (run) => run.file);
        const reasons = Map.groupBy(skipped, ({path}) => path);
        return group.filter((entry) => {
            const content = ARCHIVE.test(entry.path)
                ? contentOf(entry, {runs, skipped})
                : {runs: byFile.get(entry.path) || [], skipped: reasons.get(entry.path) || []};
            const isCut = content.skipped.some(({reason}) => kindOf(reason) === "cancelled");
            if (entry.ending && !content.runs.length) {
                entry.counts = {cancelled: 1};
                upload.showCancelled(entry);
            } else if (isCut && !entry.ending) {
                return true;
            } else if (content.runs.length + content.skipped.length > 1 && ARCHIVE.test(entry.path)) {
                settleArchive(entry, content);
            } else {
                settleFile(entry, content.runs, content.skipped[0]?.reason, told);
            }
            return false;
        });
    }

    Object.assign(upload, {settle, countWords});
})();
