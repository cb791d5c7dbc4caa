import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith} from "./page.mjs";

/* What a field of bytes says of a text: "" if it is a number of bytes. */
function complaintAbout(text) {
    const page = pageWith(["bytes.js"]);
    const field = {
        value: text,
        complaint: null,
        matches: (selector) => selector === ".ts-bytes",
        setCustomValidity: (complaint) => { field.complaint = complaint; },
        setAttribute: () => {},
        closest: () => ({querySelector: () => ({id: "refusal"})}),
    };
    page.dispatch("input", {target: field});
    return field.complaint;
}

test("sizes with and without a unit are numbers of bytes", () => {
    for (const text of ["", "64", "64 KiB", "1.5MiB", "2 GB", "0.5 kB", String(2 ** 62)]) {
        assert.equal(complaintAbout(text), "", text);
    }
});

test("parts of a byte, nothing, too much, and other texts are not", () => {
    for (const text of ["0", "0.5", "1.0001 kB", "-1", "1 XiB", "many", String(2 ** 63)]) {
        assert.notEqual(complaintAbout(text), "", text);
    }
});
