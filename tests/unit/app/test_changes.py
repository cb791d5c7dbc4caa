"""Every signed percentage on every page names what it is relative to."""

import json
from itertools import chain

import pytest
from dash import html

from app.pages.landing import standings
from app.pages.status import answer, page
from app.views.comparison.registry import COMPARE
from app.views.comparison.state import CompareState
from app.views.registry import RUN
from app.views.state import RunState
from app.views.view import Plot
from components.runs.list_address import LIST_PATH
from services.status.rules import set_rule
from storage.rules import Rule
from tests.support.access import problem
from tests.support.changes import bare_changes, bare_in_figure
from tests.support.comparisons import PAIRS
from tests.support.paced_trace import ingest_nights

GOOD, ALL = 4, 6


def test_a_bare_change_is_found():
    cell = html.Table([html.Tr([html.Th("change")]), html.Tr([html.Td("−7.0 %")])])
    named = html.Table([html.Tr([html.Th("change vs base")]), html.Tr([html.Td("−7.0 %")])])
    assert [text.strip() for text in bare_changes([cell, named])] == ["−7.0 %"]
    assert len(bare_changes([html.P("fell 7.0 %"), html.Span("+0.0060 points")])) == 2
    based = html.P(["−7.0 %", html.A(" vs nightly")])
    assert bare_changes([based, html.P("1 – 5 % of the time"), html.P("+1 27.4 %")]) == []
    assert bare_in_figure({"data": [{"text": ["−7.7 %", "step −7.7 %"]}]}) == ["−7.7 %"]


@pytest.fixture
def problem_run(signed_in):
    """The id of a run of a MiniMalloc problem."""
    response = signed_in("edgar").http.post(
        "/api/upload", query_string={"name": "p.81920.csv"}, data=problem(1)
    )
    return response.json["runs"][0]["run_id"]


def bare_in_view(view, data, state):
    """List the changes without a base in what a view shows: caption, content, figure, tables."""
    drawn = view.draw(data, state, "light") if isinstance(view, Plot) else view.make(data, state)
    tables = [
        [cell for row in table.rows for cell in zip(table.labels, row, strict=True)]
        for table in view.tables(data, state)
    ]
    shown = bare_in_figure(drawn.figure) if isinstance(view, Plot) else bare_changes(drawn.body)
    cells = [bare_changes(f"{text} {label}") for cells in tables for label, text in cells]
    found = [*bare_changes(drawn.caption), *shown, *chain.from_iterable(cells)]
    return [f"{view.id}: {text}" for text in found]


def test_views_of_runs(sample_runs):
    views = [(view, data) for data in sample_runs for view in RUN.available_views(data)]
    assert [found for view, data in views for found in bare_in_view(view, data, RunState())] == []


@pytest.mark.parametrize("name", PAIRS)
def test_views_of_comparisons(pairs, name):
    data = pairs.data(name)
    views = COMPARE.available_views(data)
    assert [found for view in views for found in bare_in_view(view, data, CompareState())] == []


@pytest.fixture
def runs(signed_in, tmp_path, monkeypatch):
    """The runs of a key that regressed, oldest first; no request leaves a comparison for later."""
    repository = signed_in("edgar").app.server.extensions["tilescope"].repository
    set_rule(repository, Rule("nightly", 3, "main"), "tests")
    monkeypatch.setattr(page, "SHOWN_WITHIN_S", 600.0)
    monkeypatch.setattr(
        standings,
        "load_status",
        lambda context, state, _: answer.load_status(context, state, 600.0),
    )
    return ingest_nights(repository, tmp_path, GOOD, ALL)


def test_pages(signed_in, runs, problem_run):
    client = signed_in("edgar")
    pages = {path: client.open(path) for path in ("/", "/status", LIST_PATH, "/trends", "/matrix")}
    pages |= {f"/run/{run}": client.open(f"/run/{run}") for run in (runs[0], runs[-1])}
    pages["/run/lab"] = client.open(f"/run/{problem_run}/lab")
    pages["/compare"] = client.open("/compare", f"?base={runs[0]}&new={runs[-1]}")
    found = {path: bare_changes(json.loads(text)) for path, text in pages.items()}
    assert found == {path: [] for path in pages}
    # The pages do show changes: without these the test would hold for nothing.
    assert all("%" in pages[path] for path in ("/", "/status", f"/run/{runs[-1]}", "/compare"))
