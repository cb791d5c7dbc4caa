"""What people do with a trace of torch.profiler: from a gap to its place, from operators to kernels and back."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import NOTHING, grave, grave_as_if_dark, settle
from tests.e2e.conftest import ingested, serving
from tests.support.kineto_trace import two_steps, write_trace

CHIPS = "#run-selection .ts-chip"
APART = """() => {
    const texts = [...document.querySelectorAll("#run-timeline .textpoint text")];
    const shown = texts.filter((text) => getComputedStyle(text).visibility !== "hidden");
    const boxes = shown.map((text) => text.getBoundingClientRect());
    const apart = (a, b) => a.right <= b.left || b.right <= a.left;
    return boxes.length && boxes.every((a, at) => boxes.slice(at + 1).every((b) => apart(a, b)));
}"""
"""Whether the timeline shows names of markers, and none lies on another."""
WIDE, NARROW = {"width": 1440, "height": 900}, {"width": 400, "height": 900}


@pytest.fixture(scope="module")
def trace(tmp_path_factory):
    """The address of a server with a trace of two steps, and that of its page."""
    folder = tmp_path_factory.mktemp("trace")
    ((_, path),) = ingested(folder / "data", write_trace(folder / "files", two_steps())).items()
    with serving(folder / "data") as address:
        yield address, path


def cell(page, grid, row, column):
    return page.locator(f"#{grid} .ag-row[row-index='{row}'] [col-id='{column}']")


def check_the_time_of_the_device(page):
    expect(page.locator("#run-devicetime .bars .point").first).to_be_attached()
    expect(page.locator("#run-sentence")).to_contain_text("GPU busy 40 %")
    expect(page.locator("#run-devicetime-answer")).to_contain_text("in 2 counted steps")
    expect(page.locator("#run-idle-answer")).to_contain_text("of it")
    texts = page.locator("#run-timeline .textpoint text")
    expect(texts.filter(visible=True)).to_have_count(3)


def check_that_operators_select_their_kernels(page):
    operator = cell(page, "run-operators-grid", 1, "calls")
    operator.click()
    expect(page.locator(CHIPS)).to_contain_text("operator nccl:all_reduce")
    kernels = page.locator("#run-kernels-grid .ag-center-cols-container .ag-row")
    expect(kernels).to_have_count(1)
    operator.click()
    expect(page.locator(CHIPS)).to_have_count(0)
    expect(kernels).to_have_count(2)


def check_the_place_of_a_gap_and_the_execution_that_ends_it(page):
    cell(page, "run-idle-gaps-grid", 0, "next").click()
    expect(page).to_have_url(re.compile("window=0-1800000&kernel="))
    card = page.locator("#run-kernel-body")
    expect(card).to_contain_text("gemm")
    expect(card).to_contain_text("37.5 %")
    card.get_by_role("button", name="train.py(7): forward").click()
    expect(page.locator(CHIPS, has_text="train.py(7): forward")).to_have_count(1)
    expect(page.locator("#run-timeline-line")).to_contain_text("operator or function: 4.")


@pytest.mark.slow
def test_from_the_time_of_the_device_to_operators_and_gaps(tabs, trace):
    with tabs.watched(trace[0]) as page:
        page.goto(trace[1])
        check_the_time_of_the_device(page)
        check_that_operators_select_their_kernels(page)
        check_the_place_of_a_gap_and_the_execution_that_ends_it(page)


@pytest.mark.slow
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["1440", "400"])
def test_axe_finds_nothing_serious_and_no_name_of_a_marker_lies_on_another(tabs, trace, size):
    with tabs.watched(trace[0]) as page:
        page.set_viewport_size(size)
        page.goto(f"{trace[1]}?kernel=1&op=aten::mm")
        page.wait_for_function(APART)
        # AG Grid lays out the flexible columns of a grid far below the window when it comes into sight.
        page.locator("#run-operators-grid").scroll_into_view_if_needed()
        settle(page)
        page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
        assert grave(page) == NOTHING["light"]
        assert grave_as_if_dark(page) == NOTHING["dark"]
