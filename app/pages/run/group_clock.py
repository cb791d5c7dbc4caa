"""Poll the built-in search for the failed attempts of a compile log while its page is open."""

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
    """Lay out the clock that polls the search and the store of its last result.

    The clock is stopped unless a search is pending.
    """
    stopped = not data.memory.failures.is_pending
    return html.Div(
        [dcc.Interval(id=CLOCK, interval=_EVERY_MS, disabled=stopped), dcc.Store(id=TOLD)]
    )


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the clock that waits for the search about failed layer groups; when
    it ends the page is drawn again.

    The search runs in the server process, which outlives a render process.
    """

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

    # In the browser, because the view state may have changed since the request.
    app.clientside_callback(
        ClientsideFunction("tilescope", "drawAgain"),
        Output(RUN.view, "data", allow_duplicate=True),
        Input(TOLD, "data"),
        State(RUN.view, "data"),
        prevent_initial_call=True,
    )
