"""What people do with memory maps, from block to snapshot."""

import re

import pytest
from playwright.sync_api import expect

from components.runs.list_address import LIST_PATH
from tests.e2e.conftest import HOSTILE, SIZE, open_run, snapshot_offline, wait_until_idle
from tests.e2e.readings import middle_of, place_of, wait_until_still
from tests.e2e.uploads import choose_files
from tests.support.tpu_log import ATTEMPTS, log

CHIPS = "#run-selection .ts-chip"


@pytest.fixture
def compile_page(page):
    """The page of a TPU-MLIR compile of five attempts."""
    open_run(page, "compile", "run-map")
    return page


def click_block(page, number):
    page.mouse.click(*middle_of(page.locator("#run-map .bars .point path").nth(number)))


def click_plot(page, graph_id, x, y):
    box = place_of(page.locator(f"#{graph_id} .nsewdrag").first)
    page.mouse.click(box["x"] + box["width"] * x, box["y"] + box["height"] * y)


def attempt_cell(page, attempt, column):
    return page.locator(f"#run-attempts-grid .ag-row[row-id='{attempt}'] [col-id='{column}']").first


@pytest.mark.slow
def test_a_block_is_told_with_its_neighbours_and_cleared(compile_page):
    click_block(compile_page, 0)
    expect(compile_page).to_have_url(re.compile(r"block=\d"))
    expect(compile_page.locator(CHIPS)).to_contain_text("block")
    card = compile_page.locator("#run-block-body")
    expect(card).to_contain_text("size")
    card.locator("button:visible").first.click()
    wait_until_idle(compile_page)
    expect(card.locator("h3")).to_be_visible()
    compile_page.keyboard.press("Escape")
    expect(compile_page.locator(CHIPS)).to_have_count(0)


@pytest.mark.slow
def test_a_bank_and_a_step_move_the_cursor_of_every_view(compile_page):
    click_plot(compile_page, "run-banks", 0.5, 0.97)
    expect(compile_page).to_have_url(re.compile(r"bank=\d+&step=1"))
    expect(compile_page.locator("#run-alive-answer")).to_contain_text("step 1")
    compile_page.keyboard.press("d")
    expect(compile_page).to_have_url(re.compile(r"step=2"))
    expect(compile_page.locator("#run-alive-answer")).to_contain_text("step 2")
    click_plot(compile_page, "run-live", 0.1, 0.6)
    expect(compile_page.locator("#run-alive-answer")).to_contain_text("step 0")
    compile_page.locator("#run-alive-grid .ag-row").first.click()
    expect(compile_page).to_have_url(re.compile(r"block=\d"))


@pytest.mark.slow
def test_attempts_are_shown_filtered_and_compared(compile_page):
    page = compile_page
    expect(page.locator("#run-attempts-grid .ag-center-cols-container .ag-row")).to_have_count(5)
    attempt_cell(page, 0, "outcome").click()
    expect(page).to_have_url(re.compile("attempt=0"))
    expect(page.locator("#run-map-answer")).to_contain_text("failed")
    attempt_cell(page, 1, "against").click()
    expect(page).to_have_url(re.compile("attempt=1&against=0"))
    comparison = page.locator("#compare")
    expect(comparison).to_contain_text("extent")
    expect(comparison).to_contain_text("conv1")
    page.locator(".run-attempts").select_option("final")
    expect(page.locator("#run-attempts-grid .ag-center-cols-container .ag-row")).to_have_count(2)
    page.keyboard.press("Escape")
    page.locator("body").click(position={"x": 5, "y": 5})
    page.keyboard.press("Escape")
    expect(comparison).to_be_hidden()


