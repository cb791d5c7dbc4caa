"""The status: a regression is followed to what sets the pace of its run, then acknowledged and taken back."""

import re

import pytest
from playwright.sync_api import expect

from app.config.settings import Settings
from services.status.rules import set_rule
from storage.rules import Rule
from tests.e2e.conftest import serving, wait_until_idle
from tests.e2e.readings import expect_nothing_sideways
from tests.support.paced_trace import ingest_night

pytestmark = pytest.mark.slow

NOTE = "known: <b>slow core</b> #12"
ROWS = ".ts-status-rows tbody tr"
SLOW = "core 3,1"
COMMITS = "https://git.example.org/c/{base}...{new}"


@pytest.fixture(scope="module")
def nightly(tmp_path_factory):
    """The address of a server with two keys that regressed, one more than the other, and one that holds its level."""
    folder = tmp_path_factory.mktemp("nightly")
    repository = Settings(data=folder).repository()
    for night in range(1, 7):
        slower = {"longer": {"3,1": 120}} if night > 4 else {}
        ingest_night(repository, tmp_path_factory.mktemp("npu2"), night, "npu2", **slower)
        slower = {"longer": {"3,1": 60}} if night > 4 else {}
        ingest_night(repository, tmp_path_factory.mktemp("npu3"), night, "npu3", **slower)
        ingest_night(repository, tmp_path_factory.mktemp("npu1"), night, "npu1")
    set_rule(repository, Rule("nightly", 3, "main"), "tests")
    repository.catalogue.close()
    with serving(folder, commit_url=COMMITS) as address:
        yield address


@pytest.fixture
def status(tabs, nightly):
    """The page of the status."""
    with tabs.watched(nightly) as page:
        page.goto("/")
        page.get_by_role("link", name="Status").click()
        expect(page.locator(ROWS)).to_have_count(3)
        wait_until_idle(page)
        yield page


def row(page, rank):
    return page.locator(ROWS).nth(rank)


def test_a_regression_leads_to_its_comparison_and_to_the_pace_of_its_run(status):
    expect(row(status, 0)).to_contain_text("npu2")
    expect(row(status, 0).locator(".ts-trouble").first).to_contain_text("regressed")
    commits = row(status, 0).locator("a[target=_blank]")
    expect(commits).to_have_attribute("href", COMMITS.format(base="c0ffee04", new="c0ffee05"))
    row(status, 0).get_by_role("link", name="compare").click()
    expect(status).to_have_url(re.compile("/compare"))
    expect(status.locator("#content")).to_contain_text(SLOW)
    status.go_back()
    expect(status.locator(ROWS)).to_have_count(3)
    row(status, 0).locator("a[href^='/run/']").click()
    limiters = status.locator(".ts-limiters tbody tr")
    expect(limiters.first).to_contain_text(SLOW)
    expect(status.locator("#run-pace .bars .point").first).to_be_attached()
    limiters.first.get_by_role("button", name=SLOW).click()
    expect(status).to_have_url(re.compile("track="))
    expect(status.locator("#run-selection .ts-chip").first).to_contain_text("3,1")
    status.go_back()
    status.go_back()
    expect(status.locator(ROWS)).to_have_count(3)


def test_an_acknowledged_regression_goes_below_the_others_with_its_note_and_comes_back(status):
    row(status, 0).locator("input").fill(NOTE)
    row(status, 0).get_by_role("button").click()
    expect(row(status, 0)).to_contain_text("npu3")
    expect(row(status, 1)).to_contain_text("npu2")
    expect(row(status, 1)).to_contain_text(NOTE)
    expect(row(status, 1)).to_contain_text("regressed")
    status.reload()
    expect(row(status, 1)).to_contain_text(NOTE)
    wait_until_idle(status)
    row(status, 1).get_by_role("button").click()
    expect(row(status, 0)).to_contain_text("npu2")
    expect(status.locator(ROWS, has_text=NOTE)).to_have_count(0)


def test_filters_are_in_the_address_and_in_the_file(status):
    status.locator(".ts-trends-controls select").nth(1).select_option("regressed")
    expect(status.locator(ROWS)).to_have_count(2)
    expect(status).to_have_url(re.compile(r"/status\?.*verdict=regressed"))
    status.locator(".ts-trends-controls input").last.fill("npu3")
    status.keyboard.press("Enter")
    expect(status.locator(ROWS)).to_have_count(1)
    expect(status.locator("#status-export")).to_have_attribute("href", re.compile("search=npu3"))
    with status.expect_download() as saved:
        status.locator("#status-export").click()
    assert len(saved.value.path().read_text().splitlines()) == 2
    status.reload()
    expect(status.locator(ROWS)).to_have_count(1)


def test_only_the_table_scrolls_sideways(status):
    expect_nothing_sideways(status, 1440, 900, 400)


def test_the_begin_of_a_regression_is_in_view_on_a_narrow_page(status):
    status.set_viewport_size({"width": 900, "height": 900})
    status.wait_for_function(
        """(rows) => {
            const since = document.querySelector(rows).querySelector("td:nth-child(9)");
            const {right} = since.getBoundingClientRect();
            return since.innerText.includes("compare") && right <= window.innerWidth;
        }""",
        arg=ROWS,
    )


def test_sparklines_have_the_colours_of_the_theme(status):
    colours = """() => [...document.querySelectorAll(".ts-sparkline span")].map(
        (part) => getComputedStyle(part).backgroundColor)"""
    before = status.evaluate(colours)
    assert len(set(before)) == 2
    status.keyboard.press("t")
    status.wait_for_function(
        f"before => ({colours})().every((colour, at) => colour !== before[at])", arg=before
    )
