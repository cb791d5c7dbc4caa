import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith} from "./page.mjs";

const {dashAgGridFunctions: formats} = pageWith(["dashAgGridFunctions.js"]);
const THIN = "\u202f";

function check(format, cases) {
    for (const [value, text] of cases) {
        assert.equal(format(value), text.replaceAll(" ", THIN), String(value));
    }
}

test("integers are grouped by three digits, and halves go away from zero", () => {
    check(formats.tsInteger, [[0, "0"], [-0, "0"], [999, "999"], [1234567, "1 234 567"], [2.5, "3"], [-2.5, "-3"]]);
});

test("three significant digits, as powers of ten only outside 10^-6 to 10^21", () => {
    check(formats.tsSignificant, [
        [0, "0"], [1, "1.00"], [12.345, "12.3"], [1234.5, "1 235"], [1e-6, "0.00000100"],
        [5e-324, "4.94 × 10⁻³²⁴"], [1.7976931348623157e308, "1.80 × 10³⁰⁸"],
    ]);
});

test("bytes have the largest binary unit that they reach", () => {
    check(formats.tsBytes, [
        [0, "0 B"], [1023, "1 023 B"], [1024, "1.00 KiB"], [-(2 ** 20), "-1.00 MiB"], [2 ** 30, "1.00 GiB"],
        [2 ** 41, "2.00 TiB"],
    ]);
});

test("addresses have 64 bits at most", () => {
    check(formats.tsHex, [[255, "0xff"], [2 ** 63, "0x8000000000000000"], [2 ** 64, "18 446 744 073 709 551 616"]]);
});

test("a missing value is a dash in every format", () => {
    for (const name of ["tsInteger", "tsSignificant", "tsPercent", "tsBytes", "tsHex", "tsYesNo"]) {
        assert.equal(formats[name](null), "–", name);
    }
});

test("a change has its sign in front, also a positive one, and zero has none", () => {
    const signed = (value) => formats.tsSigned(value, formats.tsPercent(value));
    check(signed, [[0.042, "+4.2 %"], [-0.053, "−5.3 %"], [0, "0.0 %"], [null, "–"]]);
});
