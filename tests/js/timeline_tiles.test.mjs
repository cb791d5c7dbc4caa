import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith, plain} from "./page.mjs";

const packed = (...bytes) => btoa(String.fromCharCode(...bytes));
const EXTENT = [0, 1024];

/* A part with a bar in each row, of which the number is given; times count from 0. */
function partOf(rows, start, {role = "event", count = 1, names = ["a"], codes = [1], length = 10, mixed = false} = {}) {
    return {
        role, beside: false, lanes: rows.map((row) => [row, 1]), names, codes,
        colours: names.map(() => "#111111"), inks: names.map(() => "#ffffff"), copies: names.map(() => 0),
        gap: packed(...rows.map(() => start)), length: packed(...rows.map(() => length)),
        name: packed(...rows.map(() => 0)), count: packed(...rows.map(() => count)),
        busy: count > 1 ? packed(...rows.map(() => 1)) : "", mixed: mixed ? packed(255) : "",
        most: mixed ? packed(...rows.map(() => 60)) : "", faded: "", faintest: 0.4,
    };
}

const FADING = {track: null, kind: null, duration: null, focused: false, named: ""};

/* A page with the tiles that `texts` has by their place, others are empty, and none if it is null; requests wait until
   `arrive`. */
function pageOf(texts) {
    const requests = [];
    const drawn = [];
    const fetch = (address, {signal}) => new Promise((resolve, reject) => {
        const place = address.split("/").slice(-2).join("/");
        signal.addEventListener("abort", () => reject(new Error("aborted")));
        requests.push({place, signal, arrive: () => resolve({ok: Boolean(texts), status: texts ? 200 : 404,
            text: async () => JSON.stringify({origin: 0, exact: false, parts: [], ...texts[place]})})});
    });
    const page = pageWith(
        ["timeline_bytes.js", "timeline_bars.js", "timeline_fading.js", "timeline_layers.js", "timeline_tiles.js"],
        {atob, fetch, AbortController},
    );
    const {timeline} = page.tilescope;
    timeline.page = {redraw: () => drawn.push(requests.length)};
    const model = (changes = {}) => timeline.bars.build({
        origin: 0, extent: EXTENT, window: EXTENT, look: {fade: 0.33}, unit: "cycles", clock: null, iterations: null,
        rows: {y: [1, 2], track: ["core 2,1", "core 3,1"], hatch: ["", ""]}, fading: FADING,
        tiles: {address: "/timeline/r", rows: [4, 7]}, parts: [partOf([0, 1], 100)], ...changes,
    });
    const places = () => requests.filter(({signal}) => !signal.aborted).map(({place}) => place);
    const settled = () => new Promise((resolve) => setTimeout(resolve));
    const arrive = async () => {
        const sent = requests.splice(0);
        sent.forEach((one) => one.arrive());
        await settled();
    };
    return {timeline, requests, drawn, model, places, arrive};
}

const texts = (...places) => Object.fromEntries(places.map((place) => [place, {parts: [partOf([4, 7], 20)]}]));

test("a level has tiles that are at most as wide as the window", () => {
    const {timeline: {tiles}} = pageOf({});
    assert.deepEqual([1024, 1023, 512, 300, 1, 0].map((width) => tiles.levelOf(EXTENT, width)), [0, 1, 1, 2, 10, 10]);
    assert.deepEqual(plain(tiles.placesIn(EXTENT, 2, 200, 600)), [[2, 0], [2, 1], [2, 2]]);
    assert.deepEqual(plain(tiles.placesIn(EXTENT, 2, -500, 2000)).length, 4);
});

test("the whole run is loaded first where nothing is there, then what is in view, then its neighbours", async () => {
    const all = texts("0/0", "2/0", "2/1", "2/2", "2/3");
    const {timeline, model, places, arrive} = pageOf(all);
    timeline.tiles.want(model(), [300, 556]);
    assert.deepEqual(places(), ["0/0", "2/1", "2/2", "2/0"]);
    await arrive();
    assert.deepEqual(places(), ["2/3"]);
});

test("what is no longer near the window is not waited for", () => {
    const {timeline, model, requests, places} = pageOf({});
    timeline.tiles.want(model(), [0, 100]);
    const [, near] = requests;
    timeline.tiles.want(model(), [900, 1000]);
    assert.ok(near.signal.aborted);
    assert.ok(places().every((place) => place === "0/0" || Number(place.split("/")[1]) > 8));
});

test("at most four requests are under way", () => {
    const {timeline, model, places} = pageOf({});
    timeline.tiles.want(model(), [400, 460]);
    assert.equal(places().length, 4);
});

test("an address without a tile is not requested again", async () => {
    const {timeline, model, places, arrive} = pageOf(null);
    timeline.tiles.want(model(), [0, 100]);
    await arrive();
    timeline.tiles.want(model(), [200, 300]);
    assert.deepEqual(places(), []);
});

test("a coarser tile stands in, and one without merged bars is as good as a finer one", async () => {
    const {timeline, model, places, arrive} = pageOf({"0/0": {exact: false}, "1/0": {exact: true}, "1/1": {exact: false}});
    const bars = model();
    timeline.tiles.want(bars, [0, 512]);
    await arrive();
    const view = (left, right) => plain(timeline.tiles.stretches(bars, [left, right]).map((one) => [one.width, one.isFine]));
    assert.deepEqual(view(0, 256), [[512, true]]);
    assert.deepEqual(view(512, 768), [[512, false]]);
    timeline.tiles.want(bars, [0, 100]);
    assert.deepEqual(places(), []);
});

