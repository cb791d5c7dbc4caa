"""The landing page: what broke last night, saved addresses of the list, and an empty store."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import expect

from app.config.settings import Settings
from components.runs.list_address import LIST_PATH, list_address
from services.status.rules import set_rule
from storage.rules import Rule
from tests.e2e.axe import grave_by_theme, settle
from tests.e2e.conftest import serving, wait_until_idle
from tests.e2e.readings import expect_nothing_sideways, place_of
from tests.support.paced_trace import ingest_night

HOURS = 20
"""Hours between two nights, so that the last two are in the last 24 h."""


@pytest.fixture(scope="module")
def nightly(tmp_path_factory):
    """The address of a server with a key that regressed less than 24 h ago, and one that holds its level."""
    folder = tmp_path_factory.mktemp("nightly")
    repository = Settings(data=folder).repository()
    now = datetime.now(UTC)
    for night in range(1, 7):
        taken_at = (now - timedelta(hours=HOURS * (6 - night) + 1)).isoformat()
        slower = {"longer": {"3,1": 120}} if night > 4 else {}
        for hwid, planted in (("npu2", slower), ("npu1", {})):
            place = tmp_path_factory.mktemp(hwid)
            ingest_night(repository, place, night, hwid, taken_at, **planted)
    set_rule(repository, Rule("nightly", 3, "main"), "tests")
    repository.catalogue.close()
    with serving(folder) as address:
        yield address


@pytest.fixture
def landing(tabs, nightly):
    with tabs.watched(nightly) as page:
        page.goto("/")
        expect(section(page, "new")).to_have_attribute("data-count", "1")
        wait_until_idle(page)
        yield page


def section(page, name):
    return page.locator(f"[data-section={name}]")


@pytest.mark.slow
def test_a_regression_of_the_night_leads_to_its_comparison_and_its_run(landing):
    expect(section(landing, "open")).to_have_attribute("data-count", "1")
    for name in ("acknowledged", "recovered"):
        expect(section(landing, name)).to_have_attribute("data-count", "0")
    row = section(landing, "new").locator("tbody tr")
    expect(row).to_contain_text(re.compile("npu2.*▼ −.*% vs nightly.*h ago", re.S))
    box = place_of(row)
    assert box["y"] + box["height"] < 900
    row.locator("a[href^='/compare']").click()
    expect(landing).to_have_url(re.compile("/compare"))
    landing.go_back()
    expect(section(landing, "new")).to_have_attribute("data-count", "1")
    wait_until_idle(landing)
    run = row.locator("a[href^='/run/']")
    address = run.get_attribute("href")
    run.focus()
    landing.keyboard.press("Enter")
    expect(landing).to_have_url(re.compile(address))
    landing.locator(".ts-brand").click()
    expect(section(landing, "new")).to_have_attribute("data-count", "1")


@pytest.mark.slow
def test_a_saved_address_of_the_list_opens_the_list(landing):
    landing.goto("/?hwid=npu1")
    expect(landing).to_have_url(re.compile(re.escape(list_address({"hwid": "npu1"})) + "$"))
    expect(landing.locator("#runs-grid .ag-center-cols-container .ag-row")).to_have_count(6)


@pytest.mark.slow
def test_back_from_a_forwarded_link_leads_to_the_page_before(landing):
    landing.evaluate("() => dash_clientside.tilescope.go('/?hwid=npu1')")
    expect(landing).to_have_url(re.compile(re.escape(list_address({"hwid": "npu1"})) + "$"))
    expect(landing.locator("#runs-grid .ag-center-cols-container .ag-row")).to_have_count(6)
    landing.go_back()
    expect(section(landing, "new")).to_have_attribute("data-count", "1")


@pytest.mark.slow
def test_all_runs_of_a_source_are_a_click_away(landing):
    section(landing, "newest").locator(f"a[href='{list_address({'source': 'aie'})}']").click()
    expect(landing).to_have_url(re.compile(f"{LIST_PATH}.source=aie"))
    wait_until_idle(landing)


@pytest.mark.slow
def test_a_search_from_the_landing_page_leads_to_the_list(landing):
    landing.locator("#search").fill("npu1")
    landing.keyboard.press("Enter")
    expect(landing).to_have_url(re.compile(re.escape(list_address({"q": "npu1"})) + "$"))
    expect(landing.locator("#runs-grid .ag-center-cols-container .ag-row")).to_have_count(6)


@pytest.mark.slow
def test_the_page_is_as_wide_as_the_window_and_accessible(landing):
    expect_nothing_sideways(landing, 1440, 900, 400)
    landing.set_viewport_size({"width": 1440, "height": 900})
    settle(landing)
    assert grave_by_theme(landing) == {"light": ([], []), "dark": ([], [])}


@pytest.mark.slow
def test_a_click_loads_the_samples_into_an_empty_store(tabs, tmp_path):
    with serving(tmp_path) as address, tabs.watched(address) as page:
        page.goto("/")
        page.get_by_role("button", name="samples").click()
        expect(page.locator("#landing-samples")).to_be_disabled()
        expect(section(page, "newest")).to_be_visible(timeout=240_000)
        page.get_by_role("link", name="Runs", exact=True).click()
        expect(page.locator("#runs-grid .ag-row").first).to_be_visible()
