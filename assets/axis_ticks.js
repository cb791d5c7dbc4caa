/* Labels of an x axis that the server chose for a wide page: on a narrow one every second, fifth, tenth ... is drawn,
   so that labels do not overlap. plotly would turn the labels, which takes room from the plot, and does not turn
   those of an axis with a set angle. */
(function () {
    const CHARACTER = 0.62;
    const FONT_PX = 12;
    const GAP_PX = 6;

    const THIN_SHARE = 0.35; // width of a thin space between groups of digits, in characters

    function lengthOf(text) {
        // The texts of labels are markup of plotly.
        const plain = String(text).replace(/<[^>]*>|&\w+;/g, " ");
        return plain.length - (1 - THIN_SHARE) * (plain.split("\u202f").length - 1);
    }

    const longest = (texts) => Math.max(...texts.map(lengthOf));

    /* How many labels share the room of one, from the pixels between two labels and those that one needs. */
    function everyNth(between, needed) {
        for (let power = 1; ; power *= 10) {
            for (const factor of [1, 2, 5]) {
                if (factor * power * between >= needed) {
                    return factor * power;
                }
            }
        }
    }

    function isHorizontal({tickmode, tickangle, tickvals, ticktext, range}) {
        return tickmode === "array" && !tickangle && tickvals?.length > 1 && ticktext?.length === tickvals.length
            && typeof range?.[0] === "number";
    }

    function thinned(axis, room) {
        const {tickvals, ticktext, range, domain = [0, 1], tickfont} = axis;
        const step = tickvals[1] - tickvals[0];
        const between = step / (range[1] - range[0]) * room * (domain[1] - domain[0]);
        const needed = longest(ticktext) * CHARACTER * (tickfont?.size ?? FONT_PX) + GAP_PX;
        if (!(between > 0) || between >= needed) {
            return axis;
        }
        const nth = everyNth(between, needed);
        // Counted from 0 of the axis, so that the same labels stay while it moves.
        const isKept = (_, rank) => Math.floor(tickvals[rank] / step) % nth === 0;
        return {...axis, tickvals: tickvals.filter(isKept), ticktext: ticktext.filter(isKept)};
    }

    /* Return a layout whose x axes have room for their labels at a width in pixels; the same one if all have. */
    function thinTicks(layout, width) {
        const room = width - (layout?.margin?.l ?? 80) - (layout?.margin?.r ?? 80);
        const changed = {};
        for (const [name, axis] of Object.entries(layout ?? {})) {
            if (/^xaxis\d*$/.test(name) && isHorizontal(axis)) {
                const other = thinned(axis, room);
                if (other !== axis) {
                    changed[name] = other;
                }
            }
        }
        return Object.keys(changed).length ? {...layout, ...changed} : layout;
    }

    (window.tilescope ||= {}).thinTicks = thinTicks;
})();
