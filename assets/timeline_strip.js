/* The mark of the window in the strip above a timeline: the server does not draw the strip again for a new window. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});

    /* Shapes of the shading left and right of a window, and of its outline; none for the whole run. */
    function marksOf([left, right, outline], range) {
        if (!range) {
            return [];
        }
        const begin = Math.max(range[0], left.x0);
        const end = Math.min(range[1], right.x1);
        return [{...left, x1: begin}, {...right, x0: end}, {...outline, x0: begin, x1: end}];
    }

    /* The window in the query of a page, null without a value. */
    function windowIn(query) {
        const ends = new URLSearchParams(query || "").get("window")?.match(/^(-?\d+)-(-?\d+)$/);
        return ends ? [Number(ends[1]), Number(ends[2])] : null;
    }

    function follow(query) {
        /** @type {NodeListOf<PlotElement>} */
        const plots = document.querySelectorAll("[data-screen] .js-plotly-plot");
        for (const plot of plots) {
            const marks = plot.layout?.meta?.strip;
            const shapes = marks ? marksOf(marks, windowIn(query)) : [];
            if (marks && JSON.stringify(shapes) !== JSON.stringify(plot.layout.shapes || [])) {
                Plotly.relayout(plot, {shapes});
            }
        }
    }

    parts.strip = {follow, marksOf, windowIn};
})();
