"""Orphaned files on the administration page: result of the last scan, another scan, and removal
after confirmation.
"""

from __future__ import annotations

from typing import Any

import dash_bootstrap_components as dbc
from dash import Dash, Input, Output, ctx, dcc, html, no_update
from dash.development.base_component import Component

from app.context import AppContext
from app.overview.orphan_words import orphan_sentence
from app.pages.dialogs import dialog
from app.request.user import require
from components.aria import aria
from components.numbers import tame
from schema.roles import Role
from services.store.orphans import KIND, OrphanState, orphan_state

_EVERY_MS = 1_500
_QUESTION = (
    "Check the frame storage again, and delete all files that no run, upload or process refers to? "
    "This cannot be undone. Another catalogue that shares the storage would lose its frames."
)


def section(state: OrphanState) -> list[Component]:
    """Lay out the parts of the section: a clock, which is on while a scan runs, the state, and the
    buttons.
    """
    return [
        dcc.Interval(id="admin-orphans-clock", interval=_EVERY_MS, disabled=not state.running),
        html.Div(state_parts(state), id="admin-orphans-state", **aria(live="polite")),
        html.Div(
            [
                html.Button("Look now", id="admin-orphans-look", className="ts-button"),
                html.Button("Clean up…", id="admin-orphans-clean", className="ts-button ts-danger"),
            ],
            className="ts-actions ts-admin-actions",
        ),
    ]


def state_parts(state: OrphanState) -> list[Component]:
    """Lay out the result of the last scan as a sentence, and a list of the first five orphans if
    there are any and no scan is running.
    """
    parts: list[Component] = [html.P(tame(orphan_sentence(state)), className="ts-answer")]
    if state.examples and not state.running:
        parts.append(
            html.Ul([html.Li(tame(name), className="ts-mono") for name in state.examples[:5]])
        )
    return parts


def dialogs() -> list[Component]:
    """Lay out the dialog that confirms the removal of orphans, closed, in a list of length 1."""
    buttons = [
        html.Button("Cancel", id="admin-orphans-cancel", className="ts-button"),
        html.Button("Clean up", id="admin-orphans-confirm", className="ts-button ts-danger"),
    ]
    parts: list[Component] = [dbc.ModalBody(html.P(_QUESTION)), dbc.ModalFooter(buttons)]
    return [dialog("admin-orphans-dialog", "Clean up orphans", parts)]


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the buttons, the dialog and the clock."""

    @app.callback(
        Output("admin-orphans-dialog", "is_open"),
        Input("admin-orphans-clean", "n_clicks"),
        Input("admin-orphans-cancel", "n_clicks"),
        Input("admin-orphans-confirm", "n_clicks"),
        prevent_initial_call=True,
    )
    def ask(_asked: int | None, _cancelled: int | None, _confirmed: int | None) -> bool:
        return bool(ctx.triggered_id == "admin-orphans-clean")

    @app.callback(
        Output("admin-orphans-state", "children"),
        Output("admin-orphans-clock", "disabled"),
        Input("admin-orphans-look", "n_clicks"),
        Input("admin-orphans-confirm", "n_clicks"),
        Input("admin-orphans-clock", "n_intervals"),
        prevent_initial_call=True,
    )
    def follow(_look: int | None, _confirm: int | None, _turn: int | None) -> tuple[Any, Any]:
        user = require(Role.ADMIN)
        pressed = ctx.triggered_id != "admin-orphans-clock" and bool(
            ctx.triggered and ctx.triggered[0]["value"]
        )
        if pressed:
            remove = ctx.triggered_id == "admin-orphans-confirm"
            context.jobs.start(KIND, {"remove": remove}, user.name)
        state = orphan_state(context.repository)
        return (
            (no_update, no_update)
            if state.running and not pressed
            else (state_parts(state), not state.running)
        )
