/* Which bars of a tile are outside of the selection: a tile is the same for every selection, as `Part._fade_flags` of
   components/timeline/bars.py decides for the bars of a figure. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});
    const known = new WeakMap();

    /* `lit` has a flag for each name: whether a search or a selected kernel highlights it. */
    function isInside(part, at, {kind, duration, focused}, lit) {
        const several = part.count[at] > 1;
        const name = part.name[at];
        const isMixed = Boolean(part.mixed[at]);
        const isOther = part.role === "kernel" && kind !== null && part.names[name] !== kind && !isMixed;
        if (focused) {
            return part.role === "event" && !isMixed && Boolean(lit[part.codes[name] - 1]);
        }
        if (isOther) {
            return false;
        }
        const length = part.end[at] - part.start[at];
        return part.role === "event" || duration === null || several || (length >= duration[0] && length < duration[1]);
    }

    function fade(part, {rows, fading, tiles}) {
        const faded = new Uint8Array(part.start.length);
        const lit = parts.packed.flags(fading.named, 1 + Math.max(0, ...part.codes));
        for (const {row, from, to} of part.lanes) {
            const track = rows.track[tiles.rows.indexOf(row)];
            const isOwn = fading.track === null || track === fading.track;
            for (let at = from; at < to; at++) {
                faded[at] = Number(!isOwn || !isInside(part, at, fading, lit));
            }
        }
        return faded;
    }

    /* Flags of the bars of a tile's part, computed once for each selection. */
    function fadedOf(part, model) {
        const {fading} = model;
        if (!fading.focused && fading.track === null && fading.kind === null && fading.duration === null) {
            return part.faded;
        }
        const last = known.get(part);
        if (last?.fading === fading) {
            return last.faded;
        }
        const faded = fade(part, model);
        known.set(part, {fading, faded});
        return faded;
    }

    parts.fading = {fadedOf};
})();
