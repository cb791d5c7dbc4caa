"""The list of runs: keys wherever the focus is, names that are told apart, columns that fit, facets out of the way."""

import re

import pytest
from playwright.sync_api import expect

from components.runs.list_address import LIST_PATH
from storage.baselines import Baselines
from tests.e2e.conftest import serving, wait_until_idle
from tests.e2e.readings import place_of, wait_until_equal
from tests.support.runs import catalogue_of

WIDE = "WWWWWWWWWWWWWWWW-"
"""Begin of names that fit by their number of characters, and are wider than their column."""
NAMES = (f"{WIDE}TetrisRandom", f"{WIDE}TetrisSorted", "third")
HELD = """() => {
    const row = document.activeElement.closest("#runs-grid .ag-row");
    return row && Number(row.getAttribute("row-index"));
}"""

HAS_WHOLE_TAIL = """cell => cell.querySelector(".ts-tail").getBoundingClientRect().right
    <= cell.getBoundingClientRect().right"""
IN_VIEW = """column => {
    const view = document.querySelector("#runs-grid .ag-center-cols-viewport").getBoundingClientRect();
    const cell = document.querySelector(`#runs-grid .ag-row[row-index='0'] [col-id='${column}']`);
    const {left, right} = cell?.getBoundingClientRect() ?? {};
    return left >= view.left && right <= view.right + 1;
}"""
WHOLE_HEADLINES = """() => [...document.querySelectorAll("#runs-grid .ts-headline-cell")]
    .every((cell) => cell.scrollWidth <= cell.clientWidth)"""
NOTE_WIDTHS = """() => {
    window.pageWidths = new Set();
    const note = () => {
        if (innerWidth === 400) { window.pageWidths.add(document.documentElement.scrollWidth); }
        requestAnimationFrame(note);
    };
    note();
}"""
"""Notes how wide the page is in each frame of a window of 400 px."""


@pytest.fixture(scope="module")
def three_runs(tmp_path_factory):
    """The address of a server with three runs: the oldest is a baseline, and the newest has another
    key.
    """
    data = tmp_path_factory.mktemp("data")
    (data / "frames").mkdir()
    values = {
        "hwid": "npu2",
        "gmacs_mean": 600.0,
        "gmacs_best": 700.0,
        "utilization": 0.5,
        "peak_memory": 9_000.0,
    }
    rows = [{"name": name, "tags": "nightly", **values} for name in reversed(NAMES)]
    rows[-1]["hwid"] = "npu1"
    catalogue = catalogue_of(f"sqlite:///{data}/catalogue.db", *rows)
    Baselines(catalogue).set("nightly", [f"{0:064x}"])
    catalogue.close()
    with serving(data) as address:
        yield address


@pytest.fixture
def listed(tabs, three_runs):
    """The list of the runs, the newest first."""
    with tabs.watched(three_runs) as page:
        page.goto(LIST_PATH)
        wait_until_idle(page)
        expect(page.locator("#runs-grid .ag-row").first).to_be_visible()
        yield page


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def test_keys_move_select_and_open_from_anywhere_on_the_page(listed):
    listed.locator(".ts-brand").focus()
    press(listed, "j")
    wait_until_equal(lambda: listed.evaluate(HELD), 0)
    press(listed, "j", "j", "j", "k")
    wait_until_equal(lambda: listed.evaluate(HELD), 1)
    press(listed, "Space")
    expect(listed.locator("#runs-selected")).to_have_text("1 selected")
    listed.locator("#runs-summary").click()
    wait_until_equal(lambda: listed.evaluate(HELD), None)
    press(listed, "Space")
    expect(listed.locator("#runs-selected")).to_have_text("none selected")
    listed.locator("#runs-summary").click()
    press(listed, "j", "Enter")
    expect(listed).to_have_url(re.compile(f"/run/{0:064x}"))


@pytest.mark.slow
def test_keys_are_letters_in_a_field_and_activate_what_has_the_focus(listed):
    press(listed, "j")
    listed.locator("#search").fill("")
    press(listed, "j", "Space")
    expect(listed.locator("#search")).to_have_value("j ")
    wait_until_equal(lambda: listed.evaluate(HELD), None)
    listed.locator("#search").fill("")
    listed.locator("#help-open").focus()
    press(listed, "Enter")
    expect(listed.locator(".modal.show")).to_be_visible()
    press(listed, "j", "Enter")
    wait_until_equal(lambda: listed.evaluate(HELD), None)
    expect(listed.locator("#runs-body")).to_be_attached()


@pytest.mark.slow
def test_a_link_leads_past_the_facets_to_the_list(listed):
    for _ in range(20):
        press(listed, "Tab")
        if listed.evaluate("document.activeElement.id") == "runs-skip":
            break
    expect(listed.locator("#runs-skip")).to_be_focused()
    press(listed, "Enter")
    wait_until_equal(lambda: listed.evaluate(HELD), 0)


