import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith, plain} from "./page.mjs";

const SCRIPTS = ["timeline_bytes.js", "timeline_bars.js", "timeline_layers.js", "timeline_paint.js"];
const WIDTH = 1000; // pixels of the plot for as many ticks
const CHARACTER = 6; // pixels

/* What is painted: `boxes` and `texts` with their place. */
function recorder() {
    const boxes = [];
    const texts = [];
    const colours = [];
    const nothing = () => {};
    const own = {
        fillRect: (x, y, width) => { boxes.push([x, width]); colours.push(own.fillStyle); },
        fillText: (text, x) => texts.push([text, x]),
        measureText: (text) => ({width: CHARACTER * text.length}),
    };
    const pen = new Proxy(own, {get: (_, name) => own[name] ?? nothing});
    return {pen, boxes, texts, colours};
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
    const {pen, boxes, texts, colours} = recorder();
    const model = {named: true, look: {fade: 0.3}, rows: {y: [1], hatch: [""], track: ["a"]}, iterations: null};
    page.tilescope.timeline.paint.paint(pen, model, view, {tickvals: [], ticktext: null}, [layers]);
    return plain({boxes, texts, colours});
}

test("a merged bar of several names has the colour of the name that the server chose, and no name", () => {
    const packed = (...bytes) => btoa(String.fromCharCode(...bytes));
    const {timeline} = pageWith(SCRIPTS, {atob}).tilescope;
    const part = timeline.bars.partOf({
        role: "event", lanes: [[0, 3]], names: ["a", "b"], codes: [1, 2], colours: ["#aa0000", "#0000bb"],
        inks: ["#ffffff", "#ffffff"], copies: [0, 0], gap: packed(0, 100, 100), length: packed(90, 90, 90),
        name: packed(0, 1, 0), count: packed(7, 7, 1), busy: packed(80, 40), mixed: packed(3), most: packed(60, 51),
        faded: "", faintest: 0.4,
    }, 0);
    const {colours, texts} = painted([{part, span: [-Infinity, Infinity], rowOf: null, faded: part.faded}]);
    assert.deepEqual(colours, ["#aa0000", "#0000bb", "#aa0000"]);
    assert.deepEqual(texts.map(([text]) => text), ["a"]);
});

const layer = (bars, span = [-Infinity, Infinity]) => {
    const part = partOf(bars);
    return {part, span, rowOf: null, faded: part.faded};
};

test("a name is in its own bar, and only where it has room", () => {
    const {boxes, texts} = painted([layer([[100, 110, "short"], [200, 400, "kernel"], [400, 450, "another name"]])]);
    assert.deepEqual(boxes, [[100, 10], [200, 200], [400, 50]]);
    assert.deepEqual(texts, [["kernel", 204], ["anothe…", 404]]);
});

test("a whole name is in a bar that it fills, and a cut name has at least two characters", () => {
    const bars = [[0, 40, "main"], [100, 128, "main"], [200, 227, "main"], [300, 322, "main"], [400, 421, "main"]];
    assert.deepEqual(painted([layer(bars)]).texts, [["main", 4], ["main", 102], ["ma…", 204], ["ma…", 302]]);
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
