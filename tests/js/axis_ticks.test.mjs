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

test("an axis that moves has as many labels as fit, as at rest", () => {
    const {tilescope} = pageWith(["axis_ticks.js", "timeline_words.js", "timeline_axis.js"]);
    const {axis} = tilescope.timeline;
    const bars = {unit: "cycles", clock: null};
    const range = [0, 2347481];
    const whole = axis.axisOf(bars, range);
    const {ticktext, tickvals} = axis.fitted(whole, range, 208);
    assert.ok(ticktext.length >= 2 && ticktext.length < whole.ticktext.length);
    assert.equal(ticktext.length, tickvals.length);
    const between = (tickvals[1] - tickvals[0]) / range[1] * 208;
    assert.ok(between > Math.max(...ticktext.map((text) => text.length)) * 11 * 0.6);
    assert.deepEqual(plain(axis.fitted(whole, range, 2000).tickvals), plain(whole.tickvals));
    // A layout that arrives with these labels keeps all of them.
    const layout = {margin: {l: 0, r: 0}, xaxis: {tickmode: "array", range, tickvals, ticktext}};
    assert.equal(tilescope.thinTicks(layout, 208), layout);
});
