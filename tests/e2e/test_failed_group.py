"""From a compiler's log to the group that failed for good, why, and a placement of it that is kept."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import ingested, serving, wait_until_idle
from tests.support import tpu_log
from tests.support.tpu_log import Setting, buffer

KIB = 1024
SLICED = Setting("2,1,1,1,1")
SPLIT = [
    buffer("left", 0, 64 * KIB, 0, 3),
    buffer("right", 128 * KIB, 64 * KIB, 0, 3),
    buffer("wide", None, 120 * KIB, 1, 2),
]
"""The free memory is enough for the last block, but not in one piece."""
COMPILED = 240_000


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """The folder of a store with a log, and the address of its run."""
    folder = tmp_path_factory.mktemp("failed")
    (folder / "net").mkdir()
    (folder / "net" / "net.log").write_text(
        tpu_log.log(
            tpu_log.attempt(SPLIT), tpu_log.attempt(SPLIT, SLICED), tpu_log.attempt(tpu_log.HEAD)
        )
    )
    addresses = ingested(folder / "data", folder / "net")
    return folder / "data", next(iter(addresses.values()))


@pytest.fixture
def page(tabs, compiled):
    """The page of the run on a server of its own."""
    with serving(compiled[0]) as address, tabs.watched(address) as opened:
        opened.goto(compiled[1])
        yield opened


@pytest.mark.slow
def test_a_group_that_failed_for_good_leads_to_a_placement_that_is_kept(page):
    expect(page.locator("#content")).to_contain_text("1 of 2 layer groups failed for good")
    row = page.locator("#run-groups-grid .ag-center-cols-container .ag-row", has_text="fragment")
    expect(row).to_contain_text("found", timeout=COMPILED)
    row.locator(".ag-cell").first.click()
    expect(page).to_have_url(re.compile("group=0"))
    page.goto(page.url + "&block=2")
    card = page.locator("#run-block-body")
    expect(card).to_contain_text("wide")
    expect(card).to_contain_text("no free range is large enough")
    card.get_by_role("link", name=re.compile("lab")).first.click()
    page.wait_for_selector("#lab-map .plotly", state="attached")
    wait_until_idle(page)
    page.get_by_role("button", name="Solve", exact=True).click()
    expect(page.locator("#lab-status")).to_contain_text("least", timeout=COMPILED)
    expect(page.locator("#lab-cancel")).to_be_hidden(timeout=COMPILED)
    page.get_by_placeholder("title (optional)").fill("all fit")
    page.get_by_role("button", name="Keep with the run").click()
    expect(page.locator("#lab-keep-said")).to_contain_text("“all fit”")
    page.get_by_role("link", name="beside the file's").click()
    expect(page.locator("#run-map-answer")).to_contain_text("“all fit”")
