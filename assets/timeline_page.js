/* The timelines of a page and its state: the address follows their window, and so do figures that arrive. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});
    const {hand} = parts;
    const asked = new Set(); // windows that the hand set and that the page's state has not had yet
    const WINDOWS = ["selection.window", "window"]; // its paths in app/views/reads.py

    /* Writes the window to the page's state, which requests what is shown there; the whole run has no window. */
    function ask() {
        const id = `${tilescope.pageRoot()?.dataset.screen}-view`;
        const query = new URLSearchParams(dash_component_api.getLayout(id).props.data || "");
        if (hand.isSame(hand.target, hand.extent())) {
            query.delete("window");
        } else {
            query.set("window", hand.target.join("-"));
        }
        asked.add(query.get("window"));
        dash_clientside.set_props(id, {data: query.toString().replaceAll("%2C", ",")});
    }

    /* Whether a range that plotly set (null for all) is one of a timeline; then it is the hand's. */
    function zoomed(graph, range) {
        const plot = hand.plots().find((one) => document.getElementById(graph)?.contains(one));
        if (!plot) {
            return false;
        }
        const wanted = parts.window.within(range || hand.extent(), hand.extent());
        if (!hand.isSame(wanted, hand.target || parts.layer.barsOf(plot).window)) {
            hand.move(wanted);
        }
        return true;
    }

    /* A figure that arrives while the hand is elsewhere is drawn where the hand is. */
    function held(figure) {
        const bars = figure?.layout?.meta?.bars;
        if (!bars || !hand.target) {
            return figure;
        }
        if (hand.isSame(bars.window, hand.target)) {
            if (hand.isResting) {
                hand.letGo();
            }
            return figure;
        }
        const xaxis = {...figure.layout.xaxis, ...parts.axis.layoutOf(bars, hand.target)};
        return {...figure, layout: {...figure.layout, xaxis, uirevision: String(hand.target)}};
    }

    /* The window for which the page is drawn, as text; "null" for the whole run. */
    function drawnWindow() {
        const {data} = dash_component_api.getLayout(`${tilescope.pageRoot().dataset.screen}-shown`).props;
        const read = Object.values(data?.reads || {}).flatMap((fields) => (
            WINDOWS.filter((path) => path in fields).map((path) => fields[path])));
        return String(read[0]);
    }

    /* A timeline that a hand moved away and the page's state brings back to where it is drawn: no figure arrives then.
       The response for the hand's window may still be due, and Dash drops it. */
    function restore(query) {
        if (!hand.target && drawnWindow() === String(parts.strip.windowIn(query))) {
            for (const plot of hand.plots()) {
                const {figure} = dash_component_api.getLayout(plot.closest(".ts-graph").id).props;
                if (figure.layout.meta?.bars) {
                    hand.restore(plot, figure.layout.meta.bars.window);
                }
            }
        }
    }

    const isTarget = (wanted) => (
        wanted === hand.target.join("-") || (wanted === null && hand.isSame(hand.target, hand.extent())));

    /* If the page's state gets another window while the hand rests, that one holds. It may get an earlier one of the
       hand when the hand rests elsewhere already. */
    function follow(query) {
        parts.strip.follow(query);
        parts.lanes.follow(query);
        const wanted = new URLSearchParams(query || "").get("window");
        const isEarlier = asked.delete(wanted);
        if (hand.target && isTarget(wanted)) {
            asked.clear();
        } else if (hand.target && hand.isResting && !isEarlier) {
            hand.letGo();
        }
        restore(query);
    }

    let frame = null;

    /* A tile that has arrived is painted with the next frame. */
    function redraw() {
        frame ??= requestAnimationFrame(() => {
            frame = null;
            hand.plots().forEach(parts.layer.draw);
        });
    }

    hand.onRest = ask;
    Object.assign(parts, {page: {zoomed, held, follow, redraw}});
})();
