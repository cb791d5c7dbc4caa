"""Keys, wheel and pointer on a timeline: it follows at once, and one answer follows the hand."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import address_of, open_run, wait_until_idle
from tests.e2e.holding import holding
from tests.e2e.readings import (
    bar_in_sight,
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


@pytest.fixture
def timeline(page):
    """The page of a capture, with its timeline, its strip and no request under way."""
    open_run(page, "npu2", "run-timeline")
    wait_until_still(page)
    return page


@pytest.mark.slow
def test_keys_move_the_timeline_and_the_address_without_the_server(timeline):
    with holding(timeline):
        first, last = shown(timeline)
        timeline.keyboard.press("w")
        wait_for_another_window(timeline, (first, last))
        begin, end = shown(timeline)
        assert end - begin == pytest.approx((last - first) / 2, abs=2)
        expect(timeline).to_have_url(re.compile(f"window={begin}-{end}"))
        timeline.keyboard.press("d")
        wait_for_another_window(timeline, (begin, end))
        moved = shown(timeline)
        assert moved[0] - begin == pytest.approx((end - begin) / 4, abs=2)
        expect(timeline).to_have_url(re.compile(f"window={moved[0]}-{moved[1]}"))
        timeline.keyboard.press("a")
        wait_for_window(timeline, (begin, end))
        timeline.keyboard.press("s")
        wait_for_window(timeline, (first, last))
        expect(timeline).not_to_have_url(re.compile("window="))


@pytest.mark.slow
def test_a_held_key_requests_where_it_ends(timeline):
    draws = []
    timeline.on("request", lambda r: draws.append(r) if DRAWS in (r.post_data or "") else None)
    whole = shown(timeline)
    timeline.evaluate(
        """() => ["w", "w", "d", "d", "d", "a", "w"].forEach((key) =>
               document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true})))"""
    )
    wait_for_another_window(timeline, whole)
    begin, end = shown(timeline)
    expect(timeline).to_have_url(re.compile(f"window={begin}-{end}"))
    expect(timeline.locator("#run-selection .ts-chip")).to_contain_text("cycles")
    wait_until_idle(timeline)
    (asked,) = [json.loads(request.post_data)["inputs"] for request in draws]
    assert f"window={begin}-{end}" in json.dumps(asked)
    assert shown(timeline) == (begin, end)


@pytest.mark.slow
def test_an_answer_for_an_earlier_window_does_not_move_the_timeline_back(timeline):
    whole = shown(timeline)
    answer = timeline.expect_response(lambda r: DRAWS in (r.request.post_data or ""))
    with answer, holding(timeline, DRAWS) as wait:
        timeline.keyboard.press("w")
        wait_for_another_window(timeline, whole)
        first = shown(timeline)
        expect(timeline).to_have_url(re.compile("window="))
        wait()
        timeline.keyboard.press("w")
        wait_for_another_window(timeline, first)
        second = shown(timeline)
    wait_until_idle(timeline)
    assert shown(timeline) == second
    expect(timeline).to_have_url(re.compile(f"window={second[0]}-{second[1]}"))


@pytest.mark.slow
def test_escape_takes_back_a_window_whose_figure_is_due(timeline):
    whole = shown(timeline)
    with holding(timeline, DRAWS) as wait:
        timeline.keyboard.press("w")
        wait_for_another_window(timeline, whole)
        expect(timeline).to_have_url(re.compile("window="))
        wait()
        timeline.keyboard.press("Escape")
        expect(timeline).not_to_have_url(re.compile("window="))
        wait_for_window(timeline, whole)
    wait_until_still(timeline)
    assert shown(timeline) == whole


def check_that_an_answer_is_small(answer):
    changes = answer.json()["response"]["run-changes"]["data"]["changes"]
    assert "run-overview" not in changes
    assert "template" not in changes["run-timeline"]["figure"]["layout"]
    assert len(answer.body()) < 100_000


@pytest.mark.slow
def test_tiles_give_detail_while_answers_are_missing(timeline):
    tiles = []
    timeline.on("request", lambda r: tiles.append(r.url) if "/timeline/" in r.url else None)
    whole = shown(timeline)
    area_of(timeline)
    with holding(timeline):
        for _ in range(3):
            before = shown(timeline)
            timeline.keyboard.press("w")
            wait_for_another_window(timeline, before)
        canvas = timeline.locator("#run-timeline .ts-bars")
        expect(canvas).to_have_attribute("data-missing", "0")
        assert shown(timeline) != whole
        assert tiles
        # A bar of a tile is found by the pointer as one of the figure's.
        timeline.mouse.move(*bar_in_sight(timeline))
        expect(timeline.locator(".ts-bar-card")).to_contain_text("cycles")


@pytest.mark.slow
def test_a_tile_is_folded_and_pinned_by_keys_and_the_address_keeps_it(timeline):
    lanes = (
        """document.querySelector('#run-timeline .js-plotly-plot')?.layout?.meta?.bars.rows.track"""
    )
    before = timeline.evaluate(lanes)
    menu = timeline.get_by_role("button", name="fold and pin")
    menu.focus()
    timeline.keyboard.press("Enter")
    button = timeline.locator("#timeline .ts-lane").last.get_by_role("button")
    button.first.focus()
    timeline.keyboard.press("Enter")
    expect(timeline).to_have_url(re.compile(r"pinned=\d+"))
    timeline.wait_for_function(f"last => {lanes}[0] === last", arg=before[-1])
    # The head of a view is not drawn again, but its buttons follow.
    expect(button.first).to_have_attribute("aria-pressed", "true")
    expect(button.last).to_have_attribute("aria-pressed", "false")
    timeline.goto(re.sub("pinned", "folded", timeline.url))
    timeline.wait_for_function(f"count => {lanes}?.length < count", arg=len(before))


@pytest.mark.slow
def test_f_fits_the_iteration_that_is_selected(page):
    page.goto(f"{address_of(page, 'npu2')}?iteration=1")
    expect(page.locator("#run-timeline .ts-bars")).to_be_attached()
    whole = shown(page)
    page.keyboard.press("F")
    wait_for_another_window(page, whole)
    begin, end = shown(page)
    assert end - begin < whole[1] - whole[0]
    expect(page).to_have_url(re.compile(f"window={begin}-{end}"))


@pytest.mark.slow
def test_a_drag_pans_and_a_drag_with_shift_selects(timeline):
    first, last = shown(timeline)
    box = area_of(timeline)
    timeline.keyboard.down("Shift")
    drag(timeline, box, 0.25, 0.75)
    timeline.keyboard.up("Shift")
    wait_for_another_window(timeline, (first, last))
    begin, end = shown(timeline)
    assert end - begin == pytest.approx((last - first) / 2, rel=0.02)
    wait_until_idle(timeline)
    drag(timeline, area_of(timeline), 0.5, 0.6)
    wait_for_another_window(timeline, (begin, end))
    moved = shown(timeline)
    assert moved[1] - moved[0] == end - begin
    assert begin - moved[0] == pytest.approx((end - begin) / 10, rel=0.05)
    expect(timeline).to_have_url(re.compile(f"window={moved[0]}-{moved[1]}"))


def test_the_wheel_zooms_at_the_pointer_with_ctrl_and_scrolls_without(timeline):
    first, last = shown(timeline)
    box = area_of(timeline)
    timeline.mouse.move(box["x"] + box["width"] / 4, box["y"] + 40)
    top = timeline.evaluate("scrollY")
    timeline.keyboard.down("Control")
    timeline.mouse.wheel(0, -300)
    timeline.keyboard.up("Control")
    wait_for_another_window(timeline, (first, last))
    begin, end = shown(timeline)
    assert begin - first == pytest.approx((last - first) / 8, rel=0.05)
    assert timeline.evaluate("scrollY") == top
    timeline.mouse.wheel(0, -60)
    timeline.wait_for_function("top => scrollY < top", arg=top)
    assert shown(timeline) == (begin, end)


@pytest.mark.slow
def test_the_strip_marks_the_window_by_a_small_answer(timeline):
    whole = shown(timeline)
    with timeline.expect_response(lambda r: DRAWS in (r.request.post_data or "")) as answer:
        timeline.keyboard.press("w")
    check_that_an_answer_is_small(answer.value)
    wait_for_another_window(timeline, whole)
    begin, end = shown(timeline)
    expect(timeline).to_have_url(re.compile(f"window={begin}-{end}"))
    wait_until_idle(timeline)
    extent = timeline.evaluate(
        "tilescope.timeline.layer.barsOf(document.querySelector('#run-timeline .js-plotly-plot')).extent"
    )
    marks = [[extent[0], begin], [end, extent[1]], [begin, end]]
    wait_until_equal(lambda: timeline.evaluate(STRIP), marks)
    timeline.keyboard.press("Escape")
    timeline.wait_for_function(f"() => {STRIP}.length === 0")


def test_a_bar_has_a_card_and_a_click_selects_its_tile(timeline):
    area_of(timeline)
    timeline.mouse.move(*kernel_bar(timeline))
    card = timeline.locator(".ts-bar-card")
    expect(card).to_contain_text("cycles")
    track = card.locator("b").inner_text().split(" · ")[1]
    timeline.mouse.down()
    timeline.mouse.up()
    expect(timeline.locator("#run-selection .ts-chip").first).to_contain_text(track)
    timeline.mouse.move(1, 1)
    expect(card).to_have_count(0)


def check_that_a_saved_picture_has_the_bars(timeline):
    figure = timeline.evaluate(
        "tilescope.timeline.saving.figureOf(document.querySelector('#run-timeline .js-plotly-plot')).layout"
    )
    (image,) = figure["images"]
    assert image["source"].startswith("data:image/png;base64,")
    assert figure["paper_bgcolor"] != "rgba(0,0,0,0)"


@pytest.mark.slow
def test_a_timeline_fits_a_narrow_page(page):
    address = address_of(page, "npu2")
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(address)
    canvas = page.locator("#run-timeline .ts-bars")
    expect(canvas).to_be_attached()
    page.wait_for_function(
        """() => document.querySelector("#run-timeline .ts-bars").getBoundingClientRect().width <= 400"""
    )


def check_that_a_panel_for_other_sites_paints_the_bars(timeline):
    signed = timeline.evaluate(
        """async () => (await (await fetch("/api/v1/embeds", {method: "POST", headers: {"Content-Type": "application/json"},
        body: JSON.stringify({path: location.pathname, view: "timeline"})})).json()).url"""
    )
    timeline.goto(signed)
    bars = timeline.locator(".ts-bars")
    expect(bars).to_have_attribute("data-window", re.compile(r"\d+-\d+"))
    painted = """(bars) => bars.getContext("2d").getImageData(0, 0, bars.width, bars.height).data.some((part) => part)"""
    wait_until_equal(lambda: bars.evaluate(painted), True)


@pytest.mark.slow
def test_a_page_that_is_only_read_loads_no_tiles_and_its_picture_and_panel_have_the_bars(page):
    tiles = []
    page.on("request", lambda r: tiles.append(r.url) if "/timeline/" in r.url else None)
    open_run(page, "npu2", "run-timeline")
    wait_until_still(page)
    check_that_a_saved_picture_has_the_bars(page)
    assert tiles == []
    check_that_a_panel_for_other_sites_paints_the_bars(page)
