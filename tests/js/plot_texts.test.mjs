/* Texts of a plot that lie on others are hidden after each drawing, and those that leave it are moved into it. */
import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith} from "./page.mjs";

const {keepTextsApart} = pageWith(["plot_texts.js"]).tilescope;

const box = (left, right, top = 0) => ({left, right, top, bottom: top + 10});
const text = (place) => ({style: {}, getBoundingClientRect: () => place});

/* A plot whose texts of points and bars, and whose notes, have these boxes. */
function plotWith(texts, notes = []) {
    const listeners = [];
    const found = (selector) => (selector.startsWith(".annotation") ? notes : texts);
    return {
        _ev: {},
        listeners,
        getBoundingClientRect: () => box(0, 200),
        on: (_, listener) => listeners.push(listener),
        querySelector: (selector) => found(selector)[0],
        querySelectorAll: found,
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

test("a text or note that leaves the plot is moved into it, and hides what it then lies on", () => {
    const texts = [text(box(150, 230)), text(box(100, 160))];
    const notes = [text(box(190, 215, 20))];
    keepTextsApart(plotWith(texts, notes));
    assert.equal(texts[0].style.translate, "-30px 0");
    assert.equal(notes[0].style.translate, "-15px 0");
    assert.deepEqual(shown(texts), [true, false]);
});

test("a text that is wider than the plot begins at its left edge", () => {
    const texts = [text(box(20, 260))];
    keepTextsApart(plotWith(texts));
    assert.equal(texts[0].style.translate, "-20px 0");
});

test("a note that is wider than the plot is made smaller, but not too small to read", () => {
    const notes = [text(box(0, 250)), text(box(0, 1000)), text(box(0, 200))];
    keepTextsApart(plotWith([text(box(0, 10, 40))], notes));
    assert.deepEqual(notes.map(({style}) => style.scale), ["0.8", "0.7", ""]);
});
