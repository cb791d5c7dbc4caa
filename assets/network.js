/* The sweep of capacities: the slider shows the sentence and the row of a capacity, and moves the line in the plot.
   All of it is in the page already, so that nothing is requested while the slider is dragged. */
(function () {
    function moveLine(plot, capacity) {
        /** @type {PlotElement} */
        const drawn = document.getElementById(plot)?.querySelector(".js-plotly-plot");
        if (drawn?.layout?.shapes?.length) {
            Plotly.relayout(drawn, {"shapes[0].x0": capacity, "shapes[0].x1": capacity});
        }
    }

    addEventListener("input", (/** @type {FieldEvent} */ event) => {
        /** @type {HTMLElement} */
        const sweep = event.target.matches?.(".ts-sweep-slider") ? event.target.closest(".ts-sweep") : null;
        if (!sweep) {
            return;
        }
        /** @type {NodeListOf<HTMLElement>} */
        const rows = sweep.querySelectorAll("tr[data-said]");
        const shown = rows[Number(event.target.value)];
        rows.forEach((row) => row.classList.toggle("ts-row-shown", row === shown));
        sweep.querySelector(".ts-sweep-said").textContent = shown.dataset.said;
        moveLine(sweep.dataset.plot, Number(shown.dataset.capacity));
    });
})();
