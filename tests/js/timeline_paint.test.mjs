import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith, plain} from "./page.mjs";

const SCRIPTS = ["timeline_bytes.js", "timeline_bars.js", "timeline_layers.js", "timeline_paint.js"];
const WIDTH = 1000; // pixels of the plot for as many ticks

/* What is painted: `boxes` and `texts` with their place. */
function recorder() {
    const boxes = [];
    const texts = [];
    const nothing = () => {};
    const pen = new Proxy({fillRect: (x, y, width) => boxes.push([x, width]), fillText: (text, x) => texts.push([text, x])}, {
        get: (own, name) => own[name] ?? nothing,
        set: () => true,
    });
    return {pen, boxes, texts};
}

const view = {
    left: 0, right: WIDTH, rowPx: 17, x0: 0, y0: 0, width: WIDTH, height: 100, whole: [WIDTH, 100], perTick: 1, ratio: 2,
    y: (row) => 17 * row,
};

/* A part of one row with bars [start, end] of these names. */
function partOf(bars) {
    const one = (value) => bars.map(() => value);
    return {
        role: "kernel", lanes: [{row: 0, from: 0, to: bars.length}], names: bars.map(([, , name]) => name),
        start: bars.map(([start]) => start), end: bars.map(([, end]) => end), name: bars.map((_, at) => at),
        count: one(1), density: one(1), faded: one(0), colours: one("#111111"), inks: one("#ffffff"), copies: one(0),
    };
}

function painted(layers) {
    const page = pageWith(SCRIPTS, {atob, document: {body: null}, getComputedStyle: () => ({fontFamily: "serif"})});
    const {pen, boxes, texts} = recorder();
    const model = {named: true, look: {fade: 0.3}, rows: {y: [1], hatch: [""], track: ["a"]}, iterations: null};
    page.tilescope.timeline.paint.paint(pen, model, view, {tickvals: [], ticktext: null}, [layers]);
    return plain({boxes, texts});
}

const layer = (bars, span = [-Infinity, Infinity]) => {
    const part = partOf(bars);
    return {part, span, rowOf: null, faded: part.faded};
};

test("a name is in its own bar, and only where it has room", () => {
    const {boxes, texts} = painted([layer([[100, 110, "short"], [200, 400, "kernel"], [400, 450, "another name"]])]);
    assert.deepEqual(boxes, [[100, 10], [200, 200], [400, 50]]);
    assert.deepEqual(texts, [["kernel", 204], ["anoth…", 404]]);
});

test("a bar in two stretches of time is painted in both, with one name", () => {
    const bars = [[300, 700, "kernel"]];
    const {boxes, texts} = painted([layer(bars, [0, 500]), layer(bars, [500, 1000])]);
    assert.deepEqual(boxes, [[300, 200], [500, 200]]);
    assert.deepEqual(texts, [["kernel", 304]]);
});

test("a bar that begins left of the window has its name at the edge", () => {
    assert.deepEqual(painted([layer([[-500, 300, "kernel"]])]).texts, [["kernel", 4]]);
});
