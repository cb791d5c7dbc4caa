"""A page whose server does not answer: a banner, links that wait, and a page that goes on afterwards."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OWN_COMPLAINTS, wait_until_idle

pytestmark = pytest.mark.slow

HEALTH = "**/healthz"
NOTE_TEXTS = """() => {
    window.texts = [];
    const note = () => window.texts.push(document.getElementById("server-away")?.textContent || "");
    new MutationObserver(note).observe(document.body, {childList: true, characterData: true, subtree: true});
    note();
}"""
REFUSED = rf"{OWN_COMPLAINTS}|net::ERR_CONNECTION_REFUSED"


@pytest.fixture
def page(tabs, server):
    with tabs.watched(server, REFUSED) as opened:
        yield opened


def test_a_banner_shows_while_the_server_is_away_and_links_are_not_followed(page):
    banner = page.locator("#server-away")
    page.goto("/status")
    wait_until_idle(page)
    expect(banner).to_be_hidden()
    page.route(HEALTH, lambda route: route.abort("connectionrefused"))
    expect(banner).to_be_visible()
    trends = page.get_by_role("link", name="Trends", exact=True)
    trends.click()
    assert page.url.endswith("/status")
    page.unroute(HEALTH)
    expect(banner).to_be_hidden()
    trends.click()
    expect(page).to_have_url(re.compile("/trends$"))


def test_one_failed_request_is_not_an_outage(page):
    failures = []

    def fail_once(route):
        if failures:
            route.continue_()
            return
        failures.append(route.request.url)
        route.abort("connectionrefused")

    page.goto("/status")
    wait_until_idle(page)
    page.evaluate(NOTE_TEXTS)
    page.route(HEALTH, fail_once)
    with page.expect_event(
        "requestfinished",
        lambda request: bool(failures) and request.url.endswith("/healthz"),
    ):
        pass
    wait_until_idle(page)
    assert failures
    assert not any(page.evaluate("window.texts"))
