/* The order in which the plots of a page are drawn: those in sight, timelines, then the nearest. */
import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith} from "./page.mjs";

/* A channel that ends with its message: an open one keeps the process of the test alive. */
class Channel {
    port1 = {onmessage: () => {}};

    port2 = {postMessage: () => setImmediate(() => this.port1.onmessage())};
}

/* A page of 900 px that draws plots, and the names of the plots that were drawn. */
function drawingPage() {
    const drawn = [];
    const page = pageWith(["plots.js"], {
        MessageChannel: Channel,
        innerHeight: 900,
        document: {hidden: true},
        matchMedia: () => ({matches: false, addEventListener: () => {}}),
        Plotly: {react: (plot) => {
            drawn.push(plot.name);
            return Promise.resolve(plot);
        }},
    });
    Object.assign(page.tilescope, {
        thinTicks: (layout) => layout,
        keepTextsApart: () => {},
        mapZoom: {drawn: () => {}, still: () => Promise.resolve()},
        timeline: {
            page: {held: (figure) => figure},
            layer: {attach: () => {}},
            hand: {still: () => Promise.resolve()},
        },
    });
    return {page, drawn};
}

const plot = (name, top) => ({name, isConnected: true, getBoundingClientRect: () => ({top, bottom: top + 100})});
const figure = (...lengths) => ({data: lengths.map((length) => ({x: Array(length).fill(0)}))});

test("a curve in sight is drawn before a map of many blocks, and both before what is far", async () => {
    const {page, drawn} = drawingPage();
    await Promise.resolve();
    page.Plotly.react(plot("first", 0), figure(1));
    const bytes = {data: [{y: {bdata: "A".repeat(800), dtype: "f8"}}]};
    const given = [["far", 5000, figure(2)], ["map", 100, figure(3000, 500)], ["bytes", 300, bytes],
        ["curve", 200, figure(20, 30)]];
    given.forEach(([name, top, one]) => page.Plotly.react(plot(name, top), one));
    await page.tilescope.plotsDrawn();
    assert.deepEqual(drawn.filter((name) => name !== "first"), ["curve", "bytes", "map", "far"]);
});

test("a timeline in sight is drawn first, whatever marks plotly has to draw", async () => {
    const {page, drawn} = drawingPage();
    await Promise.resolve();
    const timeline = {...figure(4000), layout: {meta: {bars: {}}}};
    const given = [["strip", 100, figure(400)], ["timeline", 200, timeline], ["curve", 300, figure(2)],
        ["far timeline", 5000, timeline]];
    given.forEach(([name, top, one]) => page.Plotly.react(plot(name, top), one));
    await page.tilescope.plotsDrawn();
    assert.deepEqual(drawn, ["timeline", "curve", "strip", "far timeline"]);
});

test("a timeline below what is in sight is drawn before other plots there, however little of them is seen", async () => {
    const {page, drawn} = drawingPage();
    await Promise.resolve();
    const timeline = {...figure(4000), layout: {meta: {bars: {}}}};
    const given = [["edge", 880, figure(2)], ["below", 1000, figure(2)], ["timeline", 1400, timeline],
        ["mostly", 840, figure(900)]];
    given.forEach(([name, top, one]) => page.Plotly.react(plot(name, top), one));
    await page.tilescope.plotsDrawn();
    assert.deepEqual(drawn, ["mostly", "timeline", "edge", "below"]);
});

test("a plot in sight is drawn before the page's next task, one below is not", async () => {
    for (const [top, first] of [[100, "plot"], [5000, "task"]]) {
        const {page, drawn} = drawingPage();
        await Promise.resolve();
        setImmediate(() => drawn.push("task"));
        page.Plotly.react(plot("plot", top), figure(2));
        await page.tilescope.plotsDrawn();
        assert.equal(drawn[0], first);
    }
});

test("of two figures for one plot the earlier is drawn first", async () => {
    const {page} = drawingPage();
    await Promise.resolve();
    const order = [];
    const one = plot("map", 100);
    const both = [figure(500), figure(1)].map((given, rank) => page.Plotly.react(one, given).then(() => order.push(rank)));
    await Promise.all(both);
    assert.deepEqual(order, [0, 1]);
});
