"""Every percentage on every page that is a share names its whole."""

import json

import pytest
from dash import html

from app.views.comparison.registry import COMPARE
from app.views.comparison.state import CompareState
from app.views.registry import RUN
from app.views.state import RunState
from components.runs.list_address import LIST_PATH
from ingest.files import ingest
from tests.support.comparisons import PAIRS
from tests.support.page_texts import Shown, page_texts
from tests.support.shares import bare_shares
from tests.support.view_texts import view_texts
from tests.unit.app.conftest import SAMPLES


def test_a_bare_share_is_found():
    cells = html.Table([html.Tr([html.Th("busy")]), html.Tr([html.Td("37 %")])])
    named = html.Table([html.Tr([html.Th("share of the step")]), html.Tr([html.Td("37 %")])])
    assert [text.strip() for text in bare_shares(page_texts([cells, named]))] == ["37 %"]
    texts = ["idle 37 %, 2 steps", "37 % of 1.2 ms", "5 KiB of 8 KiB (62 %)", "−7.0 % vs base"]
    assert bare_shares(map(Shown, texts)) == ["idle 37 %, 2 steps"]
    assert bare_shares([Shown("y %{y:.1%}", "time"), Shown("y %{y:.1%}", "share of time")]) == [
        "y %{y:.1%}"
    ]


def bare_in_views(page, data, state):
    """List the shares without a whole in what the views of a page show."""
    return [
        f"{view.id}: {text}"
        for view in page.available_views(data)
        for text in bare_shares(view_texts(view, data, state))
    ]


@pytest.mark.slow
def test_views_of_runs(sample_runs):
    assert [text for data in sample_runs for text in bare_in_views(RUN, data, RunState())] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_views_of_comparisons(pairs, name):
    assert bare_in_views(COMPARE, pairs.data(name), CompareState()) == []


@pytest.mark.slow
def test_pages(signed_in, nights, problem_run, samples):
    client = signed_in("edgar")
    repository = client.repository
    found = ingest(repository, [samples / name for name in SAMPLES], {}).runs
    runs = [nights[0], nights[-1], *(run.run_id for run in found)]
    paths = ["/", "/status", LIST_PATH, "/trends", "/matrix", f"/run/{problem_run}/lab"]
    pages = {path: client.open(path) for path in (*paths, *(f"/run/{run}" for run in runs))}
    pages["/compare"] = client.open("/compare", f"?base={nights[0]}&new={nights[-1]}")
    bare = {path: bare_shares(page_texts(json.loads(text))) for path, text in pages.items()}
    assert bare == {path: [] for path in pages}
    # The pages do show shares: without these the test would hold for nothing.
    assert all("%" in pages[path] for path in ("/", LIST_PATH, f"/run/{runs[0]}", "/compare"))
