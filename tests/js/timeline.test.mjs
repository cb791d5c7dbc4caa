import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith, plain} from "./page.mjs";

const {timeline} = pageWith(
    [
        "timeline_bytes.js", "timeline_bars.js", "timeline_layers.js", "timeline_words.js", "timeline_axis.js",
        "timeline_window.js",
    ],
    {atob},
).tilescope;
const THIN = "\u202f";
const spaced = (text) => text.replaceAll("_", THIN);
const packed = (...bytes) => btoa(String.fromCharCode(...bytes));

/* Two rows: two bars of one event in the first, one of three events in the second; times count from 1000. */
function model(changes = {}) {
    const part = {
        role: "event", beside: false, lanes: [[0, 2], [1, 1]], names: ["a", "b"],
        colours: ["#111111", "#222222"], inks: ["#ffffff", "#ffffff"], copies: [0, 0], codes: [1, 2],
        gap: packed(5, 10, 7), length: packed(4, 6, 100), name: packed(0, 0, 1), count: packed(1, 1, 3),
        busy: packed(50), mixed: packed(4), most: packed(62), faded: packed(2), faintest: 0.4, ...changes,
    };
    const rows = {y: [1.4, 2.4], track: ["core 2,1", "core 3,1"], hatch: ["", ""]};
    const look = {fade: 0.33};
    return timeline.bars.build({origin: 1000, rows, look, unit: "cycles", clock: 1e9, parts: [part], iterations: null});
}

test("a number goes on while its bytes have the highest bit", () => {
    assert.deepEqual([...timeline.packed.numbers(packed(5, 0x80, 1, 0xff, 0x7f))], [5, 128, 16383]);
    const far = packed(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 8);
    assert.deepEqual([...timeline.packed.numbers(far)], [2 ** 52]);
    assert.deepEqual([...timeline.packed.numbers("")], []);
});

test("flags without a text are unset", () => {
    assert.deepEqual([...timeline.packed.flags(packed(5), 4)], [1, 0, 1, 0]);
    assert.deepEqual([...timeline.packed.flags("", 2)], [0, 0]);
});

test("gaps count from the bar before in the same row", () => {
    const [part] = model().parts;
    assert.deepEqual([...part.start], [1005, 1015, 1007]);
    assert.deepEqual([...part.end], [1009, 1021, 1107]);
    assert.deepEqual([...part.busy], [4, 6, 50]);
    assert.deepEqual([...part.faded], [0, 1, 0]);
    assert.deepEqual([...part.density].map((one) => Math.round(100 * one)), [100, 100, 70]);
});

test("a point finds the bar of its row, and one that is at most the slack away", () => {
    const bars = model();
    const at = (time, y, slack = 0) => timeline.bars.find(bars, time, y, slack)?.at ?? null;
    assert.deepEqual([at(1006, 1.4), at(1016, 1.6), at(1012, 1.4), at(1012, 1.4, 3), at(1100, 2.4), at(1006, 5)],
        [0, 1, null, 0, 2, null]);
});

test("bars beside the window are not found", () => {
    assert.equal(timeline.bars.find(model({beside: true}), 1006, 1.4, 0), null);
});

test("the card has name, place, times and length", () => {
    const bars = model();
    const lines = (time, y) => plain(timeline.words.linesOf(bars, timeline.bars.find(bars, time, y, 0)));
    assert.deepEqual(lines(1006, 1.4), ["a · core 2,1", spaced("1_005 – 1_009 cycles"), spaced("4 cycles · 4.00_ns")]);
    assert.deepEqual(lines(1100, 2.4),
        ["3 × several names · core 3,1", spaced("most: b, 62_% of the busy time"),
            spaced("1_007 – 1_107 cycles"), "busy 50 of 100 cycles"]);
});

