"""Callbacks of the landing page: draw it again after an upload, and until no comparison is missing."""

from __future__ import annotations

from typing import Any

from dash import ClientsideFunction, Dash, Input, Output, State, ctx

from app.context import AppContext
from app.pages.landing import samples
from app.pages.landing.page import BODY, LEFT, MORE, body
from app.pages.status.shown_status import WITHIN_S
from app.pages.status.state import StatusState


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the landing page."""
    samples.register(app, context)

    @app.callback(
        Output(BODY, "children"),
        Output(LEFT, "data"),
        Input(MORE, "data"),
        Input("landing-changed", "data"),
        State("landing-rule", "data"),
        State(LEFT, "data"),
        prevent_initial_call=True,
    )
    def show(_more: object, _changed: object, rule: str | None, left: list[int] | None) -> Any:
        within_s = WITHIN_S if ctx.triggered_id == MORE else None
        shown, missing = body(context, StatusState(rule=rule or ""), within_s)
        _, turn = left or [0, 0]
        # The counter makes the store's value change even when `missing` does not, so that the
        # browser polls again.
        return shown, [missing, turn + 1]

    app.clientside_callback(
        ClientsideFunction("tilescope", "pollMissing"),
        Output(LEFT, "modified_timestamp"),
        Input(LEFT, "data"),
    )
