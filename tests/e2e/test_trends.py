"""A number over time: a step is seen, compared and shared."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import end_history_step, serving
from tests.e2e.readings import (
    expect_nothing_sideways,
    middle_of,
    wait_until_equal,
    wait_until_still,
)
from tests.support.runs import catalogue_of
from tests.support.trends import levels, nights

STEP = nights(levels((100, 22), (82, 18)), hwid="npu2", M=256)
STEADY = nights(levels((50, 12)), hwid="npu1")
MARK = "#trends-plot .textpoint"
IDS = [row["run_id"] for row in STEP]


@pytest.fixture(scope="module")
def stepped(tmp_path_factory):
    """The address of a server whose runs have a step."""
    folder = tmp_path_factory.mktemp("stepped")
    (folder / "frames").mkdir()
    catalogue_of(f"sqlite:///{folder}/catalogue.db", *STEP, *STEADY).close()
    with serving(folder) as address:
        yield address


@pytest.fixture
def trends(tabs, stepped):
    """The page of trends."""
    with tabs.watched(stepped) as page:
        page.goto("/")
        page.get_by_role("link", name="Trends").click()
        expect(page.locator(MARK)).to_have_count(1)
        yield page


def choose(page, name, value):
    page.locator(".ts-trends-controls label", has_text=re.compile(f"^{name}")).locator(
        "select"
    ).select_option(value)


def compared(page):
    """Return the runs that the address compares."""
    return parse_qs(urlsplit(page.url).query)


@pytest.mark.slow
def test_the_mark_of_a_step_leads_to_the_comparison_of_before_and_after(trends):
    expect(trends.locator("#trends-answer")).to_contain_text("run 23")
    mark = trends.locator("#trends-plot .trace:has(.textpoint) .points path")
    trends.mouse.click(*middle_of(mark))
    expect(trends).to_have_url(re.compile("/compare"))
    wait_until_equal(lambda: compared(trends), {"base": IDS[17:22], "new": IDS[22:27]})
    expect(trends.locator("#trends-plot")).to_have_count(0)
    trends.go_back()
    expect(trends.locator(MARK)).to_have_count(1)
    trends.get_by_role("link", name="before and after").click()
    expect(trends).to_have_url(re.compile("/compare"))
    wait_until_equal(lambda: compared(trends), {"base": IDS[17:22], "new": IDS[22:27]})


@pytest.mark.slow
def test_a_point_leads_to_its_run(trends):
    first = trends.locator("#trends-plot .subplot.xy .points path").first
    trends.mouse.click(*middle_of(first))
    expect(trends).to_have_url(re.compile(f"/run/{IDS[0]}"))


@pytest.mark.slow
def test_filters_are_in_the_address_and_back_undoes_them(trends):
    choose(trends, "hwid", "npu1")
    expect(trends.locator(MARK)).to_have_count(0)
    expect(trends).to_have_url(re.compile("hwid=npu1"))
    end_history_step(trends)
    choose(trends, "by", "commit")
    expect(trends).to_have_url(re.compile("by=commit&hwid=npu1"))
    trends.go_back()
    expect(trends).not_to_have_url(re.compile("by=commit"))
    expect(trends.locator("select").nth(1)).to_have_value("time")
    trends.reload()
    expect(trends.locator("#trends-answer")).to_be_visible()
    expect(trends.locator(MARK)).to_have_count(0)
    choose(trends, "hwid", "*")
    expect(trends.locator(MARK)).to_have_count(1)
    expect(trends).not_to_have_url(re.compile("hwid"))


@pytest.mark.slow
def test_filters_that_nothing_fits_are_cleared(trends):
    trends.goto("/trends?by=order&hwid=none")
    trends.get_by_role("link", name="Clear").click()
    expect(trends.locator(MARK)).to_have_count(1)
    expect(trends).to_have_url(re.compile(r"trends\?by=order$"))


@pytest.mark.slow
def test_the_points_that_are_shown_are_saved(trends):
    choose(trends, "hwid", "npu2")
    expect(trends.locator("#trends-export")).to_have_attribute("href", "/trends.csv?hwid=npu2")
    with trends.expect_download() as saved:
        trends.locator("#trends-export").click()
    assert len(saved.value.path().read_text().splitlines()) == 1 + len(STEP)


@pytest.mark.slow
def test_nothing_scrolls_sideways(trends):
    expect_nothing_sideways(trends, 1440, 900, 400)


@pytest.mark.slow
def test_a_narrow_page_has_its_plots_in_one_column_and_a_wide_one_side_by_side(trends):
    left = "(plot) => Math.round(plot.getBoundingClientRect().left)"
    lefts = f"() => [...document.querySelectorAll('#trends-plot .draglayer .nsewdrag')].map({left})"
    heights = "() => document.querySelector('#trends-plot').getBoundingClientRect().height"
    wait_until_still(trends)
    wide = trends.evaluate(heights)
    assert len(set(trends.evaluate(lefts))) == 2
    trends.set_viewport_size({"width": 400, "height": 900})
    trends.wait_for_function(f"() => new Set(({lefts})()).size === 1")
    trends.wait_for_function(f"wide => ({heights})() > wide", arg=wide)
    trends.wait_for_function(
        """() => [...document.querySelectorAll("#trends-plot .annotation")].every(
            (heading) => heading.getBoundingClientRect().right <= 400)"""
    )
    trends.set_viewport_size({"width": 1440, "height": 900})
    trends.wait_for_function(f"() => new Set(({lefts})()).size === 2")
    trends.wait_for_function(f"height => ({heights})() === height", arg=wide)


@pytest.mark.slow
def test_the_other_theme_draws_the_plot_anew(trends):
    colour = (
        "() => document.querySelector('#trends-plot .js-plotly-plot')?._fullLayout?.paper_bgcolor"
    )
    before = trends.evaluate(colour)
    trends.keyboard.press("t")
    trends.wait_for_function(f"before => ![undefined, before].includes(({colour})())", arg=before)
