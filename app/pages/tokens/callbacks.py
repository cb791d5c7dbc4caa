"""Callbacks of the page of tokens: create a token, revoke a token."""

from __future__ import annotations

from typing import Any

from dash import ALL, Dash, Input, Output, State, ctx, html, no_update

from app.context import AppContext
from app.pages.tokens.page import (
    EXPIRIES,
    EXPIRY,
    LIST,
    MADE,
    MAKE,
    NAME,
    NEVER,
    SCOPE,
    body,
    has_own_tokens,
    made_message,
)
from app.request.errors import RequestError
from app.request.user import User, current_user
from services.store.own_tokens import make_own_token, revoke_own_token
from services.store.tokens import TokenError
from storage.errors import QuotaError


def register(app: Dash, context: AppContext) -> None:
    """Register the callbacks; both are refused for all users but signed-in people."""
    catalogue = context.repository.catalogue

    @app.callback(
        Output(MADE, "children"),
        Output(LIST, "children"),
        Output(NAME, "value"),
        Input(MAKE, "n_clicks"),
        State(NAME, "value"),
        State(SCOPE, "value"),
        State(EXPIRY, "value"),
        prevent_initial_call=True,
    )
    def make(clicks: int | None, name: str | None, scope: str | None, expiry: str | None) -> Any:
        user = require_person()
        if not clicks:
            return no_update, no_update, no_update
        age = "" if expiry == NEVER else str(expiry)
        try:
            if age not in EXPIRIES:
                raise TokenError(f"{age!r} is not one of the ages of the form")
            token, text = make_own_token(
                catalogue, user.name, user.role, name=name or "", scope=scope or "", expires=age
            )
        except (TokenError, QuotaError) as error:
            return html.P(_sentence(error), className="ts-trouble", role="alert"), no_update, name
        return made_message(token, text), body(context, user), ""

    @app.callback(
        Output(MADE, "children", allow_duplicate=True),
        Output(LIST, "children", allow_duplicate=True),
        Input({"type": "tokens-revoke", "token": ALL}, "n_clicks"),
        prevent_initial_call=True,
    )
    def revoke(clicks: list[int | None]) -> Any:
        user = require_person()
        # Buttons that come with a page count as changed, without a click.
        if not any(clicks):
            return no_update, no_update
        message: Any = None
        try:
            revoke_own_token(catalogue, user.name, str(ctx.triggered_id["token"]))
        except TokenError as error:
            message = html.P(_sentence(error), className="ts-trouble", role="alert")
        return message, body(context, user)


def require_person() -> User:
    """Return the signed-in user; raises RequestError (403) for tokens, anonymous users and servers
    without sign-in: a leaked token must not make tokens that outlive it.
    """
    user = current_user()
    if not has_own_tokens(user):
        raise RequestError("Only a person who is signed in can create and revoke tokens here.", 403)
    return user


def _sentence(error: Exception) -> str:
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}."
