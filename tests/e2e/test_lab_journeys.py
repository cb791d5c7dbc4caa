"""From a map to another placement of it: solve, watch, cancel, before and after, what if, out as files."""

import json
import re

import pytest
from playwright.sync_api import expect

from components.runs.list_address import list_address
from tests.e2e.conftest import ingested, serving, wait_until_idle
from tests.e2e.readings import middle_of
from tests.support.deeploy_fork import FORK
from tests.support.deeploy_run import write_run

SOLVED = "harbour.81920.solved"
LEVELS = "gull-L3-l1_10000-MiniMalloc"
HOLD = """names => {
    const send = window.fetch;
    window.held = {};
    window.sent = [];
    window.fetch = async (...request) => {
        window.sent.push(String(request[1]?.body));
        const answer = await send(...request);
        const name = names.find((one) => String(request[1]?.body).includes(`"changedPropIds":["${one}"]`));
        if (name && !(name in window.held)) {
            const read = await answer.json();
            answer.json = () => Promise.resolve(read);
            await new Promise((release) => { window.held[name] = release; });
        }
        return answer;
    };
}"""
"""Holds the first answers to what these properties ask, until the page lets them through."""
DRAWN_AND_WATCHED = ["lab-view.data", "lab-turn.data"]
COMPILED = 240_000
"""Milliseconds that a first search may take: it is compiled then."""


@pytest.fixture(scope="module")
def laboratory(tmp_path_factory, samples):
    """The folder of a store, and the addresses of its runs by name."""
    data, fork = (
        tmp_path_factory.mktemp("lab") / "data",
        tmp_path_factory.mktemp("branches") / "fork",
    )
    write_run(fork, FORK)
    return data, ingested(data, samples / "minimalloc", samples / "deeploy", fork)


@pytest.fixture(scope="module")
def server(laboratory):
    """The address of a server on it."""
    with serving(laboratory[0]) as address:
        yield address


def opened(page, address):
    page.goto(address)
    page.wait_for_selector("#lab-map .plotly", state="attached")
    wait_until_idle(page)
    return page


def solved(page, timeout=COMPILED):
    """Press Solve and wait until the search is over."""
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator("#lab-status")).not_to_have_text(re.compile("^Not solved yet"))
    expect(page.locator("#lab-cancel")).to_be_hidden(timeout=timeout)
    expect(page.get_by_role("button", name="Solve", exact=True)).to_be_enabled()
    wait_until_idle(page)


def choose(page, name, value):
    page.locator(f"select[id*='\"{name}\"']").select_option(value)
    wait_until_idle(page)


@pytest.mark.slow
def test_a_map_leads_to_the_lab_and_back(page, laboratory):
    page.goto(laboratory[1][SOLVED])
    page.get_by_role("link", name="Try other placements").click()
    expect(page).to_have_url(re.compile(r"/lab\?attempt=0"))
    expect(page.locator("#lab-status")).to_contain_text("press Solve")
    page.get_by_role("link", name="‹ run").click()
    expect(page).to_have_url(re.compile(r"/run/\w+\?attempt=0$"))


@pytest.mark.slow
def test_a_search_proves_its_placement_and_a_colleague_sees_it(page, tabs, server, laboratory):
    opened(page, laboratory[1][SOLVED] + "/lab")
    solved(page)
    expect(page.locator("#lab-status")).to_contain_text("Proved least")
    expect(page.locator("#lab-map-answer")).to_contain_text("lie elsewhere")
    expect(page.locator("#lab-answers-grid")).to_contain_text("proved least")
    said = page.locator("#lab-status").inner_text()
    with tabs.watched(server) as other:
        opened(other, page.url)
        expect(other.locator("#lab-status")).to_have_text(said, use_inner_text=True)


