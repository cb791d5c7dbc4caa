"""Clicks on the plots and grids of a run's page, each taken once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dash import Dash, Input, Output, State, no_update
from dash.exceptions import PreventUpdate

from app.views.state import RunState, parse
from services.runs import RunData, RunDataCache

Step = Callable[[RunState, Mapping[str, Any], RunData], RunState]
"""What a click on a plot does to the view: state, the click as plotly tells it, the run."""
CellStep = Callable[[RunState, RunData, int, str], RunState]
"""What a click on a cell of a grid does to the view: state, the run, the row's number, the column's name."""


def register_click(app: Dash, cache: RunDataCache, view: str, graph_id: str, step: Step) -> None:
    """Let clicks on a graph lead from one view to the next; `view` is the id of the store of the view's query."""

    @app.callback(
        Output(view, "data", allow_duplicate=True),
        # A click on the same point again is news only after the last one was taken away.
        Output(graph_id, "clickData"),
        Input(graph_id, "clickData"),
        State(view, "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def clicked(click: dict[str, Any] | None, query: str, run_id: str) -> tuple[str, None]:
        if not click:
            raise PreventUpdate
        state = parse(query or "")
        return step(state, click, cache.get(run_id, state.method, state.overrides)).query(), None


def register_cell_click(app: Dash, cache: RunDataCache, view: str, grid_id: str, step: CellStep) -> None:
    """Let clicks on the cells of a grid, the ids of whose rows are numbers, lead from one view to the next."""

    @app.callback(
        Output(view, "data", allow_duplicate=True),
        Input(grid_id, "cellClicked"),
        State(view, "data"),
        State("run-id", "data"),
        prevent_initial_call=True,
    )
    def chosen(cell: dict[str, Any] | None, query: str, run_id: str) -> object:
        if not cell or not str(cell.get("rowId", "")).isdecimal():
            raise PreventUpdate
        state = parse(query or "")
        data = cache.get(run_id, state.method, state.overrides)
        return changed(step(state, data, int(cell["rowId"]), str(cell.get("colId", ""))), query)


def changed(state: RunState, query: str) -> object:
    """Return the query of a view, or that it is the one that is shown."""
    return state.query() if state.query() != query else no_update
