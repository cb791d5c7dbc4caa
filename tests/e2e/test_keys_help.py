"""The dialog of keys: it lists those of the page that is open, and Escape closes it and nothing else."""

import re

import pytest
from playwright.sync_api import expect

from app.pages.keys_help import EVERY, key_groups
from app.pages.registry import PAGES
from components.runs.list_address import LIST_PATH
from tests.e2e.conftest import address_of, open_run, wait_until_idle
from tests.support.marks import quick_first

GROUPS = "#help tbody:visible"


def open_help(page):
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize(
    "open_page, name",
    quick_first(
        (lambda page: address_of(page, "npu2"), "run"),
        (lambda page: LIST_PATH, "runs"),
        (lambda page: "/", None),
        (lambda page: "/trends", "trends"),
        (lambda page: f"{address_of(page, 'training')}/program", "program"),
        (lambda page: f"{address_of(page, 'toy')}/lab", "lab"),
        (lambda page: "/jobs", None),
    ),
)
def test_the_help_lists_the_keys_of_the_page_that_is_open(page, open_page, name):
    page.goto(open_page(page))
    wait_until_idle(page)
    open_help(page)
    shown = [place for place in (EVERY, name) if place]
    expect(page.locator(GROUPS)).to_have_count(len(shown))
    for at, place in enumerate(shown):
        keys = page.locator(GROUPS).nth(at).locator("kbd").all_inner_texts()
        assert keys == [key for key, _ in key_groups(PAGES)[place][1]]


@pytest.mark.slow
def test_escape_closes_the_help_and_keeps_what_is_selected(page):
    open_run(page, "npu2", "run-timeline")
    page.keyboard.press("j")
    expect(page).to_have_url(re.compile("iteration="))
    wait_until_idle(page)
    chosen, chips = page.url, page.locator("#run-selection .ts-chip").count()
    assert chips
    open_help(page)
    page.keyboard.press("Escape")
    expect(page.locator("#help")).to_have_count(0)
    wait_until_idle(page)
    expect(page).to_have_url(chosen)
    expect(page.locator("#run-selection .ts-chip")).to_have_count(chips)
    page.keyboard.press("Escape")
    expect(page.locator("#run-selection .ts-chip")).to_have_count(0)
