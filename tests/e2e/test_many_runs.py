"""A list of more runs than one page of it has."""

import re

import pytest
from playwright.sync_api import expect

from components.runs.list_address import LIST_PATH
from tests.e2e.conftest import serving, watched
from tests.support.runs import catalogue_of

RUNS = 130
ROWS = "() => dash_ag_grid.getApi('runs-grid').getDisplayedRowCount()"
TO_THE_END = """() => {
    const grid = dash_ag_grid.getApi("runs-grid");
    grid.ensureIndexVisible(grid.getDisplayedRowCount() - 1);
}"""


@pytest.fixture
def listed(browser, tmp_path):
    """A page of the list of a hundred and thirty runs on one board and one on another."""
    rows = [
        {
            "hwid": "npu1",
            "gmacs_mean": float(rank),
            "created_at": f"2026-11-01T10:{rank // 60:02d}:{rank % 60:02d}+00:00",
        }
        for rank in range(RUNS)
    ]
    (tmp_path / "data" / "frames").mkdir(parents=True)
    catalogue_of(f"sqlite:///{tmp_path}/data/catalogue.db", *rows, {"hwid": "npu2"}).close()
    with serving(tmp_path / "data") as address, watched(browser, address) as page:
        page.goto(LIST_PATH)
        expect(page.locator("#runs-grid .ag-row").first).to_be_visible()
        yield page


def wait_for_rows(page, count):
    page.wait_for_function(f"count => ({ROWS})() === count", arg=count)


def row(page, index):
    return page.locator(f"#runs-grid .ag-pinned-left-cols-container .ag-row[row-index='{index}']")


@pytest.mark.slow
def test_a_list_grows_as_it_is_scrolled_and_what_is_selected_outlives_order_and_filters(listed):
    wait_for_rows(listed, 100)
    listed.evaluate(TO_THE_END)
    expect(row(listed, 101)).to_be_attached()
    wait_for_rows(listed, RUNS + 1)
    listed.evaluate(TO_THE_END)
    expect(row(listed, RUNS)).to_contain_text("run 0")
    row(listed, RUNS).locator(".ag-checkbox-input").check()
    expect(listed.locator("#runs-selected")).to_have_text("1 selected")
    listed.locator("#runs-grid .ag-header-cell[col-id='gmacs_mean']").click()
    expect(listed).to_have_url(re.compile("sort=-gmacs_mean"))
    expect(row(listed, 0)).to_contain_text(f"run {RUNS - 1}")
    row(listed, 0).locator(".ag-checkbox-input").check()
    expect(listed.locator("#runs-selected")).to_have_text("2 selected")
    listed.get_by_role("checkbox", name=re.compile("npu2")).check()
    expect(row(listed, 1)).to_have_count(0)
    expect(listed.locator("#runs-selected")).to_have_text("2 selected")
    listed.get_by_role("checkbox", name=re.compile("npu2")).uncheck()
    expect(row(listed, 0).locator(".ag-checkbox-input")).to_be_checked()
    listed.locator("#runs-select-none").click()
    expect(listed.locator("#runs-selected")).to_have_text("none selected")
    expect(row(listed, 0).locator(".ag-checkbox-input")).not_to_be_checked()


@pytest.mark.slow
def test_every_run_that_is_listed_can_be_deleted_at_once(listed):
    listed.get_by_role("checkbox", name=re.compile("npu1")).check()
    expect(listed.locator("#runs-summary")).to_contain_text(f"{RUNS} of {RUNS + 1} runs")
    listed.locator("#runs-grid .ag-header-cell .ag-checkbox-input").first.check()
    expect(listed.locator("#runs-selected")).to_have_text("100 selected")
    listed.locator("#runs-select-all").click()
    expect(listed.locator("#runs-selected")).to_have_text(f"{RUNS} selected")
    expect(listed.locator("#runs-select-all")).to_be_hidden()
    listed.locator("#runs-delete").click()
    listed.locator("#runs-delete-confirm").click()
    expect(listed.locator("#runs-summary")).to_contain_text("0 of 1 run")
    expect(listed.locator("#runs-selected")).to_have_text("none selected")
