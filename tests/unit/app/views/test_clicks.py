"""Clicks that lead from one view to the next, whatever a browser sends."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from dash import Dash, html

from app.views.clicks import register_cell_click, register_click
from app.views.state import RunState, parse
from tests.support.dash_client import DashClient

RUN = "0123456789ab"


def showing(state, kind):
    return replace(state, selection=replace(state.selection, kind=kind))


@pytest.fixture
def clicks():
    """An application whose run is its name: a grid selects kernel "ROW COLUMN RUN", a plot kernel "X RUN"."""
    app = Dash(suppress_callback_exceptions=True)
    app.layout = html.Div()
    cache = SimpleNamespace(get=lambda run_id, method, overrides: run_id)
    register_cell_click(
        app, cache, "view", "grid", lambda state, data, row, column: showing(state, f"{row} {column} {data}")
    )
    register_click(app, cache, "view", "plot", lambda state, click, data: showing(state, f"{click['x']} {data}"))
    return DashClient(app)


def cell(clicks, cell, query=""):
    return clicks.post("view.data", **{"grid.cellClicked": cell, "view.data": query, "run-id.data": RUN})


def test_a_cell_is_a_row_and_a_column_of_the_run(clicks):
    answer = cell(clicks, {"rowId": "12", "colId": "name"}, "method=reference").json["response"]
    state = parse(answer["view"]["data"])
    assert (state.selection.kind, state.method) == (f"12 name {RUN}", "reference")
    assert parse(cell(clicks, {"rowId": 3}).json["response"]["view"]["data"]).selection.kind == f"3  {RUN}"


@pytest.mark.parametrize("odd", [None, {}, {"rowId": None}, {"rowId": "-1"}, {"rowId": "1.5"}, {"rowId": "<b>"}])
def test_a_cell_without_a_row_changes_nothing(clicks, odd):
    assert cell(clicks, odd).status_code == 204


def test_a_view_that_is_shown_already_is_not_sent_again(clicks):
    there = showing(RunState(), f"1 name {RUN}").query()
    assert cell(clicks, {"rowId": "1", "colId": "name"}, there).json["response"] == {}


def test_a_click_on_a_plot_is_taken_away_so_that_the_next_is_news(clicks):
    values = {"plot.clickData": {"x": 5}, "view.data": None, "run-id.data": RUN}
    answer = clicks.callback("plot.clickData", **values)
    assert parse(answer["view"]["data"]).selection.kind == f"5 {RUN}"
    assert answer["plot"]["clickData"] is None
    assert clicks.post("plot.clickData", **values | {"plot.clickData": None}).status_code == 204
