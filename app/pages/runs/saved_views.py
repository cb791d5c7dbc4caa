"""The menu of saved filters: filters, sorting and columns of the list under a name."""

from __future__ import annotations

from typing import Any

from dash import ALL, Dash, Input, Output, State, ctx, dcc, html, no_update
from dash.development.base_component import Component

from app.context import AppContext
from app.request.errors import as_sentence
from app.request.user import current_user, may, require
from components.runs.saved_views import view_list
from schema.roles import Role
from services.store.saved_filters import MAX_NAME, ViewError, delete_view, save_view
from storage.saved_texts import SavedViews

_DELETE = {"type": "runs-view-delete", "name": ALL}


def views_menu(context: AppContext) -> html.Details:
    """Lay out the menu of saved filters; editors can also save the current filters in it."""
    parts = [html.Div(_list_filters(context), id="runs-views", className="ts-views")]
    return html.Details(
        [
            html.Summary("Views", className="ts-button"),
            html.Div([*parts, *(_form() if may(Role.EDITOR) else [])], className="ts-popup"),
        ],
        className="ts-chooser",
        id="runs-views-menu",
    )


def _form() -> list[Component]:
    name = dcc.Input(
        id="runs-view-name",
        type="text",
        placeholder="name",
        value="",
        maxLength=MAX_NAME,
        autoComplete="off",
    )
    return [
        html.Div(
            [
                html.Label([html.Span("Name of the view", className="visually-hidden"), name]),
                html.Button("Save this view", id="runs-view-save", className="ts-button"),
            ],
            className="ts-view-form",
        ),
        html.P(id="runs-view-error", className="ts-trouble", role="alert"),
    ]


def register(app: Dash, context: AppContext, view: str) -> None:
    """Register the callback of the menu; `view` is the id of the store with the list's view state."""

    @app.callback(
        Output("runs-views", "children"),
        Output("runs-view-error", "children"),
        Output("runs-view-name", "value"),
        Input("runs-view-save", "n_clicks"),
        Input("runs-view-name", "n_submit"),
        Input(_DELETE, "n_clicks"),
        State("runs-view-name", "value"),
        State(view, "data"),
        prevent_initial_call=True,
    )
    def change(
        _save: int | None,
        _enter: int | None,
        _deleted: list[int | None],
        name: object,
        query: object,
    ) -> tuple[Any, ...]:
        user = require(Role.EDITOR).name
        catalogue = context.repository.catalogue
        pressed = ctx.triggered_id
        if not ctx.triggered[0]["value"]:
            return (no_update,) * 3  # a button that came with the list
        if isinstance(pressed, dict):
            delete_view(catalogue, str(pressed["name"]), user)
            return _list_filters(context), "", no_update
        try:
            save_view(catalogue, str(name or ""), str(query or ""), user)
        except ViewError as error:
            return no_update, as_sentence(error), no_update
        return _list_filters(context), "", ""


def _list_filters(context: AppContext) -> list[Component]:
    views = SavedViews(context.repository.catalogue).all()
    user = current_user()
    return view_list(
        views, user.name, editor=user.role >= Role.EDITOR, admin=user.role >= Role.ADMIN
    )
