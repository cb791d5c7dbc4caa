"""Callbacks of the page of allocators and runs: controls -> view state -> table, and searches."""

from __future__ import annotations

from typing import Any

from dash import ALL, ClientsideFunction, Dash, Input, Output, State, ctx, no_update
from dash.exceptions import PreventUpdate

from analysis.allocators.compiler import can_compile
from app.context import AppContext
from app.pages.lab.binding import search_owner
from app.pages.matrix.page import (
    CLOCK,
    LIVE,
    TOLD,
    TURN,
    VIEW,
    body,
    export_address,
    field_values,
    status_text,
)
from app.pages.matrix.shown_rows import is_searching, load_rows
from app.pages.matrix.state import make, parse
from services.lab.matrix_page import open_tasks
from services.lab.searches import BusyError

_CHOICE = {"type": "matrix-choice", "name": ALL}


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the matrix page: controls, table and searches."""
    _register_controls(app)
    _register_table(app, context)
    _register_asking(app, context)
    _register_watching(app, context)


def _register_controls(app: Dash) -> None:
    @app.callback(
        Output(VIEW, "data"),
        Input(_CHOICE, "value"),
        State(_CHOICE, "id"),
        State(VIEW, "data"),
        prevent_initial_call=True,
    )
    def remember(values: list[str | None], ids: list[dict[str, str]], query: str | None) -> str:
        chosen = {key["name"]: value for key, value in zip(ids, values, strict=True)}
        return make(parse(query or "").run, chosen).query()

    @app.callback(
        Output(_CHOICE, "value"), Input(f"{VIEW}-from-url", "data"), prevent_initial_call=True
    )
    def follow(query: str | None) -> list[str]:
        shown = field_values(parse(query or ""))
        return [shown[output["id"]["name"]] for output in ctx.outputs_list]


def _register_table(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("matrix-body", "children"),
        Output("matrix-export", "href"),
        Output("matrix-status", "children", allow_duplicate=True),
        Input(VIEW, "data"),
        Input(TOLD, "data"),
        prevent_initial_call=True,
    )
    def show(query: str | None, _told: object) -> tuple[Any, ...]:
        state = parse(query or "")
        rows = load_rows(context, state)
        return body(rows, state), export_address(state), status_text(context, state, rows)


def _register_asking(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("matrix-status", "children", allow_duplicate=True),
        Output("matrix-ask", "disabled", allow_duplicate=True),
        Output("matrix-cancel", "hidden", allow_duplicate=True),
        Output(CLOCK, "disabled", allow_duplicate=True),
        Input("matrix-ask", "n_clicks"),
        Input("matrix-cancel", "n_clicks"),
        State(VIEW, "data"),
        prevent_initial_call=True,
    )
    def act(_ask: int | None, _cancel: int | None, query: str | None) -> tuple[Any, ...]:
        if not ctx.triggered or not ctx.triggered[0]["value"]:
            raise PreventUpdate
        if ctx.triggered_id == "matrix-cancel":
            context.lab.searches.cancel(search_owner())
            return "Stopping.", no_update, no_update, no_update
        state = parse(query or "")
        rows = load_rows(context, state)
        tasks = list(open_tasks(rows, state.seed, state.effort, can_compile=can_compile()))
        if not tasks:
            return (
                "Every strategy that can be run has a result.",
                no_update,
                no_update,
                no_update,
            )
        try:
            context.lab.searches.start(search_owner(), tasks)
        except BusyError as error:
            busy = is_searching(context)
            return f"The search did not start: {error}.", busy, not busy, not busy
        return "Starting.", True, False, False


def _register_watching(app: Dash, context: AppContext) -> None:
    app.clientside_callback(
        ClientsideFunction("tilescope", "nextTurn"),
        Output(TURN, "data"),
        Input(CLOCK, "n_intervals"),
        prevent_initial_call=True,
    )

    @app.callback(
        Output(LIVE, "data"),
        Output(TOLD, "data"),
        Input(TURN, "data"),
        State(TOLD, "data"),
        State(VIEW, "data"),
        prevent_initial_call=True,
    )
    def watch(_turn: int, told: object, query: str | None) -> tuple[Any, ...]:
        """Return the properties that show the progress of the search, and a text that changes with
        a new result (unchanged: no update).
        """
        state = parse(query or "")
        busy = is_searching(context)
        rows = load_rows(context, state)
        # This text changes when a result arrives or the search ends; then the table is drawn again.
        answered = f"{busy} {sum(len(row.data.placements) for row in rows if row.data is not None)}"
        changes = {
            "matrix-status": {"children": status_text(context, state, rows)},
            "matrix-ask": {"disabled": busy},
            "matrix-cancel": {"hidden": not busy},
            CLOCK: {"disabled": not busy},
        }
        return {"asked": [query], "changes": changes}, no_update if answered == told else answered

    app.clientside_callback(
        ClientsideFunction("tilescope", "changeIfAsked"),
        Output(LIVE, "modified_timestamp"),
        Input(LIVE, "data"),
        State(VIEW, "data"),
        prevent_initial_call=True,
    )
