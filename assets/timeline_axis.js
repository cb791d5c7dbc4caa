/* The time axis of a window, as components/time_axis.py lays it out, so that labels follow while a timeline moves. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});
    const THIN = "\u202f";
    /** @type {[number, string][]} */
    const UNITS = [[9, "s"], [6, "ms"], [3, "µs"], [0, "ns"]];
    const MAX_DECIMALS = 3;
    const TICKS = 10;
    const PER_S = 1e9;

    function stepOf(span) {
        let step = 1;
        while (step * TICKS < span) {
            step *= String(step)[0] === "2" ? 2.5 : 2;
        }
        return step;
    }

    const exponentOf = (step) => String(step).length - 1;
    const unitOf = (largest) => UNITS.find(([exponent]) => largest >= 10 ** exponent) || UNITS.at(-1);

    function decimal(value, exponent, digits) {
        const whole = Math.floor(Math.abs(value) / 10 ** exponent);
        const rest = String(Math.abs(value) - whole * 10 ** exponent).padStart(exponent, "0").slice(0, digits);
        const groups = exponent ? (rest.match(/.{1,3}/g) || []).join(THIN) : "";
        return `${value < 0 ? "-" : ""}${parts.words.integer(whole)}${groups ? "." : ""}${groups}`;
    }

    /* The round time that labels count from: 0 if these need at most three digits after the point. */
    function originOf(begin, end, step) {
        const [exponent] = unitOf(Math.max(Math.abs(begin), Math.abs(end)));
        if (exponent - exponentOf(step) <= MAX_DECIMALS) {
            return 0;
        }
        const every = 10 ** String(end - begin).length;
        return Math.floor(begin / every) * every;
    }

    function exactTime(nanoseconds) {
        const [exponent, unit] = unitOf(Math.abs(nanoseconds));
        const rest = exponent ? String(Math.abs(nanoseconds) % 10 ** exponent).padStart(exponent, "0") : "";
        return `${decimal(nanoseconds, exponent, Math.ceil(rest.replace(/0+$/, "").length / 3) * 3)}${THIN}${unit}`;
    }

    function nanosecondAxis(begin, end) {
        const step = stepOf(end - begin);
        const origin = originOf(begin, end, step);
        const [exponent, unit] = unitOf(Math.max(Math.abs(begin - origin), Math.abs(end - origin)));
        const digits = Math.max(0, exponent - exponentOf(step));
        const places = [];
        for (let at = Math.ceil(begin / step) * step; at <= end; at += step) {
            places.push(at);
        }
        const sign = origin ? "+" : "";
        const label = (at) => (at ? `${sign}${decimal(at, exponent, digits)}${THIN}${unit}` : `${sign}0`);
        const from = origin ? `from ${exactTime(origin)} · ` : "";
        return {
            tickvals: places,
            ticktext: places.map((at) => label(at - origin)),
            title: `${from}${parts.words.seconds((end - begin) / PER_S)} in view`,
        };
    }

    function tickAxis({unit, clock}, begin, end) {
        const step = stepOf(end - begin);
        const places = [];
        for (let at = Math.ceil(begin / step) * step; at <= end; at += step) {
            places.push(at);
        }
        const time = clock ? ` = ${parts.words.seconds((end - begin) / clock)}` : "";
        const title = `${unit} · ${parts.words.integer(end - begin)} in view${time}`;
        return {tickvals: places, ticktext: places.map(parts.words.integer), title};
    }

    /* Title, and places and texts of the ticks, of a window of a timeline. */
    function axisOf(bars, [begin, end]) {
        return bars.unit === "ns" ? nanosecondAxis(begin, end) : tickAxis(bars, begin, end);
    }

    /* The same as properties of a plotly axis. */
    function layoutOf(bars, range) {
        const {tickvals, ticktext, title} = axisOf(bars, range);
        return {range: [...range], title: {text: title}, tickvals, ticktext};
    }

    /* The axis with as many of its labels as fit into a width in pixels; saved files have all. */
    function fitted(axis, range, width) {
        const xaxis = {...axis, tickmode: "array", range};
        const {tickvals, ticktext} = tilescope.thinTicks?.({margin: {l: 0, r: 0}, xaxis}, width).xaxis || axis;
        return {...axis, tickvals, ticktext};
    }

    parts.axis = {axisOf, layoutOf, fitted};
})();
