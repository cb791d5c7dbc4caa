"""Callbacks of the SQL page: editor and selectors -> view state -> result.

Further callbacks unfold tables, and save and delete queries.
"""

from __future__ import annotations

from typing import Any

from dash import ALL, MATCH, Dash, Input, Output, State, ctx, no_update
from dash.exceptions import PreventUpdate

from app.context import AppContext
from app.pages.sql.exports import FORMATS
from app.pages.sql.page import (
    AXES,
    NONE,
    VIEW,
    axis_options,
    export_address,
    field_values,
    result_body,
    saved_list,
)
from app.pages.sql.shown_result import load_result
from app.pages.sql.state import make, parse
from app.pages.sql.tables_list import COLUMNS, HEADING, columns_table
from app.request.user import require
from schema.roles import Role
from services.query.saved import SavedQueryError, delete_query, save_query
from services.query.tables import QUERY_TABLES

_CHOICE = {"type": "sql-choice", "name": ALL}


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the SQL page: controls, result, tables and saved queries."""
    _register_controls(app)
    _register_result(app, context)
    _register_tables(app)
    _register_saving(app, context)


def _register_controls(app: Dash) -> None:
    @app.callback(
        Output(VIEW, "data"),
        Input("sql-ask", "n_clicks"),
        Input("sql-runs", "value"),
        Input(_CHOICE, "value"),
        State("sql-text", "value"),
        State(_CHOICE, "id"),
        State(VIEW, "data"),
        prevent_initial_call=True,
    )
    def remember(
        _asked: int | None,
        runs: str | None,
        values: list[str | None],
        text: str | None,
        ids: list[dict[str, str]],
        query: str | None,
    ) -> Any:
        chosen = {
            key["name"]: value for key, value in zip(ids, values, strict=True) if value != NONE
        }
        wanted = make(text or "", runs or "", chosen).query()
        # Controls also change when they follow the address; that must not run the query again.
        return wanted if ctx.triggered_id == "sql-ask" or wanted != query else no_update

    @app.callback(
        Output(VIEW, "data", allow_duplicate=True),
        Output("sql-text", "value"),
        Output("sql-runs", "value"),
        Output(_CHOICE, "value"),
        Input(f"{VIEW}-from-url", "data"),
        prevent_initial_call=True,
    )
    def follow(query: str | None) -> tuple[str, str, str, list[str]]:
        state = parse(query or "")
        shown = field_values(state)
        choices = [shown[output["id"]["name"]] for output in ctx.outputs_list[3]]
        return state.query(), state.text, " ".join(state.run), choices


def _register_result(app: Dash, context: AppContext) -> None:
    @app.callback(
        Output("sql-answer", "children"),
        *(Output({"type": "sql-choice", "name": axis}, "options") for axis in AXES),
        *(Output(f"sql-{fmt}", "href") for fmt in FORMATS),
        Input(VIEW, "data"),
        Input("theme", "data"),
    )
    def show_result(query: str | None, theme: str | None) -> tuple[Any, ...]:
        """Return the drawn result of the query, options of the two axes and export addresses; a new
        theme has an effect only if there is a chart.
        """
        state = parse(query or "")
        if ctx.triggered_id == "theme" and not state.chart:
            raise PreventUpdate
        result = load_result(context, state)
        # After an error the axes keep the columns of the last result.
        options = no_update if result.error else axis_options(result)
        addresses = (export_address(state, fmt) for fmt in FORMATS)
        return result_body(result, state, theme or "light"), options, options, *addresses


def _register_tables(app: Dash) -> None:
    @app.callback(
        Output({"type": COLUMNS, "name": MATCH}, "children"),
        Input({"type": HEADING, "name": MATCH}, "n_clicks"),
        prevent_initial_call=True,
    )
    def unfold(clicks: int | None) -> Any:
        table = QUERY_TABLES.get(ctx.triggered_id["name"])
        if table is None or not clicks or clicks % 2 == 0:
            raise PreventUpdate
        return columns_table(table)


def _register_saving(app: Dash, context: AppContext) -> None:
    catalogue = context.repository.catalogue

    @app.callback(
        Output("sql-saved-list", "children"),
        Output("sql-saved-told", "children"),
        Output("sql-name", "value"),
        Input("sql-save", "n_clicks"),
        State("sql-name", "value"),
        State("sql-text", "value"),
        prevent_initial_call=True,
    )
    def save(clicks: int | None, name: str | None, text: str | None) -> tuple[Any, ...]:
        if not clicks:
            raise PreventUpdate
        user = require(Role.EDITOR)
        try:
            query = save_query(catalogue, name or "", text or "", user.name)
        except SavedQueryError as error:
            return no_update, f"The query is not saved: {error}.", no_update
        return saved_list(context), f"{query.name} is saved.", ""

    @app.callback(
        Output("sql-saved-list", "children", allow_duplicate=True),
        Input({"type": "sql-delete", "key": ALL}, "n_clicks"),
        prevent_initial_call=True,
    )
    def delete(_clicks: list[int | None]) -> Any:
        if not ctx.triggered or not ctx.triggered[0]["value"]:
            raise PreventUpdate
        delete_query(catalogue, str(ctx.triggered_id["key"]), require(Role.EDITOR).name)
        return saved_list(context)