@pytest.mark.slow
def test_all_strategies_stand_side_by_side_and_a_row_is_drawn(page, laboratory):
    opened(page, laboratory[1][SOLVED] + "/lab?alignment=4&effort=100000")
    page.get_by_role("button", name="Solve with all strategies").click()
    expect(page.locator("#lab-answers-answer")).to_contain_text("7 answers", timeout=COMPILED)
    expect(page.locator("#lab-cancel")).to_be_hidden(timeout=COMPILED)
    wait_until_idle(page)
    page.locator(
        "#lab-answers-grid .ag-pinned-left-cols-container .ag-cell", has_text="Tetris, random order"
    ).click()
    expect(page).to_have_url(re.compile("strategy=tetris_random"))
    expect(page.locator("#lab-map-answer")).to_contain_text("higher")
    page.locator(
        "#lab-answers-grid .ag-pinned-left-cols-container .ag-cell", has_text="the file's own"
    ).click()
    expect(page.locator("#lab-map-answer")).to_contain_text("The file's own placement")


@pytest.mark.slow
def test_what_is_drawn_and_what_is_watched_may_come_at_once(page, laboratory):
    opened(page, laboratory[1][SOLVED] + "/lab?strategy=first_fit")
    solved(page)
    opened(page, page.url)  # the page is told of the answer for the first time
    page.evaluate(HOLD, DRAWN_AND_WATCHED)
    for turn in range(3):
        page.evaluate(
            "turn => dash_clientside.set_props('lab-clock', {n_intervals: turn})", turn + 1
        )
        page.wait_for_function("() => window.sent.some((body) => body.includes('lab-turn.data'))")
    page.locator(
        "#lab-answers-grid .ag-pinned-left-cols-container .ag-cell", has_text="the file's own"
    ).click()
    page.wait_for_function("() => Object.keys(window.held).length == 2")
    expression = "window.sent.filter((body) => body.includes('[\"lab-turn.data\"]'))"
    assert len(page.evaluate(expression)) == 1
    page.evaluate("names => names.forEach((name) => window.held[name]())", DRAWN_AND_WATCHED)
    expect(page.locator("#lab-map-answer")).to_contain_text("The file's own placement")


@pytest.mark.slow
def test_a_search_is_watched_and_cancelled(page, laboratory):
    opened(page, laboratory[1][SOLVED] + "/lab?strategy=tetris_random&effort=100000")
    choose(page, "strategy", "hill_climb")
    choose(page, "effort", "20000000")
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator("#lab-status")).to_contain_text("so far", timeout=COMPILED)
    expect(page.locator("#lab-extent-answer")).to_contain_text("so far")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#lab-cancel")).to_be_hidden()
    expect(page.locator("#lab-status")).to_contain_text("cancelled")


@pytest.mark.slow
def test_what_cannot_fit_is_proved(page, laboratory):
    opened(page, laboratory[1][SOLVED] + "/lab?strategy=best_fit")
    page.locator(".ts-bytes-capacity").fill("60000")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("capacity=60000"))
    solved(page)
    expect(page.locator("#lab-status")).to_contain_text("Cannot fit")
    expect(page.locator("#lab-answers-grid")).to_contain_text("cannot fit")


@pytest.mark.slow
def test_a_capacity_takes_units_and_the_slider_follows(page, laboratory):
    opened(page, laboratory[1][SOLVED] + "/lab?strategy=best_fit")
    field, slider = page.locator(".ts-bytes-capacity"), page.locator("#lab-slider")
    field.fill("64 KiB")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("capacity=65536"))
    wait_until_idle(page)
    page.wait_for_function(
        """() => { const {value, max} = document.getElementById("lab-slider");
                   return 0 <= Number(value) && Number(value) < Number(max); }"""
    )
    expect(page.locator("#lab-slider-said")).to_contain_text("64.0")
    field.fill("64 potatoes")
    page.keyboard.press("Enter")
    expect(page.locator(".ts-refusal").first).to_be_visible()
    slider.press("End")
    expect(page).not_to_have_url(re.compile("capacity="))
    expect(field).to_have_value("64 potatoes")


