"""The menu of the signed-in user in the top bar, and a notice on servers without sign-in."""

from __future__ import annotations

from collections.abc import Sequence

import dash_bootstrap_components as dbc
from dash import html
from dash.development.base_component import Component

from app.config.settings import OPEN_TO_ALL, Settings
from app.pages.page import Page
from app.pages.rights.record import RIGHTS_PAGE
from app.request.user import User
from components.numbers import shorten, tame
from schema.roles import Role

RIGHTS_PATH = RIGHTS_PAGE.path


def user_menu(user: User, settings: Settings, pages: Sequence[Page]) -> list[Component]:
    """Lay out the menu of a user, with the pages above VIEWER that their role allows; for anonymous
    users the link to sign in, or a note.
    """
    if user.way == "anonymous":
        return [
            _sign_in()
            if settings.auth == "oidc"
            else html.A("not signed in", href=RIGHTS_PATH, className="ts-muted")
        ]
    allowed = [page for page in pages if page.navigation and Role.VIEWER < page.role <= user.role]
    links = [dbc.DropdownMenuItem(page.navigation, href=page.path) for page in allowed]
    if user.way == "none":
        return [_menu("Server", [*links, _rights()], id="server-pages")]
    own = html.Div(
        [html.Div(tame(user.name), className="ts-user-name"), html.Div(f"role {user.role.label}")],
        className="ts-user ts-muted",
    )
    return [
        _menu(
            shorten(user.name, 24),
            [
                own,
                _own_tokens(),
                _rights(),
                *links,
                *([_sign_out()] if user.way == "session" else []),
            ],
            id="user",
        )
    ]


def _menu(label: str, items: Sequence[Component], **props: str) -> dbc.DropdownMenu:
    return dbc.DropdownMenu(
        items, label=label, align_end=True, toggleClassName="ts-button", **props
    )


def open_notice(settings: Settings) -> list[Component]:
    """Lay out a notice if everybody may do everything and other machines can reach the server; else
    empty.
    """
    return [html.P(OPEN_TO_ALL, className="ts-notice", role="note")] if settings.is_open else []


def _sign_in() -> html.A:
    """Lay out the link to sign in; `assets/shell.js` adds the page to return to."""
    return html.A("Sign in", href="/auth/login", id="sign-in", className="ts-button")


def _own_tokens() -> dbc.DropdownMenuItem:
    return dbc.DropdownMenuItem("Your tokens", href="/tokens")


def _rights() -> dbc.DropdownMenuItem:
    return dbc.DropdownMenuItem("Who may do what", href=RIGHTS_PATH)


def _sign_out() -> html.Form:
    button = html.Button("Sign out", type="submit", className="dropdown-item")
    return html.Form(button, action="/auth/logout", method="post")
