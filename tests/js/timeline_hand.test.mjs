import assert from "node:assert/strict";
import {test} from "node:test";
import {pageWith, plain} from "./page.mjs";

/* A page with one timeline of [0, 1000); `rest` ends the time after which a hand rests. */
function page() {
    const timers = [];
    const shown = [];
    const plot = {};
    const made = pageWith(["timeline_window.js", "timeline_hand.js"], {
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
    const rest = () => timers.splice(0).forEach((act) => act());
    return {hand: timeline.hand, plot, shown, rest};
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
