/* Lines of the card at the pointer about a bar; the first is its name. */
(function () {
    const parts = ((window.tilescope ||= {}).timeline ||= {});
    const THIN = "\u202f";
    /** @type {[number, string][]} */
    const TIMES = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"], [1e-12, "ps"]];
    const PREFIXES = {"left out": "left out: ", "unfinished": "still running at the end: "};
    const PER_S = 1e9;
    const SEVERAL = "several names";

    const grouped = (text) => text.replace(/\B(?=(\d{3})+(?!\d))/g, THIN);
    const integer = (value) => grouped(String(Math.round(value)).replace("-", "−"));

    /* Three digits in the unit that leaves one to three before the point, as components/numbers.py `seconds`. */
    function seconds(value) {
        if (!value) {
            return `0${THIN}s`;
        }
        const rounded = Math.abs(Number(value.toPrecision(3)));
        // Units are powers of ten that binary fractions miss by a hair.
        const [scale, unit] = TIMES.find(([least]) => rounded >= least * (1 - 1e-12)) || TIMES.at(-1);
        const number = value / scale;
        const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(Number(number.toPrecision(3))))));
        const [whole, rest] = number.toFixed(digits).split(".");
        return `${grouped(whole)}${rest ? "." + rest : ""}${THIN}${unit}`;
    }

    function duration(nanoseconds) {
        return Math.abs(nanoseconds) < 1000 && Number.isInteger(nanoseconds)
            ? `${integer(nanoseconds)}${THIN}ns`
            : seconds(nanoseconds / PER_S);
    }

    function ofProfile([begin, length, count, busy]) {
        const exact = count > 1 || length < 1000 ? "" : ` = ${integer(length)}${THIN}ns`;
        const times = [`${duration(length)}${exact}`, `from ${duration(begin)}`];
        return count > 1 ? [`busy ${duration(busy)} of ${times[0]}`, times[1]] : times;
    }

    function ofCapture(model, [begin, length, count, busy]) {
        const where = `${integer(begin)} – ${integer(begin + length)} ${model.unit}`;
        if (count > 1) {
            return [where, `busy ${integer(busy)} of ${integer(length)} ${model.unit}`];
        }
        const time = model.clock ? ` · ${seconds(length / model.clock)}` : "";
        return [where, `${integer(length)} ${model.unit}${time}`];
    }

    function ofIteration({iterations, unit}, at) {
        const {number, name, names, start, end} = iterations;
        return [`iteration ${number[at]} · ${names[name[at]]}`, `${integer(start[at])} – ${integer(end[at])} ${unit}`];
    }

    /* The line of a bar of several names about the name of its colour; without busy time none has most of it. */
    function mostOf(part, at, name) {
        return part.mixed[at] && part.most[at] ? [`most: ${name}, ${part.most[at]}${THIN}% of the busy time`] : [];
    }

    /* The lines about the result of `bars.find`. */
    function linesOf(model, found) {
        if ("iteration" in found) {
            return ofIteration(model, found.iteration);
        }
        if ("counter" in found) {
            return parts.counters.linesOf(model, found);
        }
        const {part, at, row} = found;
        const begin = part.start[at];
        const length = part.end[at] - begin;
        const events = part.count[at] > 1 ? `${integer(part.count[at])} × ` : "";
        const name = part.names[part.name[at]];
        const shown = part.mixed[at] ? SEVERAL : name;
        const head = `${events}${PREFIXES[part.role] || ""}${shown} · ${model.rows.track[row]}`;
        /** @type {[number, number, number, number]} */
        const numbers = [begin, length, part.count[at], part.busy[at]];
        const times = model.named ? ofProfile(numbers) : ofCapture(model, numbers);
        return [head, ...mostOf(part, at, name), ...times];
    }

    parts.words = {linesOf, integer, seconds, duration};
})();
