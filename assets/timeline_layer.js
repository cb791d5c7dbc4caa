/* The canvas of a timeline below its plot: plotly draws axes, markers and marks, the canvas has the bars. A figure
   whose layout has `meta.bars` gets one, on pages and in saved files. While a timeline is moved, only the canvas and
   the axis are drawn: plotly takes too long for a frame. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});
    const MIN_RATIO = 2; // sharp on paper too
    const MOVING = "ts-moving";
    const states = new WeakMap();

    const barsOf = (plot) => plot?.layout?.meta?.bars;
    const stateOf = (plot) => states.get(plot) || states.set(plot, {}).get(plot);

    /* The bars of a plot, read once for each figure that it gets. */
    function modelOf(plot) {
        const bars = barsOf(plot);
        const state = stateOf(plot);
        if (bars && state.bars !== bars) {
            Object.assign(state, {bars, model: parts.bars.build(bars)});
        }
        return bars && state.model;
    }

    const plotlyRange = (plot) => plot._fullLayout.xaxis.range.map(Math.round);
    const rangeOf = (plot) => stateOf(plot).moved || plotlyRange(plot);

    /* How times and rows are pixels of the plot's area. */
    function viewOf(plot) {
        const {xaxis, yaxis, width, height} = plot._fullLayout;
        const [left, right] = stateOf(plot).moved || xaxis.range;
        const rowPx = yaxis._length / (yaxis.range[0] - yaxis.range[1]);
        return {
            left, right, rowPx,
            x0: xaxis._offset, y0: yaxis._offset, width: xaxis._length, height: yaxis._length, whole: [width, height],
            perTick: xaxis._length / (right - left),
            y: (row) => (row - yaxis.range[1]) * rowPx,
            ratio: Math.max(devicePixelRatio || 1, MIN_RATIO),
        };
    }

    function element(plot, name, tag) {
        const container = plot.querySelector(".svg-container");
        let one = container.querySelector(`:scope > .${name}`);
        if (!one) {
            one = Object.assign(document.createElement(tag), {className: name});
            one.setAttribute("aria-hidden", "true");
            container.prepend(one);
        }
        return one;
    }

    function fit(canvas, {whole, ratio}) {
        const [width, height] = whole;
        const size = [Math.round(width * ratio), Math.round(height * ratio)];
        if (canvas.width !== size[0] || canvas.height !== size[1]) {
            [canvas.width, canvas.height] = size;
            Object.assign(canvas.style, {width: `${width}px`, height: `${height}px`});
        }
    }

    /* Plotly's own ticks, else those that stand in for them. */
    function axisOf(plot, view) {
        const state = stateOf(plot);
        if (state.moved) {
            const axis = parts.axis.axisOf(barsOf(plot), state.moved);
            return {...parts.axis.fitted(axis, state.moved, view.width), titleY: state.titleY};
        }
        return {tickvals: (plot._fullLayout.xaxis._vals || []).map(({x}) => x), ticktext: null};
    }

    function draw(plot) {
        const model = modelOf(plot);
        if (!model || !plot._fullLayout?.xaxis) {
            plot.querySelector(".ts-bars")?.remove();
            return;
        }
        const view = viewOf(plot);
        const canvas = element(plot, "ts-bars", "canvas");
        fit(canvas, view);
        const {groups, missing, stretches} = parts.layers.of(model, view);
        Object.assign(stateOf(plot), {layers: groups.flat(), stretches});
        parts.paint.paint(canvas.getContext("2d"), model, view, axisOf(plot, view), groups, stretches);
        Object.assign(canvas.dataset, {window: rangeOf(plot).join("-"), missing});
        if (stateOf(plot).isAwake && model.tiles?.address) {
            parts.tiles?.want(model, rangeOf(plot));
        }
    }

    /* Loads tiles of a plot, because a hand is at it. */
    function wake(plot) {
        const model = modelOf(plot);
        if (!stateOf(plot).isAwake && model?.tiles?.address && parts.tiles) {
            stateOf(plot).isAwake = true;
            parts.tiles.wake(model);
        }
    }

    /* Draws a plot's canvas in another window; plotly's own marks are hidden until it draws that window too. */
    function show(plot, range) {
        const state = stateOf(plot);
        wake(plot);
        if (!state.moved) {
            state.titleY = Number(plot.querySelector(".g-xtitle text")?.getAttribute("y"));
            plot.classList.add(MOVING);
        }
        state.moved = range;
        plot.querySelector(".ts-bar-card")?.remove();
        draw(plot);
    }

    /* Undo `show`. */
    function rest(plot) {
        stateOf(plot).moved = null;
        plot.classList.remove(MOVING);
        draw(plot);
    }

    function afterPlot(plot) {
        const {moved} = stateOf(plot);
        if (moved && String(plotlyRange(plot)) === String(moved)) {
            rest(plot);
        } else {
            draw(plot);
        }
    }

    /* Keeps the canvas of a plot that was drawn with its figure. */
    function attach(plot) {
        const state = stateOf(plot);
        if (barsOf(plot) && !plot.dataset.bars) {
            plot.dataset.bars = "drawn";
            parts.pointer.follow(plot);
            parts.saving.follow(plot);
        }
        // A plot that is purged forgets its listeners.
        if (barsOf(plot) && state.emitter !== plot._ev) {
            state.emitter = plot._ev;
            plot.on("plotly_afterplot", () => afterPlot(plot));
            plot.on("plotly_relayouting", () => draw(plot));
        }
        afterPlot(plot);
    }

    const layersOf = (plot) => stateOf(plot).layers || [];
    const stretchesOf = (plot) => stateOf(plot).stretches || null;

    parts.layer = {attach, draw, wake, show, rest, barsOf, modelOf, layersOf, stretchesOf, viewOf, rangeOf, element};
})();
