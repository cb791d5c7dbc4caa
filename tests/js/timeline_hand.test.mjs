import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith, plain} from "./page.mjs";

/* A page with one timeline of [0, 1000); `rest` ends the time after which a hand rests. */
function page() {
    const timers = [];
    const shown = [];
    const plot = {};
    const views = [];
    const made = pageWith(["timeline_window.js", "timeline_hand.js", "timeline_page.js"], {
        URLSearchParams,
        dash_component_api: {getLayout: () => ({props: {data: views.at(-1)}})},
        dash_clientside: {set_props: (_, {data}) => views.push(data)},
        document: {querySelectorAll: () => [plot]},
        requestAnimationFrame: (draw) => draw(),
        setTimeout: (act) => timers.push(act),
        clearTimeout: (timer) => { timers[timer - 1] = () => {}; },
    });
    const {timeline} = made.tilescope;
    timeline.layer = {
        barsOf: () => ({extent: [0, 1000], window: [0, 1000]}),
        rangeOf: () => shown.at(-1) ?? [0, 1000],
        show: (_, range) => shown.push(plain(range)),
    };
    Object.assign(timeline, {strip: {follow: () => {}, windowIn: () => null}, lanes: {follow: () => {}}});
    made.tilescope.pageRoot = () => ({dataset: {screen: "run"}});
    const rest = () => timers.splice(0).forEach((act) => act());
    return {hand: timeline.hand, follow: timeline.page.follow, plot, shown, views, rest};
}

test("what waits for a hand goes on once it rests, and at once if none moves", async () => {
    const {hand, rest} = page();
    await hand.still();
    hand.key("w");
    const order = [];
    const waiting = hand.still().then(() => order.push("drawn"));
    await Promise.resolve();
    assert.deepEqual(order, []);
    hand.onRest = () => order.push("asked");
    rest();
    await waiting;
    assert.deepEqual(order, ["asked", "drawn"]);
});

test("a hand that lets go is waited for no longer", async () => {
    const {hand} = page();
    hand.key("w");
    const waiting = hand.still();
    hand.letGo();
    await waiting;
    assert.equal(hand.target, null);
});

test("keys zoom where the pointer is, else in the middle", () => {
    const {hand, plot, shown} = page();
    hand.key("w");
    assert.deepEqual(shown.at(-1), [250, 750]);
    hand.key("s");
    hand.pointer = {plot, share: 0.8};
    hand.key("w");
    assert.deepEqual(shown.at(-1), [400, 900]);
    assert.ok(!hand.key("f"));
});

test("an earlier window of the hand that the page's state gets late does not end the hand", () => {
    const {hand, follow, views, rest} = page();
    hand.key("w");
    rest();
    hand.key("w");
    rest();
    const target = plain(hand.target);
    assert.equal(views.length, 2);
    views.forEach(follow);
    assert.deepEqual(plain(hand.target), target);
    follow(views[0]); // by the browser's button, say
    assert.equal(hand.target, null);
});
