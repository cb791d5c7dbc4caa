/* The timelines of a page and its state: the address follows the hand, and figures that arrive follow it too. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});
    const {hand} = parts;

    /* Writes the window to the page's state, which requests what is shown there; the whole run has no window. */
    function ask() {
        const id = `${tilescope.pageRoot()?.dataset.screen}-view`;
        const query = new URLSearchParams(dash_component_api.getLayout(id).props.data || "");
        if (hand.isSame(hand.target, hand.extent())) {
            query.delete("window");
        } else {
            query.set("window", hand.target.join("-"));
        }
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

    /* If the page's state gets another window while the hand rests, that one holds. */
    function follow(query) {
        parts.strip.follow(query);
        parts.lanes.follow(query);
        const wanted = new URLSearchParams(query || "").get("window");
        const isWhole = hand.target && wanted === null && hand.isSame(hand.target, hand.extent());
        if (hand.target && hand.isResting && wanted !== hand.target.join("-") && !isWhole) {
            hand.letGo();
        }
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