test("tiles that were not seen for long are dropped", async () => {
    const {timeline, model, places, arrive} = pageOf({});
    const bars = model();
    for (let at = 0; at < 256; at += 2) {
        timeline.tiles.want(bars, [4 * at, 4 * at + 4]);
        await arrive();
        await arrive();
    }
    timeline.tiles.want(bars, [1020, 1024]);
    assert.deepEqual(places(), []);
    timeline.tiles.want(bars, [0, 4]);
    assert.ok(places().includes("8/0"));
});

/* What is painted: [role, number of bars, is it of a tile] of each layer. */
const painted = (timeline, bars, left, right) => plain(timeline.layers.of(bars, {left, right}).groups.flat().map(
    ({part, rowOf}) => [part.role, part.start.length, Boolean(rowOf)]));

test("at rest the figure's bars are painted, else tiles, and highlighted bars always", async () => {
    const {timeline, model, arrive} = pageOf(texts("0/0", "1/0", "1/1"));
    const bars = model({parts: [partOf([0], 1), partOf([1], 1, {role: "named"})]});
    assert.deepEqual(painted(timeline, bars, 0, 512), [["event", 1, false], ["named", 1, false]]);
    timeline.tiles.want(bars, [0, 512]);
    await arrive();
    assert.deepEqual(painted(timeline, bars, 0, 512), [["event", 2, true], ["named", 1, false]]);
    assert.deepEqual(painted(timeline, bars, 0, 1024), [["event", 1, false], ["named", 1, false]]);
});

test("the figure's bars stay where they are finer than the tile that is there", async () => {
    const {timeline, model, arrive} = pageOf(texts("0/0"));
    const bars = model({window: [100, 200]});
    timeline.tiles.want(bars, [0, 1024]);
    await arrive();
    assert.deepEqual(painted(timeline, bars, 128, 160), [["event", 2, false]]);
    assert.deepEqual(painted(timeline, bars, 704, 736), [["event", 2, true]]);
});

test("rows that tiles lack are those of the figure", async () => {
    const {timeline, model, arrive} = pageOf(texts("0/0", "1/0"));
    const bars = model({tiles: {address: "/timeline/r", rows: [4, -1]}});
    timeline.tiles.want(bars, [0, 512]);
    await arrive();
    const {groups} = timeline.layers.of(bars, {left: 0, right: 512});
    assert.deepEqual(plain(groups.flat().map(({part}) => part.lanes.map(({row}) => row))), [[4, 7], [1]]);
    const find = (y) => timeline.bars.find(bars, 25, y, 0, groups.flat())?.row ?? null;
    assert.deepEqual([find(1), find(2)], [0, null]);
});

test("bars of tiles outside of the selection are faded", () => {
    const {timeline, model} = pageOf({});
    const part = timeline.bars.partOf(partOf([4, 7], 20, {role: "kernel", names: ["GEMM"]}), 0);
    const fadedFor = (fading) => [...timeline.fading.fadedOf(part, model({fading: {...FADING, ...fading}}))];
    assert.deepEqual(fadedFor({}), [0, 0]);
    assert.deepEqual(fadedFor({track: "core 3,1"}), [1, 0]);
    assert.deepEqual([fadedFor({kind: "GEMM"}), fadedFor({kind: "ADD"})], [[0, 0], [1, 1]]);
    assert.deepEqual([fadedFor({duration: [10, 11]}), fadedFor({duration: [11, 12]})], [[0, 0], [1, 1]]);
    assert.deepEqual(fadedFor({focused: true}), [1, 1]);
    const events = timeline.bars.partOf(partOf([4, 7], 20, {names: ["b"], codes: [2]}), 0);
    const searched = (named) => [...timeline.fading.fadedOf(events, model({fading: {...FADING, focused: true, named}}))];
    assert.deepEqual([searched(packed(2)), searched(packed(1))], [[0, 0], [1, 1]]);
    const several = timeline.bars.partOf(partOf([4], 20, {role: "kernel", names: ["GEMM"], count: 3, mixed: true}), 0);
    assert.deepEqual([...timeline.fading.fadedOf(several, model({fading: {...FADING, kind: "ADD", duration: [1, 2]}}))], [0]);
});

test("tiles of a comparison are moved to its zero point, and those of other settings are others", async () => {
    const {timeline, model, requests, arrive} = pageOf(texts("0/0"));
    const extent = EXTENT.map((time) => time - 300);
    const moved = model({extent, tiles: {address: "/timeline/r", shift: -300, rows: [4, 7]}});
    timeline.tiles.want(moved, extent);
    await arrive();
    const [{tile}] = timeline.tiles.stretches(moved, extent);
    assert.equal(tile.parts[0].start[0], 20 - 300);
    const tileOf = (tiles) => timeline.tiles.stretches(model({tiles}), EXTENT)[0].tile ?? null;
    assert.equal(tileOf({address: "/timeline/r", shift: 0, rows: [4, 7]}), null);
    assert.equal(tileOf({address: "/timeline/other", shift: -300, rows: [4, 7]}), null);
    assert.deepEqual(requests, []);
});
