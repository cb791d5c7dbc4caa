"""Every signed percentage on every page names what it is relative to."""

import json

import pytest
from dash import html

from app.views.comparison.registry import COMPARE
from app.views.comparison.state import CompareState
from app.views.registry import RUN
from app.views.state import RunState
from components.runs.list_address import LIST_PATH
from tests.support.changes import bare_changes, bare_in_figure, is_bare_change
from tests.support.comparisons import PAIRS
from tests.support.view_texts import view_texts


def test_a_bare_change_is_found():
    cell = html.Table([html.Tr([html.Th("change")]), html.Tr([html.Td("−7.0 %")])])
    named = html.Table([html.Tr([html.Th("change vs base")]), html.Tr([html.Td("−7.0 %")])])
    assert [text.strip() for text in bare_changes([cell, named])] == ["−7.0 %"]
    assert len(bare_changes([html.P("fell 7.0 %"), html.Span("+0.0060 points")])) == 2
    based = html.P(["−7.0 %", html.A(" vs nightly")])
    assert bare_changes([based, html.P("1 – 5 % of the time"), html.P("+1 27.4 %")]) == []
    assert bare_in_figure({"data": [{"text": ["−7.7 %", "step −7.7 %"]}]}) == ["−7.7 %"]


def bare_in_view(view, data, state):
    """List the changes without a base in what a view shows: caption, content, figure, tables."""
    texts = view_texts(view, data, state)
    return [f"{view.id}: {shown.text}" for shown in texts if is_bare_change(shown)]


@pytest.mark.slow
def test_views_of_runs(sample_runs):
    views = [(view, data) for data in sample_runs for view in RUN.available_views(data)]
    assert [found for view, data in views for found in bare_in_view(view, data, RunState())] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_views_of_comparisons(pairs, name):
    data = pairs.data(name)
    views = COMPARE.available_views(data)
    assert [found for view in views for found in bare_in_view(view, data, CompareState())] == []


@pytest.mark.slow
def test_pages(signed_in, nights, problem_run):
    client = signed_in("edgar")
    pages = {path: client.open(path) for path in ("/", "/status", LIST_PATH, "/trends", "/matrix")}
    pages |= {f"/run/{run}": client.open(f"/run/{run}") for run in (nights[0], nights[-1])}
    pages["/run/lab"] = client.open(f"/run/{problem_run}/lab")
    pages["/compare"] = client.open("/compare", f"?base={nights[0]}&new={nights[-1]}")
    found = {path: bare_changes(json.loads(text)) for path, text in pages.items()}
    assert found == {path: [] for path in pages}
    # The pages do show changes: without these the test would hold for nothing.
    assert all("%" in pages[path] for path in ("/", "/status", f"/run/{nights[-1]}", "/compare"))
