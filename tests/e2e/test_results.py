"""What people do with benchmark results that have no trace: numbers, samples, trend, comparison."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import NOTHING, grave_by_theme, settle
from tests.e2e.conftest import cli, serving

NIGHTS = 10
SLOW_FROM = 8
SECOND = "#run-results-grid .ag-row[row-index='1'] [col-id='name']"


def write(folder, night):
    """Write the results of a night; from the ninth on the step is slower by a quarter."""
    step = 5.0 if night >= SLOW_FROM else 4.0
    facts = f"commit{night:02d},main,2026-11-{night + 1:02d}T10:00Z,npu2"
    rows = [f"decode step,{step + 0.01 * rank},ms,less,{facts}" for rank in range(6)]
    rows += [f"decode rate,{1000 / step + rank},tokens/s,more,,,," for rank in range(6)]
    rows += [f"seed,{night},,,,,,"]
    path = folder / f"{night:02d}" / "results.csv"
    path.parent.mkdir(parents=True)
    path.write_text(
        "name,value,unit,direction,commit,branch,taken_at,hwid\n" + "\n".join(rows) + "\n"
    )


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The address of a server with ten nights of results, and a memory map of the last commit."""
    folder = tmp_path_factory.mktemp("results")
    for night in range(NIGHTS):
        write(folder / "ci", night)
    plan = folder / "plan.1024.csv"
    plan.write_text("id,lower,upper,size,offset\na,0,3,100,0\n")
    cli("ingest", folder / "ci", "--data", folder / "data")
    commit = f"commit=commit{NIGHTS - 1:02d}"
    facts = ("--set", commit, "--set", "hwid=npu2", "--set", "taken_at=2026-10-01T10:00Z")
    cli("ingest", plan, *facts, "--data", folder / "data")
    with serving(folder / "data") as address:
        yield address


@pytest.fixture
def results_page(tabs, results):
    """The list of runs, with a tab whose complaints fail the test."""
    with tabs.watched(results) as page:
        page.goto(f"{results}/runs")
        expect(page.locator(".ag-row").first).to_be_attached()
        yield page


def open_last(page):
    """Open the results of the last night from the list."""
    page.get_by_role("link", name=f"{NIGHTS - 1:02d}", exact=True).click()
    expect(page.locator("#run-headline")).to_contain_text("decode step")


@pytest.mark.slow
def test_from_the_list_to_the_samples_the_trend_and_the_comparison_of_a_number(results_page):
    page = results_page
    expect(page.locator(".ag-row [col-id='headline']").nth(0)).to_contain_text(
        re.compile(r"5\.0\d\sms decode step")
    )
    open_last(page)
    expect(page.locator("#run-headline")).to_contain_text("first of 3 numbers")
    expect(page.locator("#run-samples-answer")).to_contain_text("6 samples")
    page.locator(SECOND).click()
    expect(page).to_have_url(re.compile("number=1"))
    expect(page.locator("#run-samples-answer")).to_contain_text("decode rate")
    expect(page.locator("#run-results-trend")).to_contain_text("decode rate over time")
    page.locator("#run-selection .ts-chip").click()
    expect(page.locator("#run-results-trend")).to_contain_text("decode step over time")
    page.locator("#run-results-trend").click()
    expect(page.locator("#trends-answer")).to_contain_text("decode step")
    expect(page.locator("#trends-view, .ts-trends").first).to_be_attached()
    page.go_back()
    page.get_by_role("button", name="Compare").click()
    page.get_by_text("with the previous run of its kind").click()
    expect(page.locator(".ts-metrics")).to_contain_text("decode step")
    expect(page.locator(".ts-metrics tbody tr")).to_have_count(3)


@pytest.mark.slow
def test_results_and_the_memory_map_of_their_commit_link_to_each_other(results_page):
    page = results_page
    open_last(page)
    page.locator(".ts-commit-links").get_by_role("link", name="plan.1024 (minimalloc)").click()
    expect(page.locator(".ts-commit-links")).to_contain_text("Results of this commit")
    page.locator(".ts-commit-links").get_by_role("link").click()
    expect(page.locator("#run-headline")).to_contain_text("decode step")


@pytest.mark.slow
def test_the_page_of_results_is_accessible_in_both_themes(results_page):
    page = results_page
    open_last(page)
    for width in (1440, 400):
        page.set_viewport_size({"width": width, "height": 900})
        settle(page)
        assert grave_by_theme(page) == NOTHING, width