@pytest.mark.slow
def test_a_step_runs_later_and_as_in_the_file_again(page, laboratory):
    opened(page, laboratory[1]["fork"] + "/lab?strategy=first_fit")
    page.locator("#lab-order-grid [col-id='may']", has_text="–").first.click()
    for place, back in (
        ("order", "all in the order of the file"),
        ("changes", "run them as in the file"),
    ):
        page.get_by_role("button", name=re.compile("one (later|earlier)")).first.click()
        expect(page).to_have_url(re.compile("order="))
        wait_until_idle(page)
        page.locator(f"#lab-{place}-body").get_by_role("button", name=back).click()
        expect(page).not_to_have_url(re.compile("order="))
        wait_until_idle(page)


@pytest.mark.slow
def test_another_capacity_of_the_local_memory_is_tried_on_the_runs_page(page, laboratory):
    # The choices of a tiling are in a fold, which the link to their card opens.
    page.goto(f"{laboratory[1][LEVELS]}#choices")
    page.get_by_label("try a capacity of").fill("96.5")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"l1=96\.5"))
    expect(page.locator("#run-choices-answer")).to_contain_text("96.5 KiB")
    page.locator("#run-selection").get_by_role("button", name=re.compile("96.5")).click()
    expect(page).not_to_have_url(re.compile("l1="))


@pytest.mark.slow
def test_a_network_is_swept_down_to_the_smallest_capacity(page, laboratory):
    page.goto(laboratory[1][LEVELS])
    slider = page.locator(".ts-sweep-slider")
    page.locator(".ts-fold", has=slider).locator("> summary").click()
    slider.focus()
    page.keyboard.press("Home")
    shown = page.locator(".ts-sweep tr.ts-row-shown")
    expect(shown).to_have_count(1)
    smallest = page.locator(".ts-sweep tr[data-said]", has_text="smallest with any tiles")
    rows = page.locator(".ts-sweep tr[data-said]").count()
    # Bounded, so that a slider without the focus fails the test instead of never ending it.
    for _ in range(rows):
        if "smallest with any tiles" in shown.inner_text():
            break
        page.keyboard.press("ArrowRight")
    expect(page.locator(".ts-sweep-said")).to_have_text(smallest.get_attribute("data-said"))


@pytest.mark.slow
def test_a_block_is_kept_dropped_and_brought_back(page, laboratory):
    opened(page, laboratory[1][SOLVED] + "/lab?strategy=greedy_by_size&block=5")
    page.get_by_role("button", name="keep it where it was").click()
    expect(page).to_have_url(re.compile(r"fixed=5=\d+"))
    expect(page.locator("#lab-changes-body")).to_contain_text("stays at 0x")
    page.get_by_role("button", name="let it move").first.click()
    expect(page).not_to_have_url(re.compile("fixed"))
    page.get_by_role("button", name="drop it").click()
    expect(page).to_have_url(re.compile("dropped=5"))
    expect(page.locator("#lab-status")).to_contain_text("press Solve")
    solved(page)
    expect(page.locator("#lab-map-answer")).to_contain_text("39 blocks")
    page.get_by_role("button", name="all as in the file").click()
    expect(page).not_to_have_url(re.compile("dropped"))


@pytest.mark.slow
def test_a_click_on_the_map_selects_a_block_and_escape_clears(page, laboratory):
    opened(page, laboratory[1][SOLVED] + "/lab")
    page.mouse.click(*middle_of(page.locator("#lab-map .bars .point path").first))
    expect(page).to_have_url(re.compile(r"block=\d+"))
    expect(page.locator("#lab-block-body")).to_contain_text("before")
    page.keyboard.press("Escape")
    expect(page).not_to_have_url(re.compile("block="))


@pytest.mark.slow
def test_levels_of_a_plan_are_asked_one_by_one_and_back_leads_back(page, laboratory):
    opened(page, laboratory[1][LEVELS] + "/lab?strategy=first_fit")
    first = page.url
    choose(page, "attempt", "0")
    expect(page).to_have_url(re.compile("attempt=0"))
    solved(page)
    expect(page.locator("#lab-answers-answer")).to_contain_text("2 answers")
    page.go_back()
    expect(page).to_have_url(first)
    expect(page.locator("select[id*='\"attempt\"']")).to_have_value("first")


