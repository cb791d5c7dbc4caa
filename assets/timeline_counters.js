/* Lanes of counters in a timeline (components/timeline/counter_lanes.py): from each time to the next a
   counter is between its lowest and its highest value. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});
    const LEVELS = 65535; // as components/timeline/counter_lanes.py
    const PAD_PX = 3;
    const AREA_INK = 0.25;
    const LINE_PX = 1.5;
    const DIGITS = 3;
    /** @type {[number, string][]} */
    const SIZES = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];
    // Rates have decimal prefixes, as in the tables of kernels (rate_text in components/numbers.py).
    /** @type {[number, string][]} */
    const RATES = [[1e12, "TB/s"], [1e9, "GB/s"], [1e6, "MB/s"], [1e3, "kB/s"], [1, "B/s"]];
    const THIN = "\u202f";

    /* Times and values, shares of the lane's height, of a record whose times count from `begin`. */
    function valuesOf(record, begin) {
        const {numbers} = parts.packed;
        const shares = (text) => numbers(text).map((level) => level / LEVELS);
        let time = begin;
        const start = numbers(record.gap).map((gap) => (time += gap));
        const low = shares(record.low);
        return {start, low, high: record.high ? shares(record.high) : low};
    }

    function build({counters, window: [begin]}) {
        return (counters || []).map((lane) => ({...lane, values: valuesOf(lane.values, begin)}));
    }

    /* The stretches of a window with the values of a lane: of tiles, else of the figure. */
    function sourcesOf(model, rank, stretches) {
        const own = model.counters[rank].values;
        return (stretches || [{span: model.window}]).map(({span, tile}) => (
            {span, values: tile?.counters?.[rank] || own}));
    }

    function paintValues(pen, view, {colour}, {span, values}, {top, height}) {
        const {start, low, high} = values;
        const right = Math.min(view.right, span[1]);
        const from = Math.max(parts.bars.firstAbove(start, Math.max(view.left, span[0]), 0, start.length) - 1, 0);
        pen.fillStyle = colour;
        for (let at = from; at < start.length && start[at] < right; at++) {
            const begin = Math.max(start[at], span[0], view.left);
            const end = Math.min(at + 1 < start.length ? start[at + 1] : right, right);
            const x = (begin - view.left) * view.perTick;
            const width = (end - begin) * view.perTick;
            const [upper, lower] = [high, low].map((shares) => top + (1 - shares[at]) * height);
            pen.globalAlpha = AREA_INK;
            pen.fillRect(x, lower, width, top + height - lower);
            pen.globalAlpha = 1;
            pen.fillRect(x, upper - LINE_PX / 2, width, lower - upper + LINE_PX);
        }
    }

    function areaOf(view, {y, size}) {
        const top = view.y(y - size / 2) + PAD_PX;
        return {top, height: view.y(y + size / 2) - PAD_PX - top};
    }

    /* Paints the lanes of a window; `stretches` are of the tiles while a hand moves it. */
    function paint(pen, model, view, stretches) {
        (model.counters || []).forEach((lane, rank) => {
            const area = areaOf(view, lane);
            pen.globalAlpha = 1;
            pen.fillStyle = model.look.grid;
            pen.fillRect(0, area.top + area.height, view.width, 1);
            sourcesOf(model, rank, stretches).forEach((source) => paintValues(pen, view, lane, source, area));
        });
        pen.globalAlpha = 1;
    }

    /* The lane at a height with its values at a time: {counter, low, high}, null without a value. */
    function find(model, time, y, stretches) {
        const rank = (model.counters || []).findIndex((lane) => Math.abs(lane.y - y) <= lane.size / 2);
        const sources = rank < 0 ? [] : sourcesOf(model, rank, stretches);
        const source = sources.find(({span}) => time >= span[0] && time < span[1]);
        const at = source ? parts.bars.firstAbove(source.values.start, time, 0, source.values.start.length) - 1 : -1;
        if (at < 0) {
            return null;
        }
        const {low, high} = model.counters[rank];
        const scaled = (share) => low * (1 - share) + high * share;
        return {counter: rank, low: scaled(source.values.low[at]), high: scaled(source.values.high[at])};
    }

    function numberText(value) {
        const rounded = Number(value.toPrecision(DIGITS));
        return Math.abs(rounded) >= 10 ** DIGITS ? parts.words.integer(value) : String(rounded).replace("-", "−");
    }

    function valueText(value, unit) {
        if (unit !== "bytes" && unit !== "bytes/s") {
            return `${numberText(value)}${unit ? ` ${unit}` : ""}`;
        }
        const units = unit === "bytes/s" ? RATES : SIZES;
        const [scale, word] = units.find(([least]) => Math.abs(value) >= least) || units.at(-1);
        return `${numberText(value / scale)}${THIN}${word}`;
    }

    /* The lines of the card about the result of `find`. */
    function linesOf(model, {counter, low, high}) {
        const {name, unit} = model.counters[counter];
        const [lowest, highest] = [low, high].map((value) => valueText(value, unit));
        return [name, lowest === highest ? lowest : `${lowest} to ${highest}`];
    }

    parts.counters = {build, valuesOf, paint, find, linesOf, valueText};
})();
