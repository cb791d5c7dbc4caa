/* The bars of a timeline as the server sends them (`Part.record` of components/timeline/bars.py), and which bar is at a
   point. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});
    const HALF_ROW = 0.5;

    /* Start times of bars whose gaps count from the bar before in the same row, or from `origin` for the first. */
    function startsOf(gaps, first, origin) {
        const start = new Float64Array(gaps.length);
        for (let at = 0; at < gaps.length; at++) {
            start[at] = gaps[at] + (first.has(at) ? origin : start[at - 1]);
        }
        return start;
    }

    /* The first place in [from, to) with a value above `limit`, `to` if there is none; values rise. */
    function firstAbove(values, limit, from, to) {
        let low = from;
        let high = to;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (values[middle] > limit) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /* Opacity of bars that stand for several events: the busier, the stronger. */
    function densities(count, busy, start, end, faintest) {
        let merged = 0;
        return Float32Array.from(count, (events, at) => {
            if (events <= 1) {
                return 1;
            }
            const share = Math.min(1, busy[merged++] / Math.max(end[at] - start[at], 1));
            return faintest + (1 - faintest) * share;
        });
    }

    /* Percentage of the busy time of a bar of several names that the name of its colour has; 100 for other bars. */
    function mostOf(mixed, percentages) {
        let next = 0;
        return Uint8Array.from(mixed, (isMixed) => (isMixed ? percentages[next++] : 100));
    }

    function partOf(record, origin) {
        const {numbers, flags} = parts.packed;
        const lanes = [];
        let from = 0;
        for (const [row, size] of record.lanes) {
            lanes.push({row, from, to: from + size});
            from += size;
        }
        const start = startsOf(numbers(record.gap), new Set(lanes.map((lane) => lane.from)), origin);
        const end = numbers(record.length).map((length, at) => start[at] + length);
        const count = record.count ? numbers(record.count) : new Float64Array(start.length).fill(1);
        const merged = numbers(record.busy);
        const busy = new Float64Array(start.length);
        let next = 0;
        count.forEach((events, at) => { busy[at] = events > 1 ? merged[next++] : end[at] - start[at]; });
        const mixed = flags(record.mixed, start.length);
        return {
            ...record, lanes, start, end, count, busy, mixed,
            most: mostOf(mixed, numbers(record.most)),
            name: numbers(record.name),
            faded: flags(record.faded, start.length),
            density: densities(count, merged, start, end, record.faintest),
        };
    }

    function iterationsOf(record, origin) {
        const {numbers, flags} = parts.packed;
        const start = startsOf(numbers(record.gap), new Set([0]), origin);
        return {
            ...record, start,
            end: numbers(record.length).map((length, at) => start[at] + Math.max(length, 1)),
            name: numbers(record.name),
            number: numbers(record.number),
            partial: flags(record.partial, start.length),
            faded: flags(record.faded, start.length),
        };
    }

    function build(bars) {
        return {
            ...bars,
            counters: parts.counters?.build(bars) || [],
            parts: bars.parts.map((record) => partOf(record, bars.origin)),
            iterations: bars.iterations && iterationsOf(bars.iterations, bars.origin),
            rowOf: new Map((bars.tiles?.rows || []).map((number, row) => [number, row])),
        };
    }

    /* The bar of places [from, to) that is nearest to a time and at most `slack` away, -1 without one. */
    function nearest({start, end}, from, to, time, slack) {
        const after = firstAbove(start, time, from, to);
        const away = (at) => Math.max(start[at] - time, time - Math.max(end[at], start[at] + 1), 0);
        const near = [after - 1, after].filter((at) => at >= from && at < to && away(at) <= slack);
        return near.sort((one, other) => away(one) - away(other))[0] ?? -1;
    }

    /* The lane of a layer that is painted in a row of the page. */
    const laneIn = ({part, rowOf}, row) => part.lanes.find((lane) => (rowOf ? rowOf.get(lane.row) : lane.row) === row);

    /* What is painted at a time and a height: {part, at, row}, {iteration}, or null. Bars beside the window are not
       whole, so that they are not found. */
    function find(model, time, y, slack, layers = parts.layers.own(model)) {
        const {iterations, rows} = model;
        if (iterations && Math.abs(y) <= HALF_ROW) {
            const at = nearest(iterations, 0, iterations.start.length, time, slack);
            return at < 0 ? null : {iteration: at};
        }
        const row = rows.y.findIndex((middle) => Math.abs(middle - y) <= HALF_ROW);
        const here = layers.filter(({part, span}) => !part.beside && time >= span[0] && time < span[1]);
        for (const layer of row < 0 ? [] : here.reverse()) {
            const {part} = layer;
            const lane = laneIn(layer, row);
            const at = lane ? nearest(part, lane.from, lane.to, time, slack) : -1;
            if (at >= 0) {
                return {part, at, row};
            }
        }
        return null;
    }

    parts.bars = {build, partOf, find, firstAbove};
})();
