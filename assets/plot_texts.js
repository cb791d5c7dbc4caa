/* Texts in a plot, such as the names of markers, are placed for a wide page. After each drawing, a text that leaves
   the plot at the right is moved into it, and a note or title of an axis that is wider than the plot is made smaller.
   A text of a point or bar that overlaps an earlier one or a note is hidden; the tooltip of its point names it. */
(function () {
    const TEXTS = ".textpoint text, .bartext";
    const NOTES = ".annotation, .xtitle";

    // Below this share of its size a note is not legible any more.
    const MIN_SCALE = 0.7;

    const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

    /* The boxes of elements, moved by as much as they are right of a plot, but no further than its left edge. */
    function placesWithin(elements, plot) {
        elements.forEach((element) => {
            element.style.translate = "";
        });
        // All are measured before any is changed again, so that the browser lays out the page once.
        const boxes = elements.map((element) => element.getBoundingClientRect());
        return boxes.map(({left, right, top, bottom}, rank) => {
            const beyond = Math.max(0, Math.min(right - plot.right, left - plot.left));
            if (beyond) {
                elements[rank].style.translate = `${-beyond}px 0`;
            }
            return {left: left - beyond, right: right - beyond, top, bottom};
        });
    }

    /* Makes the notes smaller that are wider than the plot, such as the headings of curves on a phone. */
    function shrinkNotes(notes, plot) {
        for (const {style} of notes) {
            style.scale = "";
        }
        const widths = notes.map((note) => note.getBoundingClientRect()).map(({left, right}) => right - left);
        notes.forEach(({style}, rank) => {
            const share = (plot.right - plot.left) / widths[rank];
            if (share < 1) {
                style.scale = `${Math.max(MIN_SCALE, share)}`;
            }
        });
    }

    function clear(plot) {
        const frame = plot.getBoundingClientRect();
        const texts = [...plot.querySelectorAll(TEXTS)];
        const notes = [...plot.querySelectorAll(NOTES)];
        shrinkNotes(notes, frame);
        const taken = placesWithin(notes, frame);
        placesWithin(texts, frame).forEach((place, rank) => {
            const isFree = !taken.some((box) => overlap(box, place));
            texts[rank].style.visibility = isFree ? "" : "hidden";
            if (isFree) {
                taken.push(place);
            }
        });
    }

    /* Keep the texts of a plot within it and without overlaps, whenever it is drawn. */
    function keepTextsApart(plot) {
        const emitter = plot._ev;
        if (!emitter || !plot.querySelector(`${TEXTS}, ${NOTES}`)) {
            return;
        }
        // A plot that is purged forgets its listeners.
        if (plot.textsOf !== emitter) {
            plot.textsOf = emitter;
            plot.on("plotly_afterplot", () => clear(plot));
        }
        clear(plot);
    }

    (window.tilescope ||= {}).keepTextsApart = keepTextsApart;
})();
