"""What asks, while a log's page is open, whether the search has been asked about its failed attempts."""

from __future__ import annotations

from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html, no_update

from app.context import AppContext
from app.views.registry import RUN
from schema.choices import METHODS
from services.run.data import RunData

CLOCK, TOLD = "run-groups-clock", "run-groups-told"
_EVERY_MS = 1_500


def group_clock(data: RunData) -> html.Div:
    """Return the clock of a page, which stands still where the search need not be asked, and what it told."""
    stopped = not data.memory.failures.is_pending
    return html.Div([dcc.Interval(id=CLOCK, interval=_EVERY_MS, disabled=stopped), dcc.Store(id=TOLD)])


def register(app: Dash, context: AppContext) -> None:
    """Add the callbacks: the search begins in the server, which outlives what draws a page."""

    @app.callback(
        Output(TOLD, "data"),
        Output(CLOCK, "disabled"),
        Input(CLOCK, "n_intervals"),
        State(RUN.subject, "data"),
        prevent_initial_call=True,
    )
    def ask(_turn: int | None, run_id: str) -> tuple[Any, bool]:
        version = context.repository.version(run_id)
        searches = context.lab.searches.groups
        if searches.start(version, lambda: context.data.get(run_id, METHODS[0], {}).memory):
            return no_update, False
        return version, True

    # In the browser: the view that this was asked about may be another by now.
    app.clientside_callback(
        ClientsideFunction("tilescope", "drawAgain"),
        Output(RUN.view, "data", allow_duplicate=True),
        Input(TOLD, "data"),
        State(RUN.view, "data"),
        prevent_initial_call=True,
    )
