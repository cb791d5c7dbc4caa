import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith, plain} from "./page.mjs";

const UNREAD = "no loader reads it: its content does not match";
const CANCELLED = "cancelled before it was read";

/* As much of an element as the lines of the list use. */
function element(tag, className = "", text = "") {
    const own = {tag, className, textContent: text, children: []};
    own.append = (...added) => own.children.push(...added);
    return own;
}

function pageOf() {
    const shown = new Map();
    const show = (entry, state, ...lines) => shown.set(entry.path, {state, lines});
    const page = pageWith(["upload_results.js"], {
        tilescopeUpload: {
            element, show,
            plural: (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`,
            refuse: (entry, words) => show(entry, "refused", words),
            showCancelled: (entry) => show(entry, "cancelled"),
            sentence: () => "The server answered 422.",
        },
    });
    return {...page.tilescopeUpload, shown};
}

const run = (file, status = "new") => ({file, run_id: file, name: file, source: "fake", status, diagnostics: []});
const skip = (path, reason) => ({path, reason});
const answer = (runs, skipped) => ({status: 200, answer: {runs, skipped}});

test("an archive has the runs of its members and one line for the others", () => {
    const upload = pageOf();
    const entry = {path: "nightly.tar.gz"};
    const members = Array.from({length: 30}, (_, rank) => skip(`nightly.tar.gz/n${rank}.txt`, UNREAD));
    const runs = Array.from({length: 21}, (_, rank) => run(`nightly.tar.gz/p${rank}.csv`));
    assert.deepEqual(plain(upload.settle([entry], answer(runs, members))), []);
    const {state, lines} = upload.shown.get(entry.path);
    assert.equal(state, "taken");
    assert.equal(lines.length, 1);
    const [more] = lines;
    assert.equal(more.tag, "details");
    assert.equal(more.children[0].textContent, "21 new runs, 30 not recognised");
    assert.equal(more.children.length, 1 + 51);
});

test("the few runs of an archive are in sight", () => {
    const upload = pageOf();
    const entry = {path: "a/job.zip"};
    upload.settle([entry], answer([run("a/job.zip/x.json"), run("a/job.zip/y.log", "unchanged")], []));
    assert.equal(upload.shown.get(entry.path).lines.map(({tag}) => tag).join(), "span,span");
    assert.deepEqual(plain(entry.counts), {new: 1, unchanged: 1});
});

test("another archive whose name begins alike is another one", () => {
    const upload = pageOf();
    const entries = [{path: "a.zip"}, {path: "a.zip.zip"}];
    upload.settle(entries, answer([run("a.zip/x"), run("a.zip.zip/x"), run("a.zip.zip/y")], []));
    assert.equal(entries.map(({counts}) => counts.new).join(), "1,2");
});

test("a cancelled file has no run, and the others of its request are to be read again", () => {
    const upload = pageOf();
    const entries = [{path: "a.json", ending: true}, {path: "b.json"}, {path: "c.json"}];
    const told = answer([run("c.json")], [skip("a.json", CANCELLED), skip("b.json", CANCELLED)]);
    assert.equal(upload.settle(entries, told).map(({path}) => path).join(), "b.json");
    assert.equal(upload.shown.get("a.json").state, "cancelled");
    assert.equal(upload.shown.get("c.json").state, "taken");
    assert.equal(upload.shown.has("b.json"), false);
});

test("a file that was stored before the cancel arrived shows its run", () => {
    const upload = pageOf();
    const entry = {path: "a.json", ending: true};
    upload.settle([entry], answer([run("a.json")], []));
    assert.equal(upload.shown.get("a.json").state, "taken");
});

test("files are counted by what became of them", () => {
    const upload = pageOf();
    const words = upload.countWords({new: 1, unchanged: 2, along: 3, unrecognised: 4, refused: 5, cancelled: 6});
    assert.equal(words.match(/\d+/g).join(), "1,2,3,4,5,6");
});
