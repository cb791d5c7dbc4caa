/* Windows of a timeline, [begin, end) in whole ticks: zoomed, moved, and kept within the run. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});
    const MIN_WINDOW = 10; // as app/views/actions.py
    const ZOOM = 0.5;
    const SHIFT = 0.25;
    const WHEEL_PX = 300; // a turn of the wheel that halves the window

    /* The window as wide as asked for, at least MIN_WINDOW and at most the run, moved into the run. */
    function within([begin, end], [first, last]) {
        const width = Math.min(Math.max(Math.round(end - begin), MIN_WINDOW), last - first);
        const start = Math.min(Math.max(Math.round(begin), first), last - width);
        return [start, start + width];
    }

    /* The window by a factor wider around a time, which stays where it is on the screen. */
    function scaled([begin, end], extent, factor, time) {
        const width = Math.max((end - begin) * factor, MIN_WINDOW);
        const start = time - (time - begin) / (end - begin) * width;
        return within([start, start + width], extent);
    }

    const ZOOMS = {w: ZOOM, s: 1 / ZOOM};
    const SHIFTS = {a: -SHIFT, d: SHIFT, ArrowLeft: -SHIFT, ArrowRight: SHIFT};
    const isKey = (key) => key in ZOOMS || key in SHIFTS;

    /* The window after a key: w and s zoom at a share of the width, else in the middle; a, d and arrows move. */
    function pressed(shown, extent, key, share = 0.5) {
        const [begin, end] = shown;
        if (key in ZOOMS) {
            return scaled(shown, extent, ZOOMS[key], begin + share * (end - begin));
        }
        const shift = Math.round((end - begin) * SHIFTS[key]);
        return within([begin + shift, end + shift], extent);
    }

    const wheeled = (shown, extent, pixels, time) => scaled(shown, extent, 2 ** (pixels / WHEEL_PX), time);

    parts.window = {within, isKey, pressed, wheeled};
})();
