"""The page of a user's own tokens: a form to create a token, and the tokens with their last use."""

from __future__ import annotations

from collections.abc import Sequence

import dash_bootstrap_components as dbc
from dash import dcc, html
from dash.development.base_component import Component

from app.context import AppContext
from app.pages.page import PageRequest
from app.request.user import User, current_user
from components.button_rows import button_rows
from components.numbers import shorten, tame
from schema.command import COMMAND
from schema.roles import SCOPES
from services.store.own_tokens import own_scopes, own_tokens
from storage.tokens import Token

EXPIRIES = {"30d": "30 days", "90d": "90 days", "365d": "a year", "": "never"}
"""Age at which a token expires -> label."""
DEFAULT_EXPIRY = "90d"
NAME, SCOPE, EXPIRY, MAKE = "tokens-name", "tokens-scope", "tokens-expiry", "tokens-make"
MADE, LIST = "tokens-made", "tokens-list"
NEVER = "never"
"""Value of the selector for no expiry: a select element with an empty value has an empty label."""
_HEADS = ("name", "scope", "created, UTC", "last use, UTC", "expires, UTC", "")


def has_own_tokens(user: User) -> bool:
    """Whether a user can have tokens of their own: a person who is signed in."""
    return user.way in ("session", "proxy")


def layout(context: AppContext, _request: PageRequest) -> html.Div:
    """Lay out the page for a signed-in user; for all other visitors a sentence about how to get a
    token.
    """
    user = current_user()
    title = html.H1("Your tokens", className="ts-page-title")
    if not has_own_tokens(user):
        return html.Div(
            [title, html.P(_why_none(user), className="ts-answer")], className="ts-trends"
        )
    listed = html.Section(body(context, user), id=LIST, className="ts-panel ts-part")
    return html.Div([title, _form(user), listed], className="ts-trends")


def _why_none(user: User) -> str:
    command = f"{COMMAND} token create --scope write --name NAME"
    if user.way == "none":
        return f"This server has no sign-in, so requests need no token. For later: {command}"
    return "Sign in to create tokens of your own."


def _form(user: User) -> Component:
    scopes = [
        {"label": f"{scope} (role {SCOPES[scope].label})", "value": scope}
        for scope in own_scopes(user.role)
    ]
    expiries = [{"label": label, "value": age or NEVER} for age, label in EXPIRIES.items()]
    intro = (
        "A token lets a script or build use the API as you. Its scope grants at most your role; "
        "create one token per script, with the smallest scope."
    )
    fields = [
        html.Label(["purpose", dcc.Input(id=NAME, type="text", maxLength=100, value="")]),
        html.Label(["scope", _select(SCOPE, scopes, scopes[0]["value"])]),
        html.Label(["expires", _select(EXPIRY, expiries, DEFAULT_EXPIRY)]),
        html.Button("Create", id=MAKE, className="ts-button"),
    ]
    return html.Section(
        [
            html.P(intro, className="ts-muted"),
            html.Div(fields, className="ts-trends-controls"),
            html.Div(id=MADE, role="status"),
        ],
        className="ts-panel ts-part ts-token-form",
    )


def _select(select_id: str, options: list[dict[str, str]], value: str) -> dbc.Select:
    return dbc.Select(id=select_id, options=options, value=value, class_name="ts-select")


def made_message(token: Token, text: str) -> list[Component]:
    """Lay out the text of a new token, which no later page shows."""
    shown = html.Code(text, id="tokens-text", className="ts-token")
    return [
        html.P(["Copy the token of ", html.Bdi(tame(token.name)), " now: it is shown only once."]),
        html.P(shown),
    ]


def body(context: AppContext, user: User) -> list[Component]:
    """Lay out the user's tokens that are not revoked, newest first."""
    tokens = own_tokens(context.repository.catalogue, user.name)
    if not tokens:
        return [html.P("No tokens.", className="ts-answer ts-muted")]
    return [button_rows(_HEADS, [*map(_row, tokens)], "")]


def _row(token: Token) -> html.Tr:
    expires = _moment(token.expires_at, "never")
    is_expired = not token.is_valid
    times: Sequence[str] = (
        _moment(token.created_at, ""),
        _moment(token.used_at, "not used yet"),
        f"{expires}, expired" if is_expired else expires,
    )
    button = html.Button(
        "Revoke",
        id={"type": "tokens-revoke", "token": token.token_id},
        className="ts-button",
        title=f"Revoke {shorten(token.name, 40)}: requests with it are refused at once",
    )
    return html.Tr(
        [
            html.Th(html.Bdi(shorten(token.name, 60)), scope="row", title=tame(token.name)),
            html.Td(token.scope),
            *(html.Td(text, className="ts-number") for text in times),
            html.Td(button),
        ]
    )


def _moment(at: str | None, missing: str) -> str:
    return missing if at is None else at[:16].replace("T", " ")