@pytest.mark.slow
def test_the_map_is_searched_coloured_zoomed_and_laid_out_anew(compile_page):
    page = compile_page
    page.locator("input.ts-find").fill("pool")
    page.locator("input.ts-find").press("Enter")
    expect(page).to_have_url(re.compile("find=pool"))
    page.locator(".run-colour").select_option("kind")
    expect(page).to_have_url(re.compile("colour=kind"))
    page.locator(".run-layout").select_option("best_fit")
    expect(page.locator("#run-map-answer")).to_contain_text("best fit")
    box = place_of(page.locator("#run-map .nsewdrag").first)
    page.mouse.move(box["x"] + box["width"] * 0.1, box["y"] + box["height"] * 0.3)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.9, steps=6)
    page.mouse.up()
    expect(page).to_have_url(re.compile(r"span=0-2.*addresses="))
    page.reload()
    expect(page.locator(CHIPS)).to_have_count(4)
    expect(page.locator("input.ts-find")).to_have_value("pool")


@pytest.mark.slow
def test_the_levels_of_a_plan_are_one_picture(page):
    open_run(page, "toy", "run-map")
    expect(page.locator("#attempts")).to_contain_text("Levels")
    for level in ("L3", "L2", "L1"):
        expect(page.locator("#run-map .infolayer")).to_contain_text(level)
    attempt_cell(page, 2, "outcome").click()
    expect(page).to_have_url(re.compile("attempt=2"))


@pytest.mark.slow
def test_a_problem_is_exported_and_read_again(page, tmp_path):
    open_run(page, "problem", "run-map")
    expect(page.locator("#run-map-answer")).to_contain_text("built-in allocator")
    page.locator("#run-export button").first.click()
    with page.expect_download() as download:
        page.locator("#run-export a", has_text="problem").click()
    path = tmp_path / "again.csv"
    download.value.save_as(path)
    assert path.read_text().splitlines()[0].startswith("id,lower,upper,size")


@pytest.mark.slow
def test_the_snapshot_of_a_memory_map_opens_offline(compile_page, browser, tmp_path):
    page = compile_page
    page.goto(page.url + "?attempt=1&against=0")
    expect(page.locator("#compare")).to_be_visible()
    with snapshot_offline(page, browser, tmp_path / "snapshot.html") as offline:
        for view in ("map", "banks", "live", "timesteps"):
            expect(offline.locator(f"#{view}-0 .main-svg").first).to_be_attached()
        expect(offline.locator("body")).to_contain_text("against")
        expect(offline.locator("body")).to_contain_text(HOSTILE)


@pytest.mark.slow
def test_a_log_and_its_companion_are_uploaded_together(page, tmp_path):
    text = log(*ATTEMPTS[:2])
    (tmp_path / "small.log").write_text(text)
    (tmp_path / "small.layer_group_cache.json").write_text('{"subfunc_0": {"GroupLayer": []}}')
    page.goto(LIST_PATH)
    choose_files(page, tmp_path / "small.log", tmp_path / "small.layer_group_cache.json")
    expect(page.locator('.ts-upload[data-state="taken"]')).to_have_count(1)
    expect(page.locator('.ts-upload[data-state="along"]')).to_contain_text("read along with")


def check_that_on_a_narrow_page_the_map_follows_the_lists_that_choose_it(compile_page):
    compile_page.set_viewport_size({"width": 900, "height": 900})
    compile_page.wait_for_function(
        """() => {
            const top = (view) => document.querySelector(`[data-view=${view}]`)
                .getBoundingClientRect().top;
            return top("attempts") < top("map") && top("map") < top("alive");
        }"""
    )


@pytest.mark.slow
def test_one_click_leads_from_the_peak_to_the_changes_that_lower_it(compile_page):
    check_that_on_a_narrow_page_the_map_follows_the_lists_that_choose_it(compile_page)
    compile_page.set_viewport_size(SIZE)
    wait_until_still(compile_page)
    compile_page.get_by_role("link", name="What lowers it").click()
    expect(compile_page).to_have_url(re.compile("peak=advice.*#peak$"))
    expect(compile_page.locator("[data-view=peak]")).to_contain_text("lab")
    compile_page.wait_for_function(
        """() => {
            const {top} = document.querySelector("[data-view=peak]").getBoundingClientRect();
            return top > 0 && top < window.innerHeight / 2;
        }"""
    )
