"""Counters below a timeline in a browser: their lanes, card, option, table, and snapshot."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import ingested, serving, snapshot_offline, wait_until_idle
from tests.e2e.readings import place_of, wait_until_equal, wait_until_still
from tests.support.kineto_trace import two_steps, write_trace

pytestmark = pytest.mark.slow

PLOT = "#run-timeline .js-plotly-plot"
LANES = f"document.querySelector('{PLOT}')?.layout?.meta?.bars?.counters.map((lane) => lane.name)"
ROWS = "#run-countersinview-body tbody tr"
FIRST_LANE = """() => {
    const {layer} = tilescope.timeline;
    const plot = document.querySelector("#run-timeline .js-plotly-plot");
    const [{counters: [lane]}, view] = [layer.modelOf(plot), layer.viewOf(plot)];
    return {top: view.y(lane.y - lane.size / 2), bottom: view.y(lane.y + lane.size / 2), perTick: view.perTick};
}"""
"""Edges of the first counter's lane and the width of a tick, in pixels of the plot's area."""
INKED = """([left, top, width, height]) => {
    const {layer} = tilescope.timeline;
    const plot = document.querySelector(".js-plotly-plot[data-bars]");
    const {x0, y0, ratio} = layer.viewOf(plot);
    const pen = plot.querySelector(".ts-bars").getContext("2d");
    const box = [left + x0, top + y0, width, height].map((size) => Math.round(size * ratio));
    return pen.getImageData(...box).data.some((value) => value);
}"""
"""Whether the canvas has any ink in a box of the plot's area."""
WAITING_NS = 155_000
"""A time at which the first launched execution of `two_steps` waits."""
IDLE_NS = 700_000


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    """The address of a server with a trace that has counters, and that of its page."""
    folder = tmp_path_factory.mktemp("counters")
    ((_, path),) = ingested(folder / "data", write_trace(folder / "files", two_steps())).items()
    with serving(folder / "data") as address:
        yield address, path


@pytest.fixture
def counters(tabs, trace):
    """The page of the trace, with its timeline drawn."""
    with tabs.watched(trace[0]) as page:
        page.goto(trace[1])
        expect(page.locator("#run-timeline .ts-bars")).to_be_attached()
        wait_until_still(page)
        yield page


def has_ink(page, time, lane):
    """Read whether the upper half of a lane is painted at a time."""
    return page.evaluate(INKED, [time * lane["perTick"] - 2, lane["top"] + 3, 4, 8])


def test_a_lane_has_its_value_where_the_counter_has_one(counters):
    lane = counters.evaluate(FIRST_LANE)
    wait_until_equal(lambda: has_ink(counters, WAITING_NS, lane), True)
    wait_until_equal(lambda: has_ink(counters, IDLE_NS, lane), False)
    area = place_of(counters.locator("#run-timeline .nsewdrag").first)
    lane = counters.evaluate(FIRST_LANE)
    counters.mouse.move(area["x"] + WAITING_NS * lane["perTick"], area["y"] + lane["top"] + 12)
    expect(counters.locator(".ts-bar-card")).to_contain_text("1 executions")
    counters.mouse.move(area["x"] + IDLE_NS * lane["perTick"], area["y"] + lane["top"] + 12)
    expect(counters.locator(".ts-bar-card")).to_contain_text("0 executions")


def test_counters_are_hidden_by_an_option_that_the_address_keeps(counters):
    names = counters.evaluate(LANES)
    assert len(names) == 2
    choice = counters.get_by_label("counters below the lanes")
    choice.select_option("hidden")
    expect(counters).to_have_url(re.compile("counters=hidden"))
    counters.wait_for_function(f"() => {LANES}?.length === 0")
    counters.goto(counters.url)
    expect(choice).to_have_value("hidden")
    choice.select_option("shown")
    expect(counters).not_to_have_url(re.compile("counters="))
    counters.wait_for_function(f"names => String({LANES}) === String(names)", arg=names)


def test_the_table_is_read_by_keyboard_and_follows_the_window(counters):
    names = counters.evaluate(LANES)
    fold = counters.locator("details:has(#countersinview) > summary")
    fold.focus()
    counters.keyboard.press("Enter")
    rows = counters.locator(ROWS)
    expect(rows).to_have_count(len(names))
    expect(rows.locator("th")).to_have_text(names)
    first = rows.first.locator("td")
    expect(first.nth(4)).to_have_text("1")
    counters.goto(f"{counters.url}?window={IDLE_NS}-{IDLE_NS + 100_000}")
    expect(first.nth(4)).to_have_text("0")


def test_a_snapshot_has_the_lanes_and_the_table(counters, browser, tmp_path):
    lane = counters.evaluate(FIRST_LANE)
    names = counters.evaluate(LANES)
    wait_until_idle(counters)
    with snapshot_offline(counters, browser, tmp_path / "run.html") as offline:
        expect(offline.locator(".ts-bars").first).to_be_attached()
        wait_until_equal(lambda: has_ink(offline, WAITING_NS, lane), True)
        for name in names:
            expect(offline.get_by_role("cell", name=name, exact=True).first).to_be_attached()
