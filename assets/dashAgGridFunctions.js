/* How numbers read in tables; the same rules as components/numbers.py. */
(function () {
    "use strict";
    const THIN = "\u2009";
    const DASH = "–";

    const missing = (value) => value === null || value === undefined || value === "" || Number.isNaN(Number(value));
    const grouped = (text) => text.replace(/\B(?=(\d{3})+(?!\d))/g, THIN);

    /* Halves go away from zero, as in Python's `significant`. */
    function fixed(number, decimals) {
        const [whole, fraction] = number.toFixed(decimals).split(".");
        return fraction === undefined ? grouped(whole) : grouped(whole) + "." + fraction;
    }

    function tsInteger(value) {
        return missing(value) ? DASH : grouped(Math.round(Number(value)).toFixed(0));
    }

    function tsSignificant(value) {
        if (missing(value)) {
            return DASH;
        }
        const number = Number(value);
        if (number === 0) {
            return "0";
        }
        const rounded = Math.abs(Number(number.toPrecision(3)));
        return fixed(number, Math.min(100, Math.max(0, 2 - Math.floor(Math.log10(rounded)))));
    }

    function tsPercent(value) {
        return missing(value) ? DASH : fixed(Number(value) * 100, 1) + THIN + "%";
    }

    function tsBytes(value) {
        if (missing(value)) {
            return DASH;
        }
        const number = Number(value);
        for (const [scale, unit] of [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]) {
            if (Math.abs(number) >= scale) {
                return tsSignificant(number / scale) + THIN + unit;
            }
        }
        return tsInteger(number) + THIN + "B";
    }

    const tsHex = (value) => (missing(value) ? DASH : "0x" + Number(value).toString(16));
    const tsYesNo = (value) => (value === null || value === undefined ? DASH : value ? "yes" : "no");
    const tsText = (value) => (value === null || value === undefined || value === "" ? DASH : String(value));

    window.dashAgGridFunctions = Object.assign(window.dashAgGridFunctions || {}, {
        tsInteger, tsSignificant, tsPercent, tsBytes, tsHex, tsYesNo, tsText,
    });
})();
