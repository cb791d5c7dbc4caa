import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith, plain} from "./page.mjs";

const packed = (...bytes) => btoa(String.fromCharCode(...bytes));
const FULL = [255, 255, 3]; // 65,535 of seven bits a byte
const {timeline: {bars, counters}} = pageWith(
    ["timeline_bytes.js", "timeline_bars.js", "timeline_counters.js", "timeline_words.js"], {atob}).tilescope;
const LANE = {name: "GPU 0 allocated", unit: "bytes", colour: "#111111", y: 5, size: 2, low: 0, high: 4096};

/* A model whose counter is 0 from 10 and between 0 and its highest from 30. */
function modelOf() {
    const values = {gap: packed(10, 20), low: packed(0, 0), high: packed(0, ...FULL)};
    const record = {
        parts: [], iterations: null, origin: 0, window: [0, 100], look: {grid: "#eeeeee"}, rows: {y: [1]},
        counters: [{...LANE, values}],
    };
    return bars.build(record);
}

test("a counter has the values of its stretch, and none before its first", () => {
    const model = modelOf();
    const at = (time) => plain(counters.find(model, time, 5, null));
    assert.deepEqual(at(5), null);
    assert.deepEqual(at(12), {counter: 0, low: 0, high: 0});
    assert.deepEqual(at(99), {counter: 0, low: 0, high: 4096});
    assert.equal(counters.find(model, 50, 3.5, null), null);
});

test("values of a tile hold in its stretch of time, those of the figure elsewhere", () => {
    const tile = {counters: [counters.valuesOf({gap: packed(0), low: packed(...FULL), high: ""}, 0)]};
    const stretches = [{span: [0, 50], tile}, {span: [50, 100], tile: null}];
    assert.equal(counters.find(modelOf(), 5, 5, stretches).low, 4096);
    assert.equal(counters.find(modelOf(), 60, 5, stretches).low, 0);
});

test("a value has three digits and its unit", () => {
    const text = (...value) => counters.valueText(...value).replaceAll("\u202f", " ");
    assert.deepEqual(
        [text(0, "bytes"), text(5.5 * 2 ** 20, "bytes"), text(11.74e9, "bytes/s"), text(2048, "bytes/s"), text(2.99997, "executions"),
            text(-0.01234, ""), text(123456, "")],
        ["0 B", "5.5 MiB", "11.7 GB/s", "2.05 kB/s", "3 executions", "−0.0123", "123 456"]);
    assert.deepEqual(plain(counters.linesOf(modelOf(), {counter: 0, low: 0, high: 4096})).map((line) =>
        line.replaceAll("\u202f", " ")), ["GPU 0 allocated", "0 B to 4 KiB"]);
});

test("painted values stay in their lane and in the view", () => {
    const boxes = [];
    const pen = {fillRect: (...box) => boxes.push(box)};
    const view = {left: 20, right: 60, perTick: 10, width: 400, y: (row) => 20 * row};
    counters.paint(pen, modelOf(), view, null);
    assert.ok(boxes.length >= 5);
    for (const [x, top, width, height] of boxes) {
        assert.ok(x >= 0 && x + width <= view.width + 1e-9);
        assert.ok(top >= 80 && top + height <= 120 + 1);
    }
});
