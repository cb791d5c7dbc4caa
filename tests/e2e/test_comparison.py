"""Runs against each other in a browser: from the verdict to the place that made the change."""

import re

import pytest
from playwright.sync_api import expect

from components.runs.list_address import LIST_PATH
from tests.e2e.conftest import end_history_step, serving, wait_until_idle
from tests.e2e.readings import expect_nothing_sideways, middle_of, place_of, wait_until_still
from tests.support.comparisons import Pairs
from tests.support.marks import quick_first

CHIPS = "#compare-selection .ts-chip"
RANGE = "id => document.querySelector(`#${id} .js-plotly-plot`)._fullLayout.xaxis.range.slice()"
PLACES = {"aie slow": "track=core", "problem larger": "block=", "profile slow": "kernel=r_8_8"}
"""Pair -> what the largest cause selects."""


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    """The pairs, and the address of a server that has them."""
    pairs = Pairs(tmp_path_factory.mktemp("pairs"))
    for name in (*PLACES, "aie same", "problem hostile"):
        pairs.runs(name)
    with serving(pairs.place) as address:
        yield pairs, address
    pairs.repository.catalogue.close()


@pytest.fixture
def tab(tabs, compared):
    """A tab of the server of the pairs."""
    with tabs.watched(compared[1]) as opened:
        yield opened


def open_pair(tab, compared, pair, more=""):
    tab.goto(f"/compare?{compared[0].query(pair, more)}")
    expect(tab.locator("#compare-attribution .bars .point").first).to_be_attached()
    wait_until_still(tab)


def click_cause(tab):
    """Click the first bar of the causes: those of base and new are in the trace before them."""
    bar = tab.locator("#compare-attribution .trace.bars").nth(1).locator(".point path").first
    tab.mouse.click(*middle_of(bar))


@pytest.mark.slow
@pytest.mark.parametrize("pair", quick_first(*PLACES))
def test_nothing_scrolls_and_the_largest_cause_leads_to_its_place(tab, compared, pair):
    open_pair(tab, compared, pair)
    expect_nothing_sideways(tab, 900, 1440)
    wait_until_still(tab)
    expect(tab.locator("#compare-verdict-body .ts-verdict-badge")).to_contain_text("regressed")
    end_history_step(tab)
    click_cause(tab)
    chip = tab.locator(CHIPS).first
    expect(chip).to_be_visible()
    expect(tab).to_have_url(re.compile(PLACES[pair]))
    wait_until_idle(tab)
    said = chip.inner_text()
    tab.reload()
    expect(tab.locator(CHIPS).first).to_have_text(said, use_inner_text=True)
    expect(tab).to_have_url(re.compile(PLACES[pair]))
    tab.go_back()
    expect(tab).not_to_have_url(re.compile(PLACES[pair]))
    expect(tab.locator(CHIPS)).to_have_count(0)


@pytest.mark.slow
def test_from_two_runs_of_the_list_to_the_place_and_a_file(tab, compared):
    base, new = (side[0] for side in compared[0].runs("aie slow"))
    tab.goto(LIST_PATH)
    for run in (base, new):
        tab.locator(f'.ag-row[row-id="{run}"] .ag-selection-checkbox input').first.click()
    tab.locator("#runs-compare").click()
    expect(tab).to_have_url(re.compile(f"/compare\\?base={base}&new={new}"))
    expect(tab.locator("#compare-verdict-body .ts-verdict-badge")).to_contain_text("regressed")
    click_cause(tab)
    expect(tab).to_have_url(re.compile("track=core"))
    expect(tab.locator("#compare-snapshot")).to_have_attribute("href", re.compile("track=core"))
    with tab.expect_download() as begun:
        tab.locator("#compare-snapshot").click()
    assert "tile core" in begun.value.path().read_text(encoding="utf-8")


@pytest.mark.slow
def test_back_takes_a_selection_away_and_controls_follow(tab, compared):
    open_pair(tab, compared, "profile slow")
    marker = tab.locator("select[id*='\"iteration\"']")
    expect(marker).to_have_value("0")
    end_history_step(tab)
    marker.select_option("3")
    expect(tab).to_have_url(re.compile("iteration=3"))
    tab.go_back()
    expect(tab).not_to_have_url(re.compile("iteration="))
    expect(tab.locator(CHIPS)).to_have_count(0)
    expect(marker).to_have_value("0")


@pytest.mark.slow
def test_escape_shows_all_of_both_sides(tab, compared):
    open_pair(tab, compared, "aie slow", "track=core+3,0&iteration=2&window=0-20000")
    expect(tab.locator(CHIPS)).to_have_count(4)
    tab.keyboard.press("Escape")
    expect(tab.locator(CHIPS)).to_have_count(0)
    expect(tab).not_to_have_url(re.compile("track=|iteration=|window="))


