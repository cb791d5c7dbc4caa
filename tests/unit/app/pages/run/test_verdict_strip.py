"""The verdict strip on the page of a run and in its snapshot."""

import pytest

from app.pages.page import ContentRequest
from app.pages.run.binding import stored_content
from app.pages.run.snapshot import snapshot_html
from services.status.rules import set_rule
from services.status.run_standing import run_standings
from services.status.status import StatusCache
from storage.rules import Rule
from tests.support.paced_trace import ingest_nights
from tests.support.pages import Page


@pytest.fixture
def repository(settings):
    return settings.repository()


@pytest.fixture
def nights(repository, tmp_path):
    """The runs of four nights, of which the last has a slower core."""
    return ingest_nights(repository, tmp_path, good=3, count=4)


@pytest.fixture
def status(repository):
    set_rule(repository, Rule("nightly", 5, "main"), "me")
    return StatusCache(repository)


@pytest.mark.slow
def test_the_strip_is_the_first_line_below_the_title(dashboard, nights, status):
    status.status()
    page = dashboard.open(f"/run/{nights[-1]}")
    begin = page.index("data-verdict")
    assert page.index('"H1"') < begin < page.index("run-selection") < page.index("run-sentence")
    assert '"data-verdict": "regressed"' in page
    assert '"data-base": "nightly"' in page


@pytest.mark.slow
def test_a_run_without_a_rule_has_no_strip(dashboard, nights):
    assert "data-verdict" not in dashboard.open(f"/run/{nights[-1]}")


@pytest.mark.slow
def test_the_page_follows_a_verdict_that_comes_later(dashboard, nights, status):
    before = dashboard.open(f"/run/{nights[-1]}")
    status.status()
    after = dashboard.open(f"/run/{nights[-1]}")
    assert ("▼" in before, "▼" in after) == (False, True)


@pytest.mark.slow
def test_a_snapshot_has_the_strip_as_text(repository, nights, status):
    (row,) = status.status().rows
    strips = {}
    for run_id in (nights[-1], nights[-2]):
        text = snapshot_html(repository, [run_id], "")
        strips[run_id] = text[text.index("data-verdict") :].partition("</p>")[0]
        assert Page(text).addresses == []
    assert 'data-verdict="regressed" data-base="nightly"' in strips[nights[-1]]
    assert f"since {row.since.first_bad.commit}; kernels on core 3,1" in strips[nights[-1]]
    assert 'data-verdict="undecided" data-base="nightly"' in strips[nights[-2]]


def test_a_snapshot_of_a_run_without_a_rule_has_no_strip(repository, nights):
    assert run_standings(repository, nights[-1]) == []
    assert "data-verdict" not in snapshot_html(repository, nights[-1:], "")


@pytest.mark.slow
def test_cached_layouts_depend_on_the_verdict_and_drawings_do_not(dashboard, nights, status):
    context = dashboard.context

    def contents():
        requests = [ContentRequest(nights[-1], "", is_layout=layout) for layout in (True, False)]
        return [stored_content(context, request) for request in requests]

    layout, drawing = contents()
    status.status()
    assert contents()[0] != layout
    assert contents()[1] == drawing
