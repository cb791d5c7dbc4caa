/* Texts at the points of a plot, such as the names of markers, are placed by the server for a wide page. After each
   drawing, a text that lies on an earlier one or on a note of the plot is hidden; the tooltip of its point names it. */
(function () {
    const TEXTS = ".textpoint text";
    const NOTES = ".annotation-text";

    const boxes = (elements) => [...elements].map((element) => element.getBoundingClientRect());

    const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

    function clear(plot) {
        const texts = [...plot.querySelectorAll(TEXTS)];
        // All are measured before any is changed, so that the browser lays out the page once.
        const places = boxes(texts);
        const taken = boxes(plot.querySelectorAll(NOTES));
        texts.forEach((text, rank) => {
            const isFree = !taken.some((box) => overlap(box, places[rank]));
            text.style.visibility = isFree ? "" : "hidden";
            if (isFree) {
                taken.push(places[rank]);
            }
        });
    }

    /* Keeps the texts of a plot apart whenever it is drawn. */
    function keepTextsApart(plot) {
        const emitter = plot._ev;
        if (!emitter || !plot.querySelector(TEXTS)) {
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