def check_that_a_zoom_in_one_timeline_moves_both(tab):
    tab.locator("#timeline-base").scroll_into_view_if_needed()
    expect(tab.locator("#compare-timeline-base .ts-bars")).to_be_attached()
    expect(tab.locator("#compare-timeline-new .ts-bars")).to_be_attached()
    plot = place_of(tab.locator("#compare-timeline-base .nsewdrag").first)
    before = tab.evaluate(RANGE, "compare-timeline-new")
    assert before == tab.evaluate(RANGE, "compare-timeline-base")
    tab.mouse.move(plot["x"] + plot["width"] * 0.3, plot["y"] + 60)
    tab.keyboard.down("Shift")
    tab.mouse.down()
    tab.mouse.move(plot["x"] + plot["width"] * 0.5, plot["y"] + 62, steps=8)
    tab.mouse.up()
    tab.keyboard.up("Shift")
    expect(tab).to_have_url(re.compile("window="))
    tab.wait_for_function(f"before => ({RANGE})('compare-timeline-new')[0] > before[0]", arg=before)
    wait_until_still(tab)
    tab.wait_for_function(
        f"() => String(({RANGE})('compare-timeline-base')) === String(({RANGE})('compare-timeline-new'))"
    )
    base = tab.evaluate(RANGE, "compare-timeline-base")
    assert before[0] < base[0] < base[1] < before[1]
    area = place_of(tab.locator("#compare-timeline-new .nsewdrag").first)
    tab.mouse.dblclick(area["x"] + area["width"] / 2, area["y"] + 6)
    expect(tab).not_to_have_url(re.compile("window="))


def check_that_tracks_fold_and_pin_in_both_by_keyboard(tab):
    lanes = """["base", "new"].map((side) =>
        document.querySelector(`#compare-timeline-${side} .js-plotly-plot`)?.layout?.meta?.bars.rows.track)"""
    before = tab.evaluate(lanes)
    tab.get_by_role("button", name="fold and pin").focus()
    tab.keyboard.press("Enter")
    pin, fold = tab.locator("#timeline-base .ts-lane").last.locator("button").all()
    expect(pin).to_have_attribute("aria-pressed", "false")
    pin.focus()
    tab.keyboard.press("Enter")
    expect(tab).to_have_url(re.compile(r"pinned=\d+"))
    expect(pin).to_have_attribute("aria-pressed", "true")
    last = [rows[-1] for rows in before]
    tab.wait_for_function(
        f"last => String({lanes}.map((rows) => rows?.[0])) === String(last)", arg=last
    )
    fold.focus()
    tab.keyboard.press("Enter")
    expect(fold).to_have_attribute("aria-pressed", "true")
    counts = [len(rows) for rows in before]
    tab.wait_for_function(
        f"counts => {lanes}.every((rows, side) => rows?.length < counts[side])", arg=counts
    )
    tab.reload()
    expect(pin).to_have_attribute("aria-pressed", "true")
    expect(fold).to_have_attribute("aria-pressed", "true")
    tab.get_by_label("height of lanes").select_option("2.4")
    expect(tab).to_have_url(re.compile("laneheight=2.4"))


@pytest.mark.slow
def test_a_zoom_folds_and_pins_are_the_same_in_both_timelines(tab, compared):
    open_pair(tab, compared, "aie slow")
    check_that_a_zoom_in_one_timeline_moves_both(tab)
    wait_until_still(tab)
    check_that_tracks_fold_and_pin_in_both_by_keyboard(tab)


@pytest.mark.slow
def test_a_run_side_by_side_shows_its_details_on_a_click(tab, compared):
    pairs = compared[0]
    base, again, slow = (pairs.run(name) for name in ("aie", "aie again", "aie slow"))
    tab.goto(f"/compare?base={base}&new={again}&new={slow}")
    badge = tab.locator("#compare-verdict-body .ts-verdict-badge")
    expect(badge).to_contain_text("unchanged")
    tab.get_by_role("button", name="aie slow").click()
    expect(badge).to_contain_text("regressed")
    expect(tab).to_have_url(re.compile(f"shown={slow}"))
    expect(tab.locator("#compare-attribution .bars .point").first).to_be_attached()


@pytest.mark.slow
@pytest.mark.parametrize("pair", ("aie slow", "problem hostile", "profile slow"))
def test_the_snapshot_is_a_page_that_needs_no_server(tab, compared, tmp_path, pair):
    open_pair(tab, compared, pair)
    with tab.expect_download() as saved:
        tab.locator("#compare-snapshot").click()
    path = tmp_path / "snapshot.html"
    saved.value.save_as(path)
    tab.goto(path.as_uri())
    expect(tab.locator(".js-plotly-plot .bars .point").first).to_be_attached()
    tab.wait_for_function(
        "() => [...document.querySelectorAll('.js-plotly-plot')].every((plot) => plot._fullLayout)"
    )
    expect(tab.locator("body")).to_contain_text("regressed")
