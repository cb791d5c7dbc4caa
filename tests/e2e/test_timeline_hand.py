"""Keys, wheel and pointer on a timeline: it follows at once, and one answer follows the hand."""

import json
import re
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import address_of, open_run, wait_until_idle
from tests.e2e.readings import (
    WIDEST_BAR,
    kernel_bar,
    place_of,
    wait_for_frames,
    wait_until_equal,
    wait_until_still,
)

SHOWN = "document.querySelector('#run-timeline .ts-bars').dataset.window"
DRAWS = '"output":"run-changes.data"'
STRIP = """document.querySelector("#run-overview .js-plotly-plot").layout.shapes.map((s) => [s.x0, s.x1])"""


def shown(page):
    """Return the window that the canvas shows, as (begin, end)."""
    begin, end = re.fullmatch(r"(-?\d+)-(-?\d+)", page.evaluate(SHOWN)).groups()
    return int(begin), int(end)


def wait_for_window(page, window):
    page.wait_for_function(f"window => {SHOWN} === window", arg="-".join(map(str, window)))


def wait_for_another_window(page, window):
    page.wait_for_function(f"window => {SHOWN} !== window", arg="-".join(map(str, window)))


def press(page, key):
    """Press a key that moves the timeline; return the window that it shows then."""
    before = shown(page)
    page.keyboard.press(key)
    wait_for_another_window(page, before)
    return shown(page)


def expect_in_address(page, window):
    begin, end = window
    expect(page).to_have_url(re.compile(f"window={begin}-{end}"))


def area_of(page):
    """Return the place of the plot's area on the screen, scrolled into view."""
    return place_of(page.locator("#run-timeline .nsewdrag").first)


def drag(page, box, begin, end):
    """Drag from one share of a plot's width to another."""
    y = box["y"] + 60
    page.mouse.move(box["x"] + begin * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + end * box["width"], y + 1, steps=6)
    page.mouse.up()
    wait_for_frames(page)


@contextmanager
def held_requests(page):
    """Hold requests of callbacks until the block ends, then wait for their answers."""
    routes = []
    page.route("**/_dash-update-component", lambda route: routes.append(route))  # noqa: PLW0108 -- Playwright marks the function
    yield
    page.unroute("**/_dash-update-component")
    for route in routes:
        route.continue_()
    wait_until_still(page)


def show_all(page, whole):
    """Take back every selection, and what the pointer shows; wait for the whole run."""
    page.mouse.move(1, 1)
    if shown(page) != whole:
        expect_in_address(page, shown(page))  # the page takes nothing back before the hand rests
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("window=|track="))
    wait_for_window(page, whole)
    wait_until_still(page)


def check_that_reading_loads_no_tiles(page):
    """Open the page of a capture; return a list that grows by each tile that it requests later."""
    tiles = []
    page.on("request", lambda r: tiles.append(r.url) if "/timeline/" in r.url else None)
    open_run(page, "npu2", "run-timeline")
    wait_until_still(page)
    assert tiles == []
    return tiles


def check_tiles_while_answers_are_missing(page, tiles):
    whole = shown(page)
    place_of(page.locator("#run-timeline"))
    with held_requests(page):
        for _ in range(3):
            press(page, "w")
        canvas = page.locator("#run-timeline .ts-bars")
        expect(canvas).to_have_attribute("data-missing", "0")
        assert shown(page) != whole
        assert tiles
        # A bar of a tile is found by the pointer as one of the figure's. `kernel_bar` would wait for the answers.
        page.mouse.move(*page.evaluate(WIDEST_BAR, 0))
        expect(page.locator(".ts-bar-card")).to_contain_text("cycles")


