"""Save a placement with the run, and remove a saved placement, for editors."""

from __future__ import annotations

from typing import Any

import dash_bootstrap_components as dbc
from dash import ALL, Input, Output, State, ctx, html, no_update
from dash.development.base_component import Component
from dash.exceptions import PreventUpdate

from app.context import AppContext
from app.pages.lab.binding import TOLD, LabBinding
from app.request.errors import as_sentence
from app.request.user import may, require
from app.views.drawing import Piece, Properties
from app.views.lab.registry import LAB
from app.views.lab.saved import REMOVE
from app.views.lab.state import LabState, question_query
from app.views.lab.view import picked_placement
from app.views.saved_placements import saved_title
from schema.roles import Role
from services.lab.data import LabData
from services.run.saved_placements import (
    MAX_TITLE_CHARACTERS,
    SaveError,
    SolvedQuestion,
    remove_placement,
    save_placement,
)
from storage.errors import StorageError


def keep_controls(parts: Properties) -> list[Component]:
    """Lay out the form that saves the displayed placement, for editors, and its message; other
    users get only the message.
    """
    message = html.P(
        id="lab-keep-said", className="ts-lab-kept-said", role="status", **parts["lab-keep-said"]
    )
    if not may(Role.EDITOR):
        return [message]
    title = dbc.Input(
        id="lab-keep-title",
        placeholder="title (optional)",
        maxLength=MAX_TITLE_CHARACTERS,
        size="sm",
        value="",
    )
    button = html.Button("Keep with the run", id="lab-keep", className="ts-button", title=_HELP)
    label = html.Label(
        [html.Span("Title of the saved placement", className="visually-hidden"), title]
    )
    return [
        html.Div(
            [label, button], id="lab-keep-form", className="ts-lab-keep", **parts["lab-keep-form"]
        ),
        message,
    ]


_HELP = "saves this placement with the run as an attempt from the lab, visible to everyone who opens the run"


def _keeping(data: LabData, state: LabState, _theme: str) -> Properties:
    placement = picked_placement(data, state)
    saved = data.saved_form(placement)
    message = "" if saved is None else f"Kept with the run as {saved.label}{saved_title(saved)}."
    drawn: Properties = {"lab-keep-said": {"children": message}}
    if may(Role.EDITOR):
        drawn["lab-keep-form"] = {
            "hidden": saved is not None or data.placement_map(placement) is None
        }
    return drawn


KEEPING = Piece("keep", _keeping)


def register(binding: LabBinding, context: AppContext) -> None:
    """Register the callbacks of the lab that save and remove placements."""
    catalogue = context.repository.catalogue

    @binding.app.callback(
        Output("lab-keep-said", "children", allow_duplicate=True),
        Output("lab-keep-title", "value"),
        Output(TOLD, "data", allow_duplicate=True),
        Input("lab-keep", "n_clicks"),
        State("lab-keep-title", "value"),
        State(LAB.view, "data"),
        State(LAB.subject, "data"),
        prevent_initial_call=True,
    )
    def keep(clicks: int | None, title: str | None, query: str, run_id: str) -> tuple[Any, ...]:
        user = require(Role.EDITOR).name
        if not clicks:
            raise PreventUpdate
        state, data = binding.open_page(query, run_id)
        try:
            solved = _displayed_placement(data, state)
            saved = save_placement(catalogue, data.run.run_id, solved, str(title or ""), user)
        except (SaveError, StorageError) as error:
            return as_sentence(error), no_update, no_update
        return no_update, "", f"kept {saved.number}"

    @binding.app.callback(
        Output(TOLD, "data", allow_duplicate=True),
        Input({"type": REMOVE, "number": ALL}, "n_clicks"),
        State(LAB.subject, "data"),
        prevent_initial_call=True,
    )
    def remove(_clicks: list[int | None], run_id: str) -> str:
        user = require(Role.EDITOR).name
        number = ctx.triggered_id["number"] if isinstance(ctx.triggered_id, dict) else None
        if not ctx.triggered[0]["value"] or not isinstance(number, int):
            raise PreventUpdate  # a button that came with an answer
        remove_placement(catalogue, context.repository.resolve(run_id), number, user)
        return f"removed {number}"


def _displayed_placement(data: LabData, state: LabState) -> SolvedQuestion:
    """Return the displayed placement with its problem and query string; raises SaveError if there
    is no placement or it is saved already.
    """
    placement = picked_placement(data, state)
    problem = data.problem
    saved = data.saved_form(placement)
    if placement is None or problem is None:
        raise SaveError(data.refusal or "there is no placement to save: solve the problem first")
    if saved is not None:
        raise SaveError(f"this placement is already saved, as {saved.label}")
    return SolvedQuestion(data.asked, problem, placement, question_query(state, data.asked.attempt))
