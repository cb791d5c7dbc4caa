"""The dialog that adds tags to the selected runs."""

from __future__ import annotations

from typing import Any

import dash_bootstrap_components as dbc
from dash import Dash, Input, Output, State, dcc, html, no_update

from app.context import AppContext
from app.pages.dialogs import dialog
from app.pages.runs.changed import now
from app.request.errors import as_sentence
from app.request.user import require
from components.numbers import count_text
from schema.roles import Role
from services.store.annotate import AnnotationError, tag_runs


def tag_dialog() -> dbc.Modal:
    """Lay out the dialog that changes the tags of the selected runs, closed."""
    field = dcc.Input(
        id="runs-tag-words", type="text", value="", autoComplete="off", spellCheck="false"
    )
    form = [
        html.P(id="runs-tag-of"),
        html.Label(["Tags, separated by blanks", field]),
        html.Button("Add", id="runs-tag-add", className="ts-button"),
    ]
    error = html.P(id="runs-tag-error", className="ts-trouble", role="alert")
    parts = [dbc.ModalBody([html.Div(form, className="ts-baseline-form"), error])]
    return dialog("runs-tag-dialog", "Tag runs", parts)


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the dialog that changes tags."""

    @app.callback(
        Output("runs-tag-dialog", "is_open"),
        Output("runs-tag-of", "children"),
        Output("runs-tag-words", "value"),
        Output("runs-tag-error", "children"),
        Input("runs-tag", "n_clicks"),
        State("runs-picked", "data"),
        prevent_initial_call=True,
    )
    def show(clicks: int | None, picked: dict[str, str] | None) -> tuple[Any, ...]:
        if not clicks or not picked:
            return (no_update,) * 4
        return True, f"{count_text(len(picked), 'run')} selected.", "", ""

    @app.callback(
        Output("runs-tag-dialog", "is_open", allow_duplicate=True),
        Output("runs-tag-error", "children", allow_duplicate=True),
        Output("runs-changed", "data", allow_duplicate=True),
        Input("runs-tag-add", "n_clicks"),
        Input("runs-tag-words", "n_submit"),
        State("runs-tag-words", "value"),
        State("runs-picked", "data"),
        prevent_initial_call=True,
    )
    def add(
        clicks: int | None, enter: int | None, words: object, picked: dict[str, str] | None
    ) -> tuple[Any, ...]:
        user = require(Role.EDITOR).name
        if not (clicks or enter):
            return (no_update,) * 3
        try:
            tags = tuple(str(words or "").split())
            tag_runs(context.repository.catalogue, list(picked or {}), tags, user)
        except AnnotationError as error:
            return no_update, as_sentence(error), no_update
        return False, "", now()
