"""Pages that `make late` makes late: their responses and frames come, in another order or cancelled."""

import pytest
from playwright.sync_api import Browser

from tests.e2e.conftest import new_tab
from tests.support import late_pages

pytestmark = pytest.mark.slow

# Lets a page wait for no time, and notes how long it meant to.
_NO_WAITING = """() => {
    window.delays = [];
    window.setTimeout = (act, delay) => { window.delays.push(delay); act(); };
}"""
_RESPONSES = """async () => {
    const responses = [];
    for (let count = 0; count < 3; count += 1) {
        responses.push((await fetch("/healthz")).ok);
    }
    return [responses, window.delays];
}"""
_ABORTED = """() => {
    const control = new AbortController();
    window.setTimeout = (act) => { control.abort(); act(); };
    return fetch("/healthz", {signal: control.signal}).then(() => "a response", ({name}) => name);
}"""
_FRAMES = """() => new Promise((done) => {
    const drawn = [];
    cancelAnimationFrame(requestAnimationFrame(() => drawn.push("cancelled")));
    requestAnimationFrame(() => drawn.push("kept"));
    requestAnimationFrame(() => done([drawn, window.delays]));
})"""


@pytest.fixture
def late_page(browser, server, monkeypatch):
    """A function that opens a page that is late as a mode says."""
    opened = []

    def open_page(mode):
        monkeypatch.setattr(Browser, "new_context", Browser.new_context)
        late_pages.install(mode)
        page = new_tab(browser, server)
        opened.append(page.context)
        page.goto("/healthz")
        page.evaluate(_NO_WAITING)
        return page

    yield open_page
    for context in opened:
        context.close()


def test_responses_overtake_each_other_and_aborted_ones_never_come(late_page):
    page = late_page("responses")
    assert page.evaluate(_RESPONSES) == [[True] * 3, [1000, 400, 1000]]
    assert page.evaluate(_ABORTED) == "AbortError"


def test_frames_come_late_and_cancelled_ones_never(late_page):
    page = late_page("frames")
    assert page.evaluate(_FRAMES) == [["kept"], [150] * 3]
