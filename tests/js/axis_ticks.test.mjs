import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith, plain} from "./page.mjs";

const {thinTicks} = pageWith(["axis_ticks.js"]).tilescope;

/* The layout of an axis over steps 0 to 3 000 with a label every 200 steps. */
function layout(more = {}) {
    const steps = Array.from({length: 15}, (_, rank) => rank * 200);
    return {
        margin: {l: 84, r: 12},
        xaxis: {
            tickmode: "array", tickangle: 0, range: [0, 3000], tickfont: {size: 11},
            tickvals: steps.map((step) => step + 0.5), ticktext: steps.map(String), ...more,
        },
    };
}

test("labels that have room stay", () => {
    const wide = layout();
    assert.equal(thinTicks(wide, 1400), wide);
});

test("on a narrow page every second, fifth ... label is left, counted from 0", () => {
    const narrow = plain(thinTicks(layout(), 376).xaxis);
    assert.deepEqual(narrow.ticktext, ["0", "400", "800", "1200", "1600", "2000", "2400", "2800"]);
    assert.deepEqual(narrow.tickvals, narrow.ticktext.map((text) => Number(text) + 0.5));
    assert.deepEqual(plain(thinTicks(layout(), 200).xaxis).ticktext, ["0", "1000", "2000"]);
});

test("turned labels and labels that plotly chooses stay", () => {
    for (const more of [{tickangle: -50}, {tickmode: "auto"}]) {
        const other = layout(more);
        assert.equal(thinTicks(other, 376), other);
    }
});
