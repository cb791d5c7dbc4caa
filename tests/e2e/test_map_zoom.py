"""The wheel on a memory map: it zooms at the pointer with ctrl, and scrolls the page without."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import open_run, wait_until_idle
from tests.e2e.holding import holding
from tests.e2e.readings import place_of, wait_until_still

RANGES = """() => {
    const {xaxis, yaxis} = document.querySelector("#run-map .js-plotly-plot")._fullLayout;
    return [...xaxis.range, ...yaxis.range];
}"""
SHIFTED = "document.querySelector('#run-map .barlayer').getAttribute('transform')"
HELD = "() => !document.querySelector('.ts-map-moving')"


def turn(page, pixels, times=1):
    page.keyboard.down("Control")
    for _ in range(times):
        page.mouse.wheel(0, pixels)
    page.keyboard.up("Control")


def point_at(page, across, down):
    box = place_of(page.locator("#run-map .nsewdrag").first)
    page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"])


def check_that_the_plain_wheel_scrolls(plan):
    before = plan.evaluate(RANGES)
    point_at(plan, 0.5, 0.5)
    top = plan.evaluate("scrollY")
    plan.mouse.wheel(0, 60)
    plan.wait_for_function("top => scrollY > top", arg=top)
    assert plan.evaluate(RANGES) == before
    expect(plan).not_to_have_url(re.compile("span="))


def check_that_ctrl_and_the_wheel_zoom_at_the_pointer(plan):
    before = plan.evaluate(RANGES)
    point_at(plan, 0.25, 0.5)
    top = plan.evaluate("scrollY")
    turn(plan, -150, 2)
    expect(plan).to_have_url(re.compile(r"span=\d+-\d+.*addresses=\d+-\d+"))
    wait_until_idle(plan)
    plan.wait_for_function(HELD)
    after = plan.evaluate(RANGES)
    assert plan.evaluate("scrollY") == top
    for begin, place in ((0, 0.25), (2, 0.5)):
        low, high = before[begin : begin + 2]
        left, right = after[begin : begin + 2]
        assert right - left < high - low
        # Steps and bytes are whole, so that the place may move.
        at = low + place * (high - low)
        assert left + place * (right - left) == pytest.approx(at, abs=1 + 0.02 * (high - low))


def check_that_the_wheel_back_shows_the_whole_map(plan, whole):
    turn(plan, 400, 6)
    expect(plan).not_to_have_url(re.compile("span=|addresses="))
    plan.wait_for_function(HELD)
    plan.wait_for_function(f"before => String(({RANGES})()) === String(before)", arg=whole)
    wait_until_still(plan)


def check_that_bars_are_scaled_before_the_server_answers(plan):
    before = plan.evaluate(RANGES)
    point_at(plan, 0.5, 0.5)
    with holding(plan) as wait:
        turn(plan, -300)
        plan.wait_for_function(f"() => {SHIFTED}?.includes('scale(2')")
        wait()
        assert plan.evaluate(RANGES) == before
    plan.wait_for_function(HELD)
    expect(plan).to_have_url(re.compile("span="))
    plan.wait_for_function(f"() => !{SHIFTED}")
    assert plan.evaluate(RANGES) != before


@pytest.mark.slow
def test_the_wheel_zooms_a_map_with_ctrl_and_scrolls_the_page_without(page):
    open_run(page, "compile", "run-map")
    wait_until_still(page)
    whole = page.evaluate(RANGES)
    check_that_the_plain_wheel_scrolls(page)
    check_that_ctrl_and_the_wheel_zoom_at_the_pointer(page)
    check_that_the_wheel_back_shows_the_whole_map(page, whole)
    check_that_bars_are_scaled_before_the_server_answers(page)
