/* The bars of a memory map that the wheel scaled, until the page has its blocks. */
import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith} from "./page.mjs";

/* A page with one memory map of 100 steps and 100 bytes, and timers that the test ends. */
function mapPage() {
    const timers = [];
    const state = {isLoading: true};
    const classes = new Set();
    const axis = () => ({range: [0, 100], minallowed: 0, maxallowed: 100, _length: 100});
    const plot = {
        isConnected: true,
        _fullLayout: {xaxis: axis(), yaxis: axis()},
        classList: {add: (name) => classes.add(name), remove: (name) => classes.delete(name)},
        closest: () => ({dataset: {zooms: "span addresses"}}),
        querySelector: (selector) => (
            selector === ".nsewdrag" ? {getBoundingClientRect: () => ({left: 0, top: 0, width: 100, height: 100})} : null),
        querySelectorAll: () => [],
    };
    const page = pageWith(["map_zoom.js"], {
        document: {querySelector: () => (state.isLoading ? {} : null)},
        dash_clientside: {set_props: () => {}},
        requestAnimationFrame: (draw) => draw(),
        setTimeout: (task, _, ...given) => timers.push(() => task(...given)),
        clearTimeout: () => timers.splice(0),
    });
    page.tilescope.pageRoot = () => ({dataset: {screen: "run"}});
    const target = {closest: () => ({closest: () => plot})};
    return {
        plot, state,
        zoom: page.tilescope.mapZoom,
        turn: (pixels) => page.dispatch("wheel", {
            target, ctrlKey: true, deltaY: pixels, clientX: 50, clientY: 50, preventDefault: () => {},
        }),
        endTimers: () => timers.splice(0).forEach((end) => end()),
        isScaled: () => classes.has("ts-map-moving"),
    };
}

test("bars stay scaled for as long as a response is due", () => {
    const page = mapPage();
    page.turn(-300);
    page.endTimers(); // the wheel rests
    for (let checks = 0; checks < 5; checks++) {
        page.endTimers();
        assert.ok(page.isScaled());
    }
    page.plot._fullLayout.xaxis.range = [25, 75];
    page.plot._fullLayout.yaxis.range = [25, 75];
    page.zoom.drawn(page.plot);
    assert.ok(!page.isScaled());
});

test("bars are as plotly drew them once no response is due", () => {
    const page = mapPage();
    page.turn(-300);
    page.endTimers();
    page.state.isLoading = false;
    page.endTimers();
    assert.ok(!page.isScaled());
});
