"""How pages fill their room: full rows, no blank beneath plots, facets that say what they hide."""

import pytest
from playwright.sync_api import expect

from components.runs.list_address import list_address
from tests.e2e.conftest import SETTINGS, cli, open_run, put_trace, serving, wait_until_idle
from tests.e2e.readings import wait_until_equal
from tests.support.marks import quick_first

NEAR_PX = 12
"""Borders and a line's padding."""
ROWS = """() => [...document.querySelectorAll(".ts-rows")].map((row) => {
    const {left, right} = row.getBoundingClientRect();
    const shown = [...row.children].filter((panel) => panel.offsetHeight).map((panel) => panel.getBoundingClientRect());
    return [left, right, shown.map((box) => [box.left, box.right, box.top, box.bottom])];
})"""
BLANKS = """() => [...document.querySelectorAll(".ts-rows .ts-panel:has(.ts-graph)")].map((panel) => {
    const shown = [...panel.children].filter((part) => part.offsetHeight);
    return [panel.id, panel.getBoundingClientRect().bottom - shown.at(-1).getBoundingClientRect().bottom];
}).filter(([, blank]) => blank > %d)"""
UNFILLED = """() => [...document.querySelectorAll(".ts-rows .ts-graph:not(.ts-nothing)")].map((graph) =>
    [graph.id, graph.offsetHeight, graph.querySelector(".main-svg")?.getBoundingClientRect().height ?? 0]
).filter(([, room, drawn]) => Math.abs(room - drawn) > 2)"""

DRAWN = """() => [...document.querySelectorAll(".ts-graph:not(.ts-nothing)")].every(
    (graph) => !graph.offsetWidth || graph.querySelector(".modebar-btn"))"""
COVERED = """() => {
    const meet = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
        && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
    const lines = (words) => {
        const range = document.createRange();
        range.selectNodeContents(words);
        return [...range.getClientRects()];
    };
    const beside = "svg text, .legend, .colorbar, select, input, button:not(.modebar-btn), label, .ts-panel-title";
    return [...document.querySelectorAll(".ts-figure .modebar")].flatMap((tools) => {
        const panel = tools.closest(".ts-panel");
        const parts = [...panel.querySelectorAll(beside)].map((part) => part.getBoundingClientRect());
        const words = [...panel.querySelectorAll(".ts-answer, .ts-panel-hint")].flatMap(lines);
        const covered = [...parts, ...words].filter((box) => meet(tools.getBoundingClientRect(), box));
        return covered.map((box) => [tools.closest(".ts-graph").id, box.left, box.top]);
    });
}"""


def ragged(page):
    """Return the rows that do not reach both edges, or whose panels differ in height."""
    found = []
    for left, right, boxes in page.evaluate(ROWS):
        for top in {box[2] for box in boxes}:
            row = [box for box in boxes if box[2] == top]
            ends = {round(box[3]) for box in row}
            if (
                len(ends) > 1
                or min(box[0] for box in row) - left > 1
                or right - max(box[1] for box in row) > 1
            ):
                found.append(row)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, plot",
    quick_first(("compile", "run-map"), ("128x64x64", "run-iterations"), ("training", "run-map")),
)
def test_rows_are_full_plots_fill_their_panels_and_their_tools_cover_nothing(page, name, plot):
    open_run(page, name, plot)
    for width in (1440, 900):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(DRAWN)
        for script in (UNFILLED, BLANKS % NEAR_PX, COVERED):
            wait_until_equal(lambda script=script: page.evaluate(script), [])
        wait_until_equal(lambda: ragged(page), [])
    tool = page.locator(f"#{plot} .modebar-btn").first
    tool.hover()
    expect(page.locator(f"#{plot} .modebar")).to_have_css("opacity", "1")


@pytest.mark.slow
def test_a_plot_without_anything_drawn_takes_a_line_and_comes_back(page):
    open_run(page, "128x64x64", "run-iterations")
    page.locator("select.run-method").select_option("reference")
    waterfall = page.locator("#waterfall")
    expect(waterfall.locator(".ts-graph")).to_be_hidden()
    expect(waterfall.locator(".ts-answer")).not_to_be_empty()
    page.wait_for_function("""() => document.getElementById("waterfall").offsetHeight < 80""")
    page.locator("select.run-method").select_option("robust")
    expect(waterfall.locator(".ts-graph")).to_be_visible()
    wait_until_equal(lambda: page.evaluate(UNFILLED), [])


@pytest.fixture(scope="module")
def machines(tmp_path_factory):
    """The address of a server with runs of twelve hwids."""
    outputs, store = tmp_path_factory.mktemp("outputs"), tmp_path_factory.mktemp("machines")
    for number in range(12):
        put_trace(
            outputs,
            f"npu{number:02}",
            (64, 64, 64),
            ("2,1",),
            (1, 1),
            iterations=2,
            kernels=2 + number,
        )
    cli("ingest", str(outputs), "--data", str(store), *SETTINGS)
    with serving(store) as address:
        yield address


@pytest.mark.slow
def test_a_facet_says_how_many_values_it_hides_and_shows_them(browser, machines):
    context = browser.new_context(base_url=machines)
    page = context.new_page()
    page.goto(list_address({"hwid": "npu11"}))
    hwids = page.locator(".ts-facet", has=page.get_by_text("hwid", exact=True))
    shown = hwids.locator(".form-check:visible")
    more = hwids.locator(".ts-facet-more")
    expect(more).to_contain_text("3")
    expect(shown).to_have_count(9)  # the first eight and the chosen one
    more.click()
    expect(shown).to_have_count(12)
    more.click()
    expect(shown).to_have_count(9)
    expect(page.locator(".ts-facet-more:visible")).to_have_count(1)
    context.close()


@pytest.mark.slow
@pytest.mark.parametrize("path", quick_first("/", list_address(), "/trends", "/jobs", "/nothing"))
def test_a_narrow_window_scrolls_downwards_only(page, path):
    page.set_viewport_size({"width": 400, "height": 900})
    page.goto(path)
    wait_until_idle(page)
    page.wait_for_function("() => document.documentElement.scrollWidth === 400")


@pytest.mark.slow
def test_menus_of_the_list_fit_a_narrow_window(page):
    page.set_viewport_size({"width": 400, "height": 900})
    page.goto(list_address())
    wait_until_idle(page)
    for menu in ("#runs-views-menu", "#runs-chooser"):
        page.locator(f"{menu} summary").click()
        page.wait_for_function(
            """popup => { const {left, right} = document.querySelector(popup).getBoundingClientRect();
                          return 0 <= left && right <= 400; }""",
            arg=f"{menu} .ts-popup",
        )