def check_keys_without_the_server(page):
    first, last = shown(page)
    with held_requests(page):
        begin, end = press(page, "w")
        assert end - begin == pytest.approx((last - first) / 2, abs=2)
        expect_in_address(page, (begin, end))
        moved = press(page, "d")
        assert moved[0] - begin == pytest.approx((end - begin) / 4, abs=2)
        expect_in_address(page, moved)
        page.keyboard.press("a")
        wait_for_window(page, (begin, end))
        page.keyboard.press("s")
        wait_for_window(page, (first, last))
        expect(page).not_to_have_url(re.compile("window="))


def check_that_a_held_key_requests_where_it_ends(page):
    draws = []
    page.on("request", lambda r: draws.append(r) if DRAWS in (r.post_data or "") else None)
    whole = shown(page)
    page.evaluate(
        """() => ["w", "w", "d", "d", "d", "a", "w"].forEach((key) =>
               document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true})))"""
    )
    wait_for_another_window(page, whole)
    begin, end = shown(page)
    expect_in_address(page, (begin, end))
    expect(page.locator("#run-selection .ts-chip")).to_contain_text("cycles")
    wait_until_idle(page)
    (asked,) = [json.loads(request.post_data)["inputs"] for request in draws]
    assert f"window={begin}-{end}" in json.dumps(asked)
    assert shown(page) == (begin, end)


def check_that_an_earlier_answer_does_not_move_it_back(page):
    with page.expect_response(lambda r: DRAWS in (r.request.post_data or "")), held_requests(page):
        press(page, "w")
        expect(page).to_have_url(re.compile("window="))
        second = press(page, "w")
    assert shown(page) == second
    expect_in_address(page, second)


def check_that_an_answer_is_small(page):
    with page.expect_response(lambda r: DRAWS in (r.request.post_data or "")) as answer:
        page.keyboard.press("w")
    changes = answer.value.json()["response"]["run-changes"]["data"]["changes"]
    assert "run-overview" not in changes
    assert "template" not in changes["run-timeline"]["figure"]["layout"]
    assert len(answer.value.body()) < 100_000


def check_that_the_strip_marks_the_window(page):
    begin, end = press(page, "w")
    expect_in_address(page, (begin, end))
    wait_until_idle(page)
    extent = page.evaluate(
        "tilescope.timeline.layer.barsOf(document.querySelector('#run-timeline .js-plotly-plot')).extent"
    )
    marks = [[extent[0], begin], [end, extent[1]], [begin, end]]
    wait_until_equal(lambda: page.evaluate(STRIP), marks)
    page.keyboard.press("Escape")
    page.wait_for_function(f"() => {STRIP}.length === 0")


def test_keys_move_the_timeline_at_once_and_one_answer_follows(page):
    tiles = check_that_reading_loads_no_tiles(page)
    whole = shown(page)
    check_tiles_while_answers_are_missing(page, tiles)
    for check in (
        check_keys_without_the_server,
        check_that_a_held_key_requests_where_it_ends,
        check_that_an_earlier_answer_does_not_move_it_back,
        check_that_an_answer_is_small,
        check_that_the_strip_marks_the_window,
    ):
        show_all(page, whole)
        check(page)


def check_drags(page):
    first, last = shown(page)
    box = area_of(page)
    page.keyboard.down("Shift")
    drag(page, box, 0.25, 0.75)
    page.keyboard.up("Shift")
    wait_for_another_window(page, (first, last))
    begin, end = shown(page)
    assert end - begin == pytest.approx((last - first) / 2, rel=0.02)
    wait_until_idle(page)
    drag(page, area_of(page), 0.5, 0.6)
    wait_for_another_window(page, (begin, end))
    moved = shown(page)
    assert moved[1] - moved[0] == end - begin
    assert begin - moved[0] == pytest.approx((end - begin) / 10, rel=0.05)
    expect_in_address(page, moved)


def check_the_wheel_with_ctrl_and_without(page):
    first, last = shown(page)
    box = area_of(page)
    page.mouse.move(box["x"] + box["width"] / 4, box["y"] + 40)
    top = page.evaluate("scrollY")
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    wait_for_another_window(page, (first, last))
    begin, end = shown(page)
    assert begin - first == pytest.approx((last - first) / 8, rel=0.05)
    assert page.evaluate("scrollY") == top
    page.mouse.wheel(0, -60)
    page.wait_for_function("top => scrollY < top", arg=top)
    assert shown(page) == (begin, end)