test("a merged bar of one name has that name, and one without busy time has no name with most of it", () => {
    const cardOf = (changes) => {
        const bars = model(changes);
        return plain(timeline.words.linesOf(bars, timeline.bars.find(bars, 1100, 2.4, 0)));
    };
    const times = [spaced("1_007 – 1_107 cycles"), "busy 50 of 100 cycles"];
    assert.deepEqual(cardOf({mixed: "", most: ""}), ["3 × b · core 3,1", ...times]);
    assert.deepEqual(cardOf({most: packed(0)}), ["3 × several names · core 3,1", ...times]);
});

test("durations have one to three digits before the point", () => {
    const cases = [[640, "640_ns"], [5200, "5.20_µs"], [999_960, "1.00_ms"], [1.5e9, "1.50_s"], [1234e9, "1_234_s"]];
    for (const [value, text] of cases) {
        assert.equal(timeline.words.duration(value), spaced(text));
    }
});

test("keys zoom around the middle and move by a quarter, within the run", () => {
    const {pressed} = timeline.window;
    const run = [0, 1000];
    assert.deepEqual(plain(pressed([0, 1000], run, "w")), [250, 750]);
    assert.deepEqual(plain(pressed([250, 750], run, "s")), run);
    assert.deepEqual(plain(pressed([250, 750], run, "d")), [375, 875]);
    assert.deepEqual(plain(pressed([600, 1000], run, "d")), [600, 1000]);
    assert.deepEqual(plain(pressed([100, 500], run, "a")), [0, 400]);
    assert.deepEqual(plain(pressed([500, 512], run, "w")), [501, 511]);
    assert.deepEqual(plain(pressed([0, 5], [0, 5], "w")), [0, 5]);
});

test("keys zoom at the pointer, and arrows move as a and d do", () => {
    const {pressed, isKey} = timeline.window;
    assert.deepEqual(plain(pressed([0, 1000], [0, 1000], "w", 0.8)), [400, 900]);
    assert.deepEqual(plain(pressed([400, 900], [0, 1000], "s", 0.8)), [0, 1000]);
    assert.deepEqual(plain(pressed([250, 750], [0, 1000], "ArrowRight")), [375, 875]);
    assert.deepEqual(plain(pressed([250, 750], [0, 1000], "ArrowLeft")), [125, 625]);
    assert.deepEqual(["w", "a", "s", "d", "ArrowLeft", "ArrowRight", "f", "ArrowUp"].map(isKey),
        [true, true, true, true, true, true, false, false]);
});

test("the wheel keeps the time at the pointer where it is", () => {
    const {wheeled} = timeline.window;
    assert.deepEqual(plain(wheeled([0, 1000], [0, 1000], -300, 800)), [400, 900]);
    assert.deepEqual(plain(wheeled([400, 900], [0, 1000], 300, 800)), [0, 1000]);
});

test("ticks of nanoseconds are round, in one unit", () => {
    const {tickvals, ticktext, title} = timeline.axis.axisOf({unit: "ns"}, [576050, 1728151]);
    assert.deepEqual(plain(tickvals), [600000, 800000, 1000000, 1200000, 1400000, 1600000]);
    assert.equal(ticktext[2], spaced("1.0_ms"));
    assert.equal(title, spaced("1.15_ms in view"));
});

test("late ticks count from a round time that the title has", () => {
    const begin = 3_600_000_000_000;
    const {ticktext, title} = timeline.axis.axisOf({unit: "ns"}, [begin + 10, begin + 60]);
    assert.deepEqual(plain(ticktext).slice(0, 2), [spaced("+10_ns"), spaced("+15_ns")]);
    assert.equal(title, spaced("from 3_600_s · 50.0_ns in view"));
});

test("ticks of a clock have its unit and the time in view", () => {
    const {ticktext, title} = timeline.axis.axisOf({unit: "cycles", clock: 1e9}, [0, 100000]);
    assert.deepEqual(plain(ticktext).slice(0, 2), ["0", spaced("10_000")]);
    assert.equal(title, spaced("cycles · 100_000 in view = 100_µs"));
});
