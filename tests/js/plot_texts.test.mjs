/* Texts of a plot that lie on others are hidden after each drawing, whichever trace they belong to. */
import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith} from "./page.mjs";

const {keepTextsApart} = pageWith(["plot_texts.js"]).tilescope;

const box = (left, right, top = 0) => ({left, right, top, bottom: top + 10});
const text = (place) => ({style: {}, getBoundingClientRect: () => place});

/* A plot whose texts of points and bars, and whose notes, have these boxes. */
function plotWith(texts, notes = []) {
    const listeners = [];
    const found = (selector) => (selector.includes("annotation") ? notes : texts);
    return {
        _ev: {},
        listeners,
        on: (_, listener) => listeners.push(listener),
        querySelector: (selector) => found(selector)[0],
        querySelectorAll: (selector) => (["point", "bartext", "annotation"].some((kind) => selector.includes(kind))
            ? found(selector) : []),
    };
}

const shown = (texts) => texts.map(({style}) => style.visibility !== "hidden");

test("a text that lies on an earlier one is hidden", () => {
    const texts = [text(box(0, 30)), text(box(20, 50)), text(box(30, 60)), text(box(0, 30, 20))];
    keepTextsApart(plotWith(texts));
    assert.deepEqual(shown(texts), [true, false, true, true]);
});

test("a text that lies on a note is hidden", () => {
    const texts = [text(box(0, 30)), text(box(40, 60))];
    keepTextsApart(plotWith(texts, [text(box(25, 35))]));
    assert.deepEqual(shown(texts), [false, true]);
});

test("a text is shown again once there is room", () => {
    const places = [box(0, 30), box(20, 50)];
    const texts = places.map((_, rank) => ({style: {}, getBoundingClientRect: () => places[rank]}));
    const plot = plotWith(texts);
    keepTextsApart(plot);
    places[1] = box(40, 70);
    plot.listeners.forEach((listener) => listener());
    assert.deepEqual(shown(texts), [true, true]);
    keepTextsApart(plot);
    assert.equal(plot.listeners.length, 1);
});
