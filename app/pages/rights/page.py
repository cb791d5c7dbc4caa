"""The page of rights: sentences about the sign-in of this server, and a table of actions and roles."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from app.config.settings import OPEN_TO_ALL, Settings
from app.context import AppContext
from app.pages.page import PageRequest
from app.pages.rights.rights import RIGHTS, Right
from app.request.user import User, current_user
from components.numbers import DASH, tame
from schema.roles import Role

_ROLES = (Role.VIEWER, Role.EDITOR, Role.ADMIN)
_YES = "yes"
_WAYS = {
    "proxy": "A proxy in front of this server signs users in.",
    "oidc": "Users sign in at the OpenID Connect provider of this server.",
}


def layout(context: AppContext, _request: PageRequest) -> html.Div:
    """Lay out sentences about this server and its user, and the table."""
    settings = context.settings
    user = current_user()
    lines = [html.P(text, className="ts-answer") for text in sentences(settings, user)]
    table = html.Section(
        html.Div(_table(settings, user), className="ts-changes-frame", tabIndex=0),
        className="ts-panel ts-part",
    )
    title = html.H1("Who may do what", className="ts-page-title")
    return html.Div([title, *lines, table, *_how()], className="ts-trends ts-rights")


def sentences(settings: Settings, user: User) -> list[str]:
    """Describe the sign-in of this server, the roles of its users, and the role of `user`."""
    if settings.auth == "none":
        reach = (
            OPEN_TO_ALL
            if settings.is_open
            else f"Only programs on this machine reach the server, at {settings.host}."
        )
        return [
            "This server has no sign-in: everybody who reaches it has the role admin, and may do all "
            "that the table lists.",
            reach,
        ]
    others = (
        f"Admins and editors are listed in the settings; every other user has the role "
        f"{settings.default_role}. {_anonymous_sentence(settings)}"
    )
    own = f"You are {tame(user.name)}, with the role {user.role.label}."
    return [f"{_WAYS[settings.auth]} {others}", own]


def may_use(right: Right, column: Role, *, has_sign_in: bool) -> bool:
    """Whether users with the role `column` have a right on a server with or without sign-in."""
    return column >= right.role and (has_sign_in or not right.needs_person)


def _anonymous_sentence(settings: Settings) -> str:
    if settings.anonymous == "viewer":
        return "Users who are not signed in have the role viewer."
    return "Without a sign-in nothing can be read but health, metrics and signed addresses."


def _table(settings: Settings, user: User) -> html.Table:
    anonymous = Role.VIEWER if settings.anonymous == "viewer" else Role.NOBODY
    columns = [
        ("no sign-in", Role.ADMIN, settings.auth == "none"),
        ("not signed in", anonymous, settings.auth != "none" and user.way == "anonymous"),
        *(
            (
                role.label,
                role,
                settings.auth != "none" and user.way != "anonymous" and user.role == role,
            )
            for role in _ROLES
        ),
    ]
    heads = [html.Th("action", scope="col")]
    heads += [
        html.Th([label, html.B(" (you)")] if is_own else label, scope="col")
        for label, _, is_own in columns
    ]
    body = []
    for right in RIGHTS:
        cells = [
            html.Td(
                _YES
                if _holds(right, role, rank)
                else html.Span(DASH, title=_why_not(right, rank), className="ts-muted")
            )
            for rank, (_, role, _) in enumerate(columns)
        ]
        body.append(html.Tr([html.Th(right.words, scope="row"), *cells]))
    return html.Table([html.Thead(html.Tr(heads)), html.Tbody(body)], className="ts-changes")


def _holds(right: Right, role: Role, rank: int) -> bool:
    # The first two columns are users without a sign-in, who have no tokens of their own.
    return may_use(right, role, has_sign_in=rank > 1)


def _why_not(right: Right, rank: int) -> str:
    if right.needs_person and rank <= 1:
        return "only a user who is signed in has tokens of their own"
    return f"needs the role {right.role.label}"


def _how() -> list[Component]:
    """Lay out the settings that give users their roles."""
    text = (
        "The scope of an API token gives it a role: read gives viewer, write gives editor, admin gives admin. "
        "The settings auth, admins, editors, default_role and anonymous give users their roles; restart the "
        "server after a change."
    )
    return [html.P(text, className="ts-panel-hint")]
