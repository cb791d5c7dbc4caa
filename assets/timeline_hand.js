/* Keys, wheel and drag move the timelines of a page immediately, with the bars that the browser has. When they pause,
   `onRest` gives the page the window; windows in between are not requested. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});
    const REST_MS = 200;
    const SETTLE_MS = 600;
    const hand = {target: null, isResting: true, pointer: null, onRest: () => {}};
    let timer = null;
    let settling = null;
    let frame = null;
    const waiting = [];

    /** @returns {PlotElement[]} */
    const plots = () => [...document.querySelectorAll("[data-bars]")].filter(parts.layer.barsOf);
    const isSame = (one, other) => one[0] === other[0] && one[1] === other[1];

    /* The timelines that move together: those of a comparison do, those of a file with several runs do not. */
    const moving = () => (tilescope.pageRoot?.() || !hand.plot ? plots() : [hand.plot]);
    const shown = () => hand.target || parts.layer.rangeOf(moving()[0]);

    /* The window that all of them fit into. */
    function extent() {
        const all = moving().map((plot) => parts.layer.barsOf(plot).extent);
        return [Math.min(...all.map(([first]) => first)), Math.max(...all.map(([, last]) => last))];
    }

    function redraw() {
        frame = null;
        for (const plot of hand.target ? moving() : []) {
            if (!isSame(parts.layer.rangeOf(plot), hand.target)) {
                parts.layer.show(plot, hand.target);
            }
        }
    }

    /* Lets plotly draw its marks at a window. */
    function relayout(plot, range) {
        const whole = parts.axis.layoutOf(parts.layer.barsOf(plot), range);
        const {title, ...axis} = parts.axis.fitted(whole, range, parts.layer.viewOf(plot).width);
        const ticks = Object.entries(axis).map(([name, value]) => [`xaxis.${name}`, value]);
        Plotly.relayout(plot, {...Object.fromEntries(ticks), "xaxis.title.text": title.text});
    }

    /* Draws the marks where the hand rests, if the page's answer does not do so soon. */
    function settle() {
        const range = hand.target;
        (range ? moving() : []).forEach((plot) => relayout(plot, range));
    }

    /* Shows a window that no figure will bring. */
    function restore(plot, range) {
        if (!isSame(parts.layer.rangeOf(plot), range)) {
            parts.layer.show(plot, range);
            relayout(plot, range);
        }
    }

    /* Resolves once the hand rests: other plots are drawn then, which takes longer than a frame. */
    function still() {
        return hand.isResting ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
    }

    function stop() {
        hand.isResting = true;
        waiting.splice(0).forEach((resolve) => resolve());
    }

    function rest() {
        stop();
        clearTimeout(settling);
        settling = setTimeout(settle, SETTLE_MS);
        hand.onRest();
    }

    function move(range) {
        hand.target = parts.window.within(range, extent());
        hand.isResting = false;
        frame ??= requestAnimationFrame(redraw);
        clearTimeout(settling);
        clearTimeout(timer);
        timer = setTimeout(rest, REST_MS);
    }

    /* Whether a key moved the timelines. */
    function key(name) {
        if (!parts.window.isKey(name) || !plots().length) {
            return false;
        }
        // The timeline under the pointer, which zooms where the pointer is.
        hand.plot = hand.pointer?.plot || hand.plot;
        move(parts.window.pressed(shown(), extent(), name, hand.pointer?.share));
        return true;
    }

    function wheel(plot, pixels, share) {
        hand.plot = plot;
        const [begin, end] = shown();
        move(parts.window.wheeled([begin, end], extent(), pixels, begin + share * (end - begin)));
    }

    /* A window that somebody else sets takes the place of the hand's. */
    function letGo() {
        [timer, settling].forEach(clearTimeout);
        hand.target = null;
        stop();
    }

    parts.hand = Object.assign(hand, {plots, isSame, extent, move, key, wheel, letGo, restore, still});
})();
