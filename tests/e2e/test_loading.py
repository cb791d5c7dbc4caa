"""What the browser fetches for a page, and when."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import address_of, wait_until_idle
from tests.support.marks import quick_first

CONTENT = "_pages_content"
NAMES = ("training", "npu2", "compile", "toy", "problem")
UNKNOWN_TRACES = """() => [...document.querySelectorAll(".js-plotly-plot")].flatMap(
    (plot) => plot.data.map(({type}, at) => [type, plot._fullData[at].type])
).filter(([asked, made]) => asked !== made)"""

# Notes in which task each plot appears: messages to itself are tasks.
TASKS = """() => {
    const {port1, port2} = new MessageChannel();
    let task = 0;
    port1.onmessage = () => { task += 1; port2.postMessage(null); };
    port2.postMessage(null);
    window.tasks = {};
    const note = () => document.querySelectorAll(".ts-graph").forEach((graph) => {
        if (graph.querySelector(".main-svg") && !(graph.id in window.tasks)) { window.tasks[graph.id] = task; }
    });
    new MutationObserver(note).observe(document, {childList: true, subtree: true});
}"""
ALL_DRAWN = """() => {
    const plots = [...document.querySelectorAll(".ts-graph")];
    return plots.length && plots.every((plot) => plot.querySelector(".main-svg"));
}"""
# Draws plots at once, each at its height, and returns the order in which they are done.
DRAWN = """async (tops) => {
    const done = [];
    await Promise.all(tops.map((top) => {
        const plot = document.createElement("div");
        plot.style = `position: absolute; left: 0; top: ${top}px; width: 200px; height: 100px`;
        document.body.append(plot);
        return Plotly.react(plot, [{x: [1], y: [top]}]).then(() => done.push(top));
    }));
    return done;
}"""


@pytest.fixture
def asked(new_page):
    """Every request of the page that has everything to fetch, as its path and body."""
    seen = []
    new_page.on(
        "request",
        lambda r: seen.append((re.sub(r"^https?://[^/]+|\?.*", "", r.url), r.post_data or "")),
    )
    return seen


def check_that_the_small_plotly_is_fetched_and_nothing_twice(asked):
    paths = [path for path, _ in asked]
    assert [re.sub(r"[0-9a-f]{12}", "", path) for path in paths if "plotly" in path] == [
        "/assets/plotly-cartesian.min..js"
    ]
    for path in (
        "/_dash-layout",
        "/_dash-dependencies",
        "/_dash-component-suites/dash/dcc/async-graph.js",
    ):
        assert paths.count(path) == 1, path
    assert len([body for _, body in asked if CONTENT in body]) == 1


@pytest.mark.slow
def test_a_page_is_requested_and_its_first_sentence_read_before_dash_runs(page):
    address = address_of(page, "npu2")
    held = []

    def hold(route):
        held.append(route)

    page.route(re.compile("dash_renderer"), hold)
    with page.expect_request(lambda request: CONTENT in (request.post_data or "")):
        page.goto(f"{address}?track=core+2,0", wait_until="commit")
    while not held:
        page.wait_for_timeout(50)
    lines = page.locator(".ts-early p")
    expect(lines).to_have_count(3)
    title, sentence, _ = lines.all_inner_texts()
    held[0].continue_()
    expect(page.locator("#run-selection .ts-chip")).to_contain_text("2,0")
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page.locator("#run-sentence")).to_have_text(sentence)
    expect(lines).to_have_count(0)


@pytest.mark.slow
def test_pages_that_follow_are_requested_anew(new_page, asked):
    page = new_page
    address = address_of(page, "npu2")
    page.goto(address)
    expect(page.locator("#run-timeline .ts-bars")).to_be_attached()
    asked.clear()
    page.get_by_role("link", name="Runs", exact=True).click()
    expect(page.locator("#runs-grid .ag-row").first).to_be_visible()
    page.go_back()
    expect(page.locator("#run-timeline .ts-bars")).to_be_attached()
    assert len([body for _, body in asked if CONTENT in body]) == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", quick_first(*NAMES))
def test_every_trace_is_drawn_as_what_it_is(page, name):
    page.goto(address_of(page, name))
    page.wait_for_function(ALL_DRAWN)
    assert page.evaluate(UNKNOWN_TRACES) == []


@pytest.mark.slow
def test_plots_are_drawn_in_tasks_of_their_own(new_page):
    page = new_page
    address = address_of(page, "npu2")
    page.add_init_script(f"({TASKS})()")
    page.goto(address)
    page.wait_for_function(ALL_DRAWN)
    tasks = page.evaluate("window.tasks")
    assert len(tasks) > 5
    assert len(set(tasks.values())) == len(tasks)


def check_that_plots_in_sight_are_drawn_first(page):
    assert page.evaluate(DRAWN, [9000, 100, 3000, 200, 1500]) == [100, 200, 1500, 3000, 9000]


def check_that_a_plot_that_left_the_page_is_not_waited_for(page):
    gone = "Plotly.react(document.createElement('div'), [{y: [1]}]).then((plot) => plot.childElementCount)"
    assert page.evaluate(gone) == 0
    assert page.evaluate(DRAWN, [100]) == [100]


def check_that_an_error_in_one_plot_does_not_stop_the_next(page):
    broken = "Plotly.react(document.body, [{get type() { throw new Error('broken'); }}]).catch(({message}) => message)"
    assert page.evaluate(broken) == "broken"
    assert page.evaluate(DRAWN, [100]) == [100]


@pytest.mark.slow
def test_a_run_page_fetches_what_it_needs_once_and_draws_plots_in_order(new_page, asked):
    page = new_page
    address = address_of(page, "npu2")
    asked.clear()
    page.goto(address)
    expect(page.locator("#run-timeline .ts-bars")).to_be_attached()
    wait_until_idle(page)
    check_that_the_small_plotly_is_fetched_and_nothing_twice(asked)
    check_that_plots_in_sight_are_drawn_first(page)
    check_that_a_plot_that_left_the_page_is_not_waited_for(page)
    check_that_an_error_in_one_plot_does_not_stop_the_next(page)