def check_that_a_name_without_room_keeps_its_end_and_is_told_in_full(listed):
    for index, name in enumerate(NAMES):
        cell = listed.locator(
            f"#runs-grid .ag-pinned-left-cols-container .ag-row[row-index='{index}'] [col-id='name']"
        )
        expect(cell.locator(".ts-run-name")).to_have_attribute("title", name)
        expect(cell.locator(".ts-tail")).not_to_be_empty()
        assert name.endswith(cell.locator(".ts-tail").inner_text())
        wait_until_equal(lambda cell=cell: cell.evaluate(HAS_WHOLE_TAIL), True)


def check_that_every_row_has_its_headline_and_a_dash_says_why(listed):
    rows = listed.locator("#runs-grid .ag-center-cols-container .ag-row")
    expect(rows.locator("[data-headline='rate']")).to_have_count(len(NAMES))
    expect(rows.locator("[data-headline='rate']").first).to_contain_text("600 GMAC/s")
    dash = listed.locator("#runs-grid .ag-row[row-index='0'] [col-id='against']")
    expect(dash).to_have_text("–")
    dash.hover()
    expect(listed.locator(".ag-tooltip")).to_contain_text("no baseline")


@pytest.mark.slow
def test_rows_tell_names_and_headlines_and_headline_and_tags_are_in_view_beside_a_baseline(listed):
    check_that_a_name_without_room_keeps_its_end_and_is_told_in_full(listed)
    for column in ("against", "headline", "tags"):
        listed.wait_for_function(IN_VIEW, arg=column)
    check_that_every_row_has_its_headline_and_a_dash_says_why(listed)


@pytest.mark.slow
def test_rows_are_visible_while_ag_grid_has_not_computed_the_widths_of_columns(listed):
    listed.locator("#runs-grid .ag-root").evaluate("root => root.classList.add('ag-delay-render')")
    for part in ("row", "cell[col-id='headline']", "header-cell[col-id='headline']"):
        expect(listed.locator(f"#runs-grid .ag-{part}").first).to_be_visible()


@pytest.mark.slow
def test_sorting_by_headline_is_in_the_address(listed):
    listed.locator("#runs-grid .ag-header-cell[col-id='headline']").click()
    expect(listed).to_have_url(re.compile("sort=-headline"))
    expect(listed.locator("#runs-grid .ag-row").first).to_be_visible()


@pytest.mark.slow
def test_a_facet_is_shown_while_it_has_two_values(listed):
    expect(listed.locator("[data-facet=hwid]")).to_be_visible()
    expect(listed.locator("[data-facet=M]")).to_be_hidden()
    expect(listed.locator("#runs-summary")).to_contain_text("all: source aie, M 64")
    listed.locator("#search").fill("Tetris")
    expect(listed.locator("#runs-summary")).to_contain_text("2 of 3 runs")
    expect(listed.locator("[data-facet=hwid]")).to_be_visible()
    listed.locator("#search").fill("TetrisSorted")
    expect(listed.locator("[data-facet=hwid]")).to_be_hidden()


@pytest.mark.slow
def test_in_a_wide_window_the_name_takes_the_free_width_and_headlines_are_whole(listed):
    width = "#runs-grid .ag-header-cell[col-id='name']"
    before = place_of(listed.locator(width))["width"]
    listed.set_viewport_size({"width": 1920, "height": 900})
    expect(listed.locator("#runs-grid [data-headline]").first).to_be_visible()
    listed.wait_for_function(WHOLE_HEADLINES)
    listed.set_viewport_size({"width": 2200, "height": 900})
    tail = listed.locator("#runs-grid .ag-row[row-index='0'] .ts-run-name a")
    listed.wait_for_function(
        """([cell, before]) => document.querySelector(cell).getBoundingClientRect().width > before + 50""",
        arg=[width, before],
    )
    fits = "link => [...link.children].every(e => e.scrollWidth <= e.clientWidth)"
    wait_until_equal(lambda: tail.evaluate(fits), True)


def check_that_a_plot_that_is_not_resized_yet_does_not_widen_a_narrow_window(listed):
    plot = listed.locator("#runs-scatter .main-svg").first
    expect(plot).to_be_visible()
    width_before = place_of(plot)["width"]
    listed.evaluate(NOTE_WIDTHS)
    listed.set_viewport_size({"width": 400, "height": 900})
    listed.wait_for_function(
        """() => document.querySelector("#runs-scatter .main-svg").getBoundingClientRect().width < 400"""
    )
    assert width_before > 400
    assert listed.evaluate("[...window.pageWidths]") == [400]


@pytest.mark.slow
def test_in_a_narrow_window_runs_come_before_the_facets_which_a_button_opens(listed):
    fold, facets = listed.locator("#runs-facets-fold"), listed.locator("#runs-facets")
    expect(fold).to_be_hidden()
    expect(facets).to_be_visible()
    check_that_a_plot_that_is_not_resized_yet_does_not_widen_a_narrow_window(listed)
    expect(facets).to_be_hidden()
    expect(fold).to_have_attribute("aria-expanded", "false")
    listed.wait_for_function(
        """() => document.getElementById("runs-list").getBoundingClientRect().top < 400"""
    )
    fold.click()
    expect(facets).to_be_visible()
    expect(fold).to_have_attribute("aria-expanded", "true")
    listed.get_by_role("checkbox", name=re.compile("npu2")).check()
    expect(fold).to_contain_text("1")
    listed.wait_for_function("() => document.documentElement.scrollWidth === 400")
