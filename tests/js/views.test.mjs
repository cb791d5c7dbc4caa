import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith, plain} from "./page.mjs";

/* A page with `table-body` below what is in sight, whose plots are drawn when `draw` is called; `calls` are the
   properties that were set, in order. As in Dash, what is asked about a component that is not there is an error. */
function openPage() {
    const calls = [];
    const there = new Set(["table-body", "table-line"]);
    let draw;
    const drawn = new Promise((resolve) => { draw = resolve; });
    const page = pageWith(["views.js"], {
        HTMLInputElement: class {},
        innerHeight: 900,
        location: {pathname: "/run/1", search: ""},
        document: {getElementById: () => ({getBoundingClientRect: () => ({top: 2000})})},
        tilescope: {plotsDrawn: () => drawn, timeline: {hand: {isResting: true}}},
        dash_component_api: {getLayout: (id) => {
            if (!there.has(id)) {
                throw new TypeError("Cannot read properties of undefined (reading 'length')");
            }
            return {props: {}};
        }},
        dash_clientside: {set_props: (id, props) => {
            calls.push([id, props]);
            there.add(props.children?.props?.id);
        }},
    });
    const change = (changes) => page.dash_clientside.tilescope.change({changes, shown: "shown"});
    return {page, calls, change, draw: async () => { draw(); await drawn; await null; }};
}

const grid = (rows) => ({children: {type: "AgGrid", props: {id: "grid", rowData: rows}}});

test("rows of a grid that waits for the plots wait with it, and all else is set at once", async () => {
    const {calls, change, draw} = openPage();
    change({"table-body": grid([1])});
    assert.equal(change({grid: {rowData: [2]}, "table-line": {children: "one"}}), "shown");
    assert.deepEqual(plain(calls), [["table-line", {children: "one"}]]);
    await draw();
    assert.deepEqual(plain(calls.slice(1)), [["table-body", grid([1])], ["grid", {rowData: [2]}]]);
});

test("rows for an earlier grid are dropped", async () => {
    const {calls, change, draw} = openPage();
    change({"table-body": grid([1])});
    change({grid: {rowData: [2]}});
    change({"table-body": grid([3])});
    await draw();
    assert.deepEqual(plain(calls), [["table-body", grid([3])]]);
});

test("on another page nothing that waited is set", async () => {
    const {page, calls, change, draw} = openPage();
    change({"table-body": grid([1])});
    page.location.pathname = "/run/2";
    await draw();
    assert.deepEqual(calls, []);
});

test("marks that the page let plotly draw move no timeline, a zoom of a person does", () => {
    const {page} = openPage();
    const moved = [];
    page.tilescope.timeline.page = {zoomed: (_, range) => moved.push(plain(range))};
    page.dash_clientside.callback_context = {triggered: [{prop_id: "run-timeline.relayoutData"}]};
    const {zoom} = page.dash_clientside.tilescope;
    zoom({"xaxis.range": [250, 750], "xaxis.tickvals": [300, 600], "xaxis.title.text": "cycles"});
    assert.deepEqual(moved, []);
    zoom({"xaxis.range": [250, 750]});
    zoom({"xaxis.autorange": true});
    assert.deepEqual(moved, [[250, 750], null]);
});
