/* The wheel on a plot whose both axes zoom, as a memory map: with ctrl it zooms at the pointer. The bars that are there
   are scaled, which takes milliseconds for thousands of blocks; when the wheel rests, the page requests the blocks of
   the new ranges. Plotly's own wheel draws all of them again after each pause of 50 ms. */
(function () {
    const WHEEL_PX = 300; // a turn of the wheel that halves the ranges, as assets/timeline_window.js
    const REST_MS = 200;
    const CHECK_MS = 3000;
    const MIN_LENGTH = 1;
    const SLACK = 0.02;
    const MOVING = "ts-map-moving";
    const DUE = "#content [data-dash-is-loading]";
    const AXES = ["xaxis", "yaxis"];
    /** @type {Map<PlotElement, {ranges: [number, number][], isResting: boolean, at: number}>} */
    const moved = new Map();
    const waiting = [];
    let frame = null;
    let timer = null;

    const zoomsOf = (plot) => plot.closest("[data-zooms]")?.dataset.zooms.split(" ") || [];
    /** @returns {[number, number]} */
    const limitsOf = ({minallowed, maxallowed}) => [minallowed, maxallowed];
    const isFixed = ({fixedrange, minallowed}) => fixedrange || minallowed === undefined;

    /** The range by a factor wider around a share of its length, within the limits of its axis.
     * @returns {[number, number]} */
    function scaled([begin, end], [first, last], factor, share) {
        const width = Math.min(Math.max((end - begin) * factor, MIN_LENGTH), last - first);
        const at = begin + share * (end - begin);
        const start = Math.min(Math.max(at - share * width, first), last - width);
        return [start, start + width];
    }

    /* Scale and shift of the pixels of an axis from the range that is drawn to another one. */
    function transformOf([begin, end], [left, right], length) {
        const scale = (end - begin) / (right - left);
        return {scale, shift: (begin - left) / (right - left) * length};
    }

    function show(plot) {
        const {ranges} = moved.get(plot);
        const {xaxis, yaxis} = plot._fullLayout;
        const x = transformOf(xaxis.range, ranges[0], xaxis._length);
        const y = transformOf(yaxis.range, ranges[1], yaxis._length);
        // Pixels go down where addresses go up.
        const down = yaxis._length * (1 - y.scale) - y.shift;
        plot.classList.add(MOVING);
        for (const layer of plot.querySelectorAll(".barlayer")) {
            layer.setAttribute("transform", `translate(${x.shift},${down}) scale(${x.scale},${y.scale})`);
        }
    }

    function finish(plot) {
        moved.delete(plot);
        // The card of the block that was at the pointer before.
        plot.querySelector(".hoverlayer")?.replaceChildren();
        plot.classList.remove(MOVING);
        plot.querySelectorAll(".barlayer").forEach((layer) => layer.removeAttribute("transform"));
    }

    function redraw() {
        frame = null;
        [...moved.keys()].filter((plot) => plot.isConnected).forEach(show);
    }

    /* The range to request, null for all of an axis. */
    function requestOf(axis, range) {
        const [first, last] = limitsOf(axis);
        return range[0] <= first && range[1] >= last ? null : range;
    }

    const isNear = ([begin, end], [left, right]) => (
        Math.abs(begin - left) + Math.abs(end - right) <= SLACK * (right - left) + 2);

    /* Whether a plot is drawn at the ranges that the wheel reached; the server rounds them to whole steps and bytes. */
    function isThere(plot) {
        const {ranges} = moved.get(plot);
        return AXES.every((name, rank) => isNear(plot._fullLayout[name].range, ranges[rank]));
    }

    /* Requests the blocks of the ranges at which the wheel rests. */
    function rest(plot) {
        const state = Object.assign(moved.get(plot), {isResting: true, at: Date.now()});
        const axes = AXES.map((name) => plot._fullLayout[name]);
        const found = {};
        zoomsOf(plot).forEach((name, rank) => {
            if (!isFixed(axes[rank])) {
                found[name] = requestOf(axes[rank], state.ranges[rank]);
            }
        });
        waiting.splice(0).forEach((resolve) => resolve());
        dash_clientside.set_props(`${tilescope.pageRoot().dataset.screen}-zoom`, {data: {...found, at: state.at}});
        if (isThere(plot)) {
            // The state does not change, so that no figure arrives.
            finish(plot);
        }
        setTimeout(giveUp, CHECK_MS, plot, state);
    }

    /* Shows what plotly drew if the responses brought no figure at the ranges of the wheel. A response may take long:
       the bars stay scaled until none is due. */
    function giveUp(plot, state) {
        if (moved.get(plot) !== state || !state.isResting) {
            return;
        }
        if (plot.isConnected && document.querySelector(DUE)) {
            setTimeout(giveUp, CHECK_MS, plot, state);
        } else {
            finish(plot);
        }
    }

    /* Resolves once the wheel rests: a plot is drawn then, which takes longer than a frame. */
    function still() {
        const isMoving = [...moved].some(([plot, {isResting}]) => plot.isConnected && !isResting);
        return isMoving ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve();
    }

    function shares(plot, event) {
        const area = plot.querySelector(".nsewdrag").getBoundingClientRect();
        return [(event.clientX - area.left) / area.width, 1 - (event.clientY - area.top) / area.height];
    }

    function turn(plot, event) {
        const factor = 2 ** (event.deltaY / WHEEL_PX);
        const at = shares(plot, event);
        const axes = AXES.map((name) => plot._fullLayout[name]);
        /** @type {[number, number][]} */
        const before = moved.get(plot)?.ranges || axes.map(({range: [begin, end]}) => [begin, end]);
        const ranges = axes.map((axis, rank) => (
            isFixed(axis) ? before[rank] : scaled(before[rank], limitsOf(axis), factor, at[rank])));
        moved.set(plot, {ranges, isResting: false, at: Date.now()});
        frame ??= requestAnimationFrame(redraw);
        clearTimeout(timer);
        timer = setTimeout(rest, REST_MS, plot);
    }

    /** @param {WheelEvent} event */
    function wheel(event) {
        /** @type {HTMLElement} */
        const target = /** @type {any} */ (event.target);
        /** @type {PlotElement} */
        const plot = target.closest?.(".nsewdrag")?.closest(".js-plotly-plot");
        const isZoom = plot && (event.ctrlKey || event.metaKey) && tilescope.pageRoot?.();
        if (isZoom && zoomsOf(plot).length === AXES.length) {
            // Else the browser would zoom the page.
            event.preventDefault();
            turn(plot, event);
        }
    }

    /* A plot that is drawn again has the ranges that the wheel reached, or is scaled to them. */
    function drawn(plot) {
        const state = moved.get(plot);
        if (!state) {
            return;
        }
        if (state.isResting && isThere(plot)) {
            finish(plot);
        } else {
            show(plot);
        }
    }

    /* Once the page's state shows everything, no range of the wheel holds. */
    function follow(query) {
        const view = new URLSearchParams(query || "");
        if (!["span", "addresses", "window"].some((name) => view.has(name))) {
            [...moved.keys()].filter((plot) => moved.get(plot).isResting).forEach(finish);
        }
    }

    addEventListener("wheel", wheel, {passive: false});
    (window.tilescope ||= {}).mapZoom = {drawn, follow, still, scaled, transformOf};
})();
