"""A regression of the status is bisected: from its row to the culprit, while runs arrive."""

import re

import pytest
from playwright.sync_api import expect

from app.config.settings import Settings
from services.status.rules import set_rule
from storage.rules import Rule
from tests.e2e.axe import NOTHING, grave_by_theme, settle
from tests.e2e.conftest import serving, wait_until_idle
from tests.support.paced_trace import ingest_night

GOOD, BAD, CULPRIT = 4, 13, 9
"""Nights of the last good and the first bad run, and the night whose commit made a core slower."""


def ingest(repository, folder, night, taken_at=None):
    """Ingest the capture of a night; another time of the same capture is another run of it."""
    slower = {"longer": {"3,1": 120}} if night >= CULPRIT else {}
    return ingest_night(repository, folder, night, taken_at=taken_at, **slower)


@pytest.fixture(scope="module")
def nightly(tmp_path_factory):
    """The address of a server with a key that regressed over nights without runs, its store and a folder."""
    folder = tmp_path_factory.mktemp("nightly")
    repository = Settings(data=folder).repository()
    files = tmp_path_factory.mktemp("files")
    for night in (*range(1, GOOD + 1), BAD, BAD + 1):
        ingest(repository, files, night)
    set_rule(repository, Rule("nightly", 3, "main"), "tests")
    with serving(folder) as address:
        yield address, repository, files
    repository.catalogue.close()


def commit(night):
    return f"c0ffee{night:02d}"


@pytest.mark.slow
def test_a_regression_is_followed_to_the_commit_that_made_it(tabs, nightly):
    address, repository, files = nightly
    with tabs.watched(address) as page:
        page.goto("/status")
        wait_until_idle(page)
        page.get_by_role("link", name="bisect", exact=True).click()
        expect(page.locator("#bisect-field-good")).to_have_value(commit(GOOD))
        expect(page.locator("#bisect-field-bad")).to_have_value(commit(BAD))
        page.locator("#bisect-field-commits").fill(
            "\n".join(commit(night) for night in range(GOOD, BAD + 1))
        )
        page.locator("#bisect-start").click()
        page.wait_for_url(re.compile(r"/bisect/[0-9a-f]{12}$"))
        sentence = page.locator("#bisection-answer")
        expect(sentence).to_contain_text("Measure commit")
        settle(page)
        first = sentence.inner_text()
        page.get_by_role("button", name="It gives no result").click()
        expect(sentence).not_to_have_text(first)
        page.get_by_role("button", name="Take back").click()
        expect(sentence).to_have_text(first)
        for hour in range(20):
            settle(page)
            text = sentence.inner_text()
            named = re.search(r"Measure commit c0ffee(\d\d)", text)
            if named is None:
                break
            ingest(repository, files, int(named[1]), f"2026-11-20T{hour:02d}:00:00+00:00")
            expect(sentence).not_to_have_text(text)
        expect(sentence).to_contain_text(f"Commit {commit(CULPRIT)} made GMAC/s mean worse")
        expect(page.locator(".ts-bisect-rows tbody tr").first).to_contain_text("(good)")
        assert grave_by_theme(page) == NOTHING
        page.set_viewport_size({"width": 400, "height": 900})
        page.wait_for_function("() => document.documentElement.scrollWidth <= 400")
