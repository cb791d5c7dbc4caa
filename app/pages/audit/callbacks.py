"""Callbacks of the audit log: filters -> view state -> entries."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output, State, no_update
from dash.development.base_component import Component

from app.context import AppContext
from app.pages.audit.page import ANY, VIEW, body
from app.pages.audit.state import make, parse
from app.request.user import require
from schema.roles import Role


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks of the audit page: filters, address and entries."""

    @app.callback(
        Output(VIEW, "data"),
        Input("audit-user", "value"),
        Input("audit-action", "value"),
        State(VIEW, "data"),
        prevent_initial_call=True,
    )
    def remember(user: str | None, action: str | None, query: str | None) -> Any:
        now = parse(query or "")
        wanted = make(user, action)
        # The filters also change when they follow the address. Then the state must keep its place
        # in the log.
        return (
            no_update if (now.user, now.action) == (wanted.user, wanted.action) else wanted.query()
        )

    @app.callback(
        Output(VIEW, "data", allow_duplicate=True),
        Output("audit-user", "value"),
        Output("audit-action", "value"),
        Input(f"{VIEW}-from-url", "data"),
        prevent_initial_call=True,
    )
    def follow(query: str | None) -> tuple[str, str, str]:
        state = parse(query or "")
        return state.query(), state.user, state.action or ANY

    @app.callback(Output("audit-body", "children"), Input(VIEW, "data"), prevent_initial_call=True)
    def show(query: str | None) -> list[Component]:
        require(Role.ADMIN)
        return body(context, parse(query or ""))
