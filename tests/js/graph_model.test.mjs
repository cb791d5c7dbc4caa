import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith, plain} from "./page.mjs";

const {model: graphs} = pageWith(["graph_model.js"]).tilescope.parts;

/* A graph of nodes a, b, ... with edges [from, to], each in a slot and a layer of its own. */
function graphOf(count, edges, {change = [], repeats = [], label} = {}) {
    return graphs.build({
        names: [..."abcdefgh"].slice(0, count),
        edges: edges.flatMap(([from, to]) => [from, to, 0, 1]),
        label: label || Array.from({length: count}, (_, at) => `OP${at}\nline`),
        change: Array.from({length: count}, (_, at) => change[at] ?? 0),
        repeats,
        slot: Array.from({length: count}, (_, at) => at),
        slots: {chars: new Array(count).fill(4), layers: new Array(count).fill(1)},
    });
}

const unfolded = () => ({folded: new Set(), opened: new Set(), repeats: false, removed: false});
const shownEdges = ({edges}) => plain(edges).map(({from, to}) => [from, to]);

test("lists by key have the items of each key in order", () => {
    const {starts, items} = graphs.listed(3, [2, 0, 2, 2]);
    assert.deepEqual([...starts], [0, 1, 1, 4]);
    assert.deepEqual([...items], [1, 0, 2, 3]);
});

test("a folded node hides the nodes that it alone needs", () => {
    const model = graphOf(4, [[0, 1], [1, 3], [2, 3]]);
    const shown = graphs.show(model, {...unfolded(), folded: new Set(["b"])});
    assert.deepEqual([...shown.visible], [0, 1, 1, 1]);
    assert.equal(shown.fold[1], 1);
    assert.equal(shown.foldedAway, 1);
    assert.deepEqual(shownEdges(shown), [[1, 3], [2, 3]]);
});

test("repeats are one node until they are opened", () => {
    const model = graphOf(4, [[0, 2], [1, 3]], {repeats: [{members: [2, 3]}]});
    const folded = graphs.show(model, {...unfolded(), repeats: true});
    assert.equal(folded.fold[2], 2);
    assert.equal(folded.groups.length, 1);
    const opened = graphs.show(model, {...unfolded(), repeats: true, opened: new Set(["c"])});
    assert.deepEqual([opened.groups.length, opened.drawn], [0, 4]);
});

test("edges between the same nodes are one edge with the number of its ports", () => {
    const shown = graphs.show(graphOf(2, [[0, 1], [0, 1]]), unfolded());
    assert.deepEqual(plain(shown.edges), [{from: 0, to: 1, port: 0, ports: 2}]);
});

test("removed nodes are shown only on request", () => {
    const model = graphOf(3, [[0, 1], [2, 1]], {change: [0, 0, graphs.REMOVED]});
    assert.deepEqual([...graphs.show(model, unfolded()).visible], [1, 1, 0]);
    assert.deepEqual([...graphs.show(model, {...unfolded(), removed: true}).visible], [1, 1, 1]);
});

test("a long label ends with the number of lines that are left out", () => {
    const model = graphOf(1, [], {label: [Array.from({length: 12}, (_, line) => `line ${line}`).join("\n")]});
    const lines = plain(graphs.linesOf(model, 0));
    assert.deepEqual([lines.length, lines.at(-1)], [10, "… 3 more"]);
    assert.equal(graphs.opOf(model, 0), "line 0");
});
