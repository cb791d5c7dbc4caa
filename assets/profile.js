/* Grids of kernels: texts of their cells; the same rules as components/numbers.py. */
(function () {
    "use strict";
    const THIN = "\u202f";
    const DASH = "–";
    const TIMES = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"], [1e-3, "ps"]];
    const PREFIXES = [[1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
    const missing = (value) => window.dashAgGridFunctions.tsMissing(value);
    const significant = (value) => window.dashAgGridFunctions.tsSignificant(value);
    const integer = (value) => window.dashAgGridFunctions.tsInteger(value);

    /* The largest unit that leaves a digit before the point, of a number as it is shown: 999.7 is 1.00 k. */
    function scaled(value, units) {
        const number = Number(value);
        const rounded = Math.abs(Number(number.toPrecision(3)));
        const [scale, unit] = units.find(([least]) => rounded >= least) || units[units.length - 1];
        return [significant(number / scale), unit];
    }

    const small = (value) => Number.isInteger(Number(value)) && Math.abs(Number(value)) < 1000;

    function tsDuration(nanoseconds) {
        if (missing(nanoseconds)) {
            return DASH;
        }
        return small(nanoseconds) ? integer(nanoseconds) + THIN + "ns" : scaled(nanoseconds, TIMES).join(THIN);
    }

    function tsRate(value, unit) {
        if (missing(value)) {
            return DASH;
        }
        const [number, prefix] = small(value) ? [integer(value), ""] : scaled(value, PREFIXES);
        return number + THIN + prefix + unit;
    }

    const tsTimes = (value) => (missing(value) ? DASH : significant(value) + THIN + "×");
    const tsWhole = (value, unit, why) => (missing(value) ? why || null : integer(value) + THIN + unit);

    /* A name in pieces of text and the class of their colour. */
    function KernelName(props) {
        const piece = ([text, style], at) => React.createElement("span", {key: at, className: style}, text);
        return React.createElement("bdi", null, (props.data.pieces || [[props.value, ""]]).map(piece));
    }

    window.dashAgGridFunctions = Object.assign(window.dashAgGridFunctions || {}, {
        tsDuration, tsRate, tsTimes, tsWhole,
    });
    window.dashAgGridComponentFunctions = Object.assign(window.dashAgGridComponentFunctions || {}, {KernelName});
})();
