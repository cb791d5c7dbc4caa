"""Posts on a code host: an alert is set on its page, a run regresses and recovers, and the page shows the messages."""

import pytest
from playwright.sync_api import expect

from app.config.settings import Settings
from services.status.rules import set_rule
from storage.alerts import Alerts
from storage.rules import Rule
from tests.e2e.conftest import serving, wait_until_idle
from tests.support.code_host_server import TOKEN
from tests.support.code_host_server import serving as serving_code_host
from tests.support.marks import quick_first
from tests.support.paced_trace import ingest_night
from tests.support.waiting import wait_until

REGRESSED, RECOVERED = 5, 6
"""Nights whose runs have a slower core, and the usual speed again."""
PUBLIC = "https://tilescope.example.org"


@pytest.fixture(params=quick_first("github", "gitlab"))
def code_host(request):
    """A stand-in with an open pull request for each night."""
    with serving_code_host(request.param) as server:
        nights = range(1, RECOVERED + 1)
        server.repository.pulls = {night: ("open", [f"c0ffee{night:02d}"]) for night in nights}
        yield request.param, server


@pytest.fixture
def nightly(tmp_path):
    """A store with four nights and a rule, and a function that ingests a further night."""
    repository = Settings(data=tmp_path / "data").repository()
    files = tmp_path / "files"
    files.mkdir()

    def ingest(night):
        slower = {"longer": {"3,1": 120}} if night == REGRESSED else {}
        return ingest_night(repository, files, night, **slower)

    for night in range(1, REGRESSED):
        ingest(night)
    set_rule(repository, Rule("nightly", 3, "main"), "tests")
    yield repository, ingest, tmp_path / "data"
    repository.catalogue.close()


def settings_of(kind, server):
    return {
        "alert_every_s": "0.2",
        "alert_hosts": f"127.0.0.1:{server.server_port}",
        "public_url": PUBLIC,
        f"{kind}_token": TOKEN,
        f"{kind}_api": server.base,
    }


def set_by_form(page, kind, repository):
    page.get_by_text("Set an alert").click()
    page.get_by_label("name", exact=True).fill("team")
    label = {"github": "GitHub repository", "gitlab": "GitLab project"}[kind]
    page.get_by_label(label).fill(repository)
    page.get_by_role("button", name="Set alert").click()
    expect(page.locator("#alerts-body section").first.locator("tbody tr")).to_have_count(1)


def expect_sent(page, events):
    """Wait until the page shows these messages as sent, whatever their order."""
    rows = page.locator("#alerts-body section").last.locator("tbody tr")

    def are_shown():
        page.goto("/alerts")
        wait_until_idle(page)
        texts = rows.all_inner_texts()
        states = sorted(next((e for e in events if e in text), "") for text in texts)
        return all("sent" in text for text in texts) and states == sorted(events)

    wait_until(are_shown)


@pytest.mark.slow
def test_a_regression_is_posted_and_its_recovery_closes_the_issue(tabs, nightly, code_host):
    store, ingest, folder = nightly
    kind, server = code_host
    posted = server.repository
    with (
        serving(folder, **settings_of(kind, server)) as address,
        tabs.watched(address) as page,
    ):
        page.goto("/alerts")
        set_by_form(page, kind, posted.name)
        # Until the first evaluation has stored the state of all keys, a regression counts as known.
        wait_until(lambda: Alerts(store.catalogue).get("team").has_begun)
        run_id = ingest(REGRESSED)
        expect_sent(page, ["commit", "regressed"])
        [comment] = posted.bodies(REGRESSED)
        [issue] = posted.issues
        assert issue["is_open"]
        assert all(f"{PUBLIC}/run/{run_id}" in body for body in (comment, issue["body"]))
        ingest(RECOVERED)
        expect_sent(page, ["commit", "regressed", "commit", "recovered"])
        assert not issue["is_open"]
        assert len(posted.bodies(issue["number"])) == 1
        assert [posted.bodies(night) for night in (REGRESSED, 1)] == [[comment], []]
        assert len(posted.bodies(RECOVERED)) == 1
        assert TOKEN not in page.content()
