/* Plots are drawn one at a time: those in sight, of these a timeline and then the lightest, so that a curve does not
   wait for a map of thousands of blocks; then timelines; then the nearest. The page is seen and used before its last
   plot is drawn.
   On a narrow page a figure takes the parts of its layout that it has for one, `meta.narrow`. */
(function () {
    const BDATA_CHARACTERS = 8;
    const narrow = matchMedia("(max-width: 700px)");
    const arranged = new Map();
    // Figures as they are on the screen while a sheet has other colours.
    const onScreen = new Map();
    const waiting = [];
    let busy = false;
    let drawn = Promise.resolve();

    /* How many pixels the middle of a plot is beyond what is in sight. */
    function distance({plot}) {
        const {top, bottom} = plot.getBoundingClientRect();
        const middle = (top + bottom) / 2;
        return Math.max(middle - innerHeight, -middle, 0);
    }

    const isTimeline = ({figure: [figure]}) => Boolean(figure?.layout?.meta?.bars);

    /* About how many points a figure has; numbers come as lists, or as bytes that are encoded as text. */
    function weight({figure: [figure]}) {
        const lengths = (figure?.data ?? []).map(({x, y}) => Math.max(...[x, y].map(
            (values) => values?.length ?? (values?.bdata?.length ?? 0) / BDATA_CHARACTERS)));
        return lengths.reduce((sum, length) => sum + length, 0);
    }

    /* What decides which plot is next: the first number that differs, the smaller one first. People wait for a
       timeline, whose bars are not plotly's. */
    function turnOf(one) {
        const beyond = distance(one);
        return [Number(beyond > 0), Number(!isTimeline(one)), beyond, weight(one)];
    }

    function compareTurns(one, other) {
        const at = one.findIndex((number, rank) => number !== other[rank]);
        return at < 0 ? 0 : one[at] - other[at];
    }

    /* Of two figures for one plot the earlier goes first. */
    function takeNext() {
        const turns = waiting.map((one) => ({one, turn: turnOf(one)}));
        const [{one: first}] = turns.sort((left, right) => compareTurns(left.turn, right.turn));
        const next = waiting.find(({plot}) => plot === first.plot);
        return waiting.splice(waiting.indexOf(next), 1)[0];
    }

    /* Not by a timer: those are slow in a tab that is opened in the background. */
    function task() {
        return new Promise((resolve) => {
            const {port1, port2} = new MessageChannel();
            port1.onmessage = resolve;
            port2.postMessage(null);
        });
    }

    function frame() {
        return document.hidden ? task() : new Promise((resolve) => requestAnimationFrame(() => task().then(resolve)));
    }

    /* Return the figure of a plot as it is drawn at the width of the page, and make room for it. */
    function fitted(plot, [given, ...rest]) {
        const figure = tilescope.timeline.page.held(given);
        const {narrow: other, height} = figure?.layout?.meta ?? {};
        const thinned = tilescope.thinTicks(figure?.layout, plot.clientWidth);
        if (!other && thinned === figure?.layout) {
            return [figure, ...rest];
        }
        arranged.set(plot, [figure, ...rest]);
        if (!other) {
            return [{...figure, layout: thinned}, ...rest];
        }
        const {height: narrowHeight, ...parts} = other;
        plot.closest(".ts-graph")?.style.setProperty("min-height", `${narrow.matches ? narrowHeight : height}px`);
        return [{...figure, layout: narrow.matches ? {...thinned, ...parts} : thinned}, ...rest];
    }

    function rearrange() {
        for (const [plot, figure] of [...arranged]) {
            if (plot.isConnected) {
                window.Plotly.react(plot, ...figure);
            } else {
                arranged.delete(plot);
            }
        }
    }

    /* What a plot has besides plotly's drawing. */
    function finish(plot) {
        tilescope.timeline.layer.attach(plot);
        tilescope.mapZoom.drawn(plot);
        tilescope.keepTextsApart(plot);
    }

    async function drawAll(react) {
        busy = true;
        // The plots of a page come together. One in sight is drawn before the next task, in which React makes grids,
        // also those far below.
        await Promise.resolve();
        let isFirst = true;
        while (waiting.length) {
            const isSeen = waiting.some((one) => !distance(one));
            if (!isSeen || !isFirst) {
                // What is drawn is shown before what nobody sees yet.
                await (isSeen ? task() : frame());
            }
            isFirst = false;
            await tilescope.timeline.hand.still();
            await tilescope.mapZoom.still();
            // A printout draws all plots that wait, see `drawNow`.
            if (!waiting.length) {
                break;
            }
            const {plot, figure, resolve} = takeNext();
            // The page may have changed while the plot was waiting.
            const one = Promise.resolve().then(() => (plot.isConnected ? react(plot, ...fitted(plot, figure)) : plot));
            resolve(one);
            await one.then(() => finish(plot)).catch(() => {});
        }
        busy = false;
    }

    /* Draws the plots that wait, and all others at the width that their place has now; `fixed` holds them there, else
       they follow the page again. `recolour` returns a figure in the colours of the sheet, if they are others.
       Nothing is waited for: a sheet of paper is drawn right after. */
    function drawNow(react, fixed, recolour) {
        for (const {plot, figure, resolve} of waiting.splice(0)) {
            resolve(plot.isConnected ? react(plot, ...fitted(plot, figure)) : plot);
        }
        /** @type {NodeListOf<PlotElement>} */
        const all = document.querySelectorAll(".js-plotly-plot");
        const plots = [...all].filter(({layout, clientWidth}) => layout && clientWidth);
        const widths = plots.map(({clientWidth}) => clientWidth);
        plots.forEach((plot, rank) => {
            const size = fixed ? {autosize: false, width: widths[rank]} : {autosize: true, width: undefined};
            const own = onScreen.get(plot) ?? {data: plot.data, layout: plot.layout};
            onScreen.delete(plot);
            if (recolour) {
                onScreen.set(plot, own);
            }
            const {data, layout} = recolour ? recolour(own) : own;
            react(plot, data, {...layout, ...size});
        });
    }

    /* Resolves once no plot waits to be drawn. */
    (window.tilescope ||= {}).plotsDrawn = () => drawn;
    window.tilescope.drawPlotsNow = () => {}; // until plotly is there, there is no plot
    narrow.addEventListener("change", rearrange);
    Promise.resolve(window.Plotly).then(() => {
        const {react} = window.Plotly;
        window.tilescope.drawPlotsNow = (fixed, recolour) => drawNow(react, fixed, recolour);
        window.Plotly.react = (plot, ...figure) => new Promise((resolve) => {
            waiting.push({plot, figure, resolve});
            if (!busy) {
                drawn = drawAll(react);
            }
        });
    });
})();