@pytest.mark.slow
def test_a_placement_is_kept_set_against_the_files_and_taken_off(page, laboratory):
    opened(page, laboratory[1][SOLVED] + "/lab?strategy=first_fit&dropped=7")
    solved(page)
    page.get_by_placeholder("title (optional)").fill("without t07")
    page.get_by_role("button", name="Keep with the run").click()
    expect(page.locator("#lab-keep-said")).to_contain_text("as kept 1 “without t07”")
    expect(page.get_by_role("button", name="Keep with the run")).to_be_hidden()
    page.get_by_role("link", name="beside the file's").click()
    expect(page.locator("#run-map-answer")).to_contain_text(
        "Kept 1 “without t07” is not from the file"
    )
    expect(page.locator("#run-attempts-grid")).to_contain_text("kept 1")
    expect(page.locator("#run-compare-body")).to_contain_text("40 blocks by name")
    page.locator(
        "#run-attempts-grid .ag-pinned-left-cols-container .ag-cell", has_text="0"
    ).first.click()
    expect(page.locator("#run-map-answer")).not_to_contain_text("not from the file")
    page.go_back()
    expect(page.locator("#run-map-answer")).to_contain_text("not from the file")
    wait_until_idle(page)
    page.get_by_role("link", name="Try other placements").click()
    for part in ("/lab[?]", "[?&]strategy=first_fit(&|$)", "[?&]dropped=7(&|$)"):
        expect(page).to_have_url(re.compile(part))
    expect(page.locator("#lab-status")).not_to_have_text(re.compile("^(Not solved yet|$)"))
    page.get_by_role("button", name="Remove kept 1").click()
    expect(page.locator("#kept")).to_be_hidden()
    expect(page.get_by_role("button", name="Keep with the run")).to_be_visible()


@pytest.mark.slow
def test_problem_solution_answer_and_snapshot_leave_as_files(page, laboratory):
    opened(page, laboratory[1][SOLVED] + "/lab?strategy=greedy_by_size")
    solved(page)
    page.get_by_role("button", name="Export").click()
    expect(page.locator(".ts-export a").first).to_be_visible()
    links = page.locator(".ts-export a").evaluate_all("links => links.map(link => link.href)")
    problem, solution, answer = (page.request.get(link).text() for link in links)
    assert problem.startswith("id,lower,upper,size")
    assert solution.splitlines()[0].endswith("offset")
    assert json.loads(answer)["answer"]["strategy"] == "greedy_by_size"
    snapshot = page.get_by_role("link", name="Snapshot").evaluate("link => link.href")
    assert "Before and after" in page.request.get(snapshot).text()
    assert page.request.get(links[0].replace("problem.csv", "nothing")).status == 404


@pytest.mark.slow
def test_from_the_list_to_allocators_and_runs_a_file_and_a_cell(page, laboratory):
    page.goto(list_address({"source": "minimalloc"}))
    rows = page.locator("#runs-grid .ag-row", has_text="harbour")
    for rank in range(2):
        rows.nth(rank).locator(".ag-checkbox-input").first.check()
    page.get_by_role("button", name="Allocators").click()
    expect(page.locator("#matrix-table tbody tr")).to_have_count(2)
    expect(page.locator("#matrix-status")).to_contain_text("not computed yet")
    with page.expect_download() as saved:
        page.get_by_role("link", name="CSV").click()
    assert saved.value.path().read_text().startswith("run_id,attempt,label,strategy")
    page.locator("#matrix-table td[class^=ts-gap] a").first.click()
    expect(page).to_have_url(re.compile("/lab[?].*strategy=best_fit"))
    expect(page.locator("#lab-status")).to_contain_text("above the bound")