def check_the_card_of_a_bar_and_a_click(page):
    area_of(page)
    page.mouse.move(*kernel_bar(page))
    card = page.locator(".ts-bar-card")
    expect(card).to_contain_text("cycles")
    track = card.locator("b").inner_text().split(" · ")[1]
    page.mouse.down()
    page.mouse.up()
    expect(page.locator("#run-selection .ts-chip").first).to_contain_text(track)
    page.mouse.move(1, 1)
    expect(card).to_have_count(0)


def check_the_saved_picture(page):
    figure = page.evaluate(
        "tilescope.timeline.saving.figureOf(document.querySelector('#run-timeline .js-plotly-plot')).layout"
    )
    (image,) = figure["images"]
    assert image["source"].startswith("data:image/png;base64,")
    assert figure["paper_bgcolor"] != "rgba(0,0,0,0)"


def check_folding_and_pinning_by_keys(page):
    """Pin a tile; then load the page anew with that tile folded and an iteration selected."""
    lanes = (
        """document.querySelector('#run-timeline .js-plotly-plot')?.layout?.meta?.bars.rows.track"""
    )
    before = page.evaluate(lanes)
    menu = page.get_by_role("button", name="fold and pin")
    menu.focus()
    page.keyboard.press("Enter")
    button = page.locator("#timeline .ts-lane").last.get_by_role("button")
    button.first.focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"pinned=\d+"))
    page.wait_for_function(f"last => {lanes}[0] === last", arg=before[-1])
    # The head of a view is not drawn again, but its buttons follow.
    expect(button.first).to_have_attribute("aria-pressed", "true")
    expect(button.last).to_have_attribute("aria-pressed", "false")
    page.goto(f"{re.sub('pinned', 'folded', page.url)}&iteration=1")
    page.wait_for_function(f"count => {lanes}?.length < count", arg=len(before))


def check_that_f_fits_the_selected_iteration(page):
    expect(page.locator("#run-timeline .ts-bars")).to_be_attached()
    whole = shown(page)
    begin, end = press(page, "F")
    assert end - begin < whole[1] - whole[0]
    expect_in_address(page, (begin, end))


def check_the_panel_for_other_sites(page):
    signed = page.evaluate(
        """async () => (await (await fetch("/api/v1/embeds", {method: "POST", headers: {"Content-Type": "application/json"},
        body: JSON.stringify({path: location.pathname, view: "timeline"})})).json()).url"""
    )
    page.goto(signed)
    bars = page.locator(".ts-bars")
    expect(bars).to_have_attribute("data-window", re.compile(r"\d+-\d+"))
    painted = """(bars) => bars.getContext("2d").getImageData(0, 0, bars.width, bars.height).data.some((part) => part)"""
    wait_until_equal(lambda: bars.evaluate(painted), True)


def test_the_pointer_moves_the_timeline_and_its_lanes_fold(page):
    open_run(page, "npu2", "run-timeline")
    wait_until_still(page)
    whole = shown(page)
    for check in (
        check_the_saved_picture,
        check_drags,
        check_the_wheel_with_ctrl_and_without,
        check_the_card_of_a_bar_and_a_click,
        check_folding_and_pinning_by_keys,
    ):
        show_all(page, whole)
        check(page)
    check_that_f_fits_the_selected_iteration(page)
    check_the_panel_for_other_sites(page)


def test_a_timeline_fits_a_narrow_page(page):
    address = address_of(page, "npu2")
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(address)
    canvas = page.locator("#run-timeline .ts-bars")
    expect(canvas).to_be_attached()
    page.wait_for_function(
        """() => document.querySelector("#run-timeline .ts-bars").getBoundingClientRect().width <= 400"""
    )
