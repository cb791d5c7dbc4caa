/* Formats of numbers in tables; the same rules as schema/rounding.py and components/numbers.py. */
(function () {
    "use strict";
    const THIN = "\u202f";
    const DASH = "–";
    const SUPERSCRIPTS = {"-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹"};
    const DIGITS = 3;
    /* `toFixed` writes the digits of numbers below this one only. */
    const MAX_PLAIN = 1e21;
    const [MIN_EXPONENT, MAX_EXPONENT] = [-6, 21];
    const MAX_ADDRESS = 2 ** 64;
    const BYTE_UNITS = {TiB: 2 ** 40, GiB: 2 ** 30, MiB: 2 ** 20, KiB: 2 ** 10};

    const tsMissing = (value) => (value ?? "") === "" || !Number.isFinite(Number(value));
    const grouped = (text) => text.replace(/\B(?=(\d{3})+(?!\d))/g, THIN);

    /* Halves go away from zero; a number that rounds to zero has no sign. */
    function fixed(number, decimals) {
        const text = number.toFixed(decimals);
        const [whole, fraction] = (/[1-9]/.test(text) ? text : text.replace("-", "")).split(".");
        return fraction === undefined ? grouped(whole) : grouped(whole) + "." + fraction;
    }

    /* A number times a power of ten, which may be beyond the range of numbers. */
    function scientific(number, power = 0) {
        const [mantissa, exponent] = number.toExponential(DIGITS - 1).split("e");
        const written = String(Number(exponent) + power).replace(/./g, (digit) => SUPERSCRIPTS[digit]);
        return `${mantissa}${THIN}×${THIN}10${written}`;
    }

    function tsInteger(value) {
        if (tsMissing(value)) {
            return DASH;
        }
        const number = Number(value);
        return Math.abs(number) < MAX_PLAIN ? fixed(number, 0) : scientific(number);
    }

    function tsSignificant(value) {
        if (tsMissing(value)) {
            return DASH;
        }
        const number = Number(value);
        if (number === 0) {
            return "0";
        }
        const exponent = Number(number.toExponential(DIGITS - 1).split("e")[1]);
        const isPlain = exponent >= MIN_EXPONENT && exponent < MAX_EXPONENT;
        return isPlain ? fixed(number, Math.max(0, DIGITS - 1 - exponent)) : scientific(number);
    }

    function tsPercent(value) {
        if (tsMissing(value)) {
            return DASH;
        }
        const number = Number(value);
        return (Math.abs(number) < MAX_PLAIN / 100 ? fixed(number * 100, 1) : scientific(number, 2)) + THIN + "%";
    }

    function tsBytes(value) {
        if (tsMissing(value)) {
            return DASH;
        }
        const number = Number(value);
        for (const [unit, size] of Object.entries(BYTE_UNITS)) {
            if (Math.abs(number) >= size) {
                return tsSignificant(number / size) + THIN + unit;
            }
        }
        return tsInteger(number) + THIN + "B";
    }

    /* Numbers beyond 64 bits are not addresses: they are written like other numbers. */
    function tsHex(value) {
        if (tsMissing(value)) {
            return DASH;
        }
        const number = Number(value);
        return Math.abs(number) < MAX_ADDRESS ? "0x" + Math.trunc(number).toString(16) : tsInteger(number);
    }

    /* A whole number with all of its digits, another one with those that tell it from every other number. */
    function tsExact(value, unit) {
        if (tsMissing(value)) {
            return null;
        }
        const number = Number(value);
        const text = String(number);
        const [whole, fraction] = text.split(".");
        const suffix = unit ? THIN + unit : "";
        if (fraction !== undefined && !text.includes("e")) {
            return grouped(whole) + "." + fraction + suffix;
        }
        return (Number.isInteger(number) ? tsInteger(number) : tsSignificant(number)) + suffix;
    }

    /* The text of a change, with the sign in front that people compare by: +4.2 %, −5.41 µs. */
    function tsSigned(value, text) {
        const sign = Number(value) > 0 ? "+" : Number(value) < 0 ? "−" : "";
        return tsMissing(value) ? DASH : sign + text.replace(/^-/, "");
    }

    const tsYesNo = (value) => (value === null || value === undefined ? DASH : value ? "yes" : "no");
    const tsText = (value) => (value === null || value === undefined || value === "" ? DASH : String(value));

    window.dashAgGridFunctions = Object.assign(window.dashAgGridFunctions || {}, {
        tsMissing, tsInteger, tsSignificant, tsPercent, tsBytes, tsHex, tsExact, tsSigned, tsYesNo, tsText,
    });
})();
