/* Figures of a dark page have light colours on paper. */
import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith} from "./page.mjs";

const {recolour, replacements} = pageWith(["print_colours.js"]).tilescope.printColours;

const DARK = {"--ts-panel": "#1a2029", "--ts-ink": "#e7eaee", "--ts-copy": "#1a2029", "--ts-font": "sans"};
const LIGHT = {"--ts-panel": "#ffffff", "--ts-ink": "#1d2530", "--ts-copy": "#eeeeee", "--ts-font": "sans"};
const colours = replacements(DARK, LIGHT);

test("a colour is replaced in hexadecimal digits, with opacity, and inside of a text", () => {
    assert.equal(recolour("#1A2029", colours), "#ffffff");
    assert.equal(recolour("rgba(231, 234, 238, 0.08)", colours), "rgba(29, 37, 48, 0.08)");
    assert.equal(recolour('<span style="color:#e7eaee">main</span> #12', colours),
        '<span style="color:#1d2530">main</span> #12');
    assert.equal(recolour("#4477aa", colours), "#4477aa");
});

test("a figure is copied with its numbers, and the one of the screen stays", () => {
    const numbers = new Float64Array([1, 2]);
    const layout = {paper_bgcolor: "#1a2029", xaxis: {tickvals: [1, 2]}, shapes: [{line: {color: "#e7eaee"}}], numbers};
    const light = recolour(layout, colours);
    assert.equal(light.paper_bgcolor, "#ffffff");
    assert.equal(light.shapes[0].line.color, "#1d2530");
    assert.equal(light.xaxis.tickvals, layout.xaxis.tickvals);
    assert.equal(light.numbers, numbers);
    assert.equal(layout.paper_bgcolor, "#1a2029");
});
