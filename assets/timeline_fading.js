/* Which bars of a tile are outside of the selection: a tile is the same for every selection, as `Part._fade_flags` of
   components/timeline/bars.py decides for the bars of a figure. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});
    const known = new WeakMap();

    function isInside(part, at, {kind, duration, focused}) {
        const several = part.count[at] > 1;
        const name = part.name[at];
        const isOther = part.role === "kernel" && kind !== null && part.names[name] !== kind && !part.mixed[name];
        if (focused || isOther) {
            return false;
        }
        const length = part.end[at] - part.start[at];
        return part.role === "event" || duration === null || several || (length >= duration[0] && length < duration[1]);
    }

    function fade(part, {rows, fading, tiles}) {
        const faded = new Uint8Array(part.start.length);
        for (const {row, from, to} of part.lanes) {
            const track = rows.track[tiles.rows.indexOf(row)];
            const lit = fading.track === null || track === fading.track;
            for (let at = from; at < to; at++) {
                faded[at] = Number(!lit || !isInside(part, at, fading));
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
