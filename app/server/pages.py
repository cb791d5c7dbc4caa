"""The pages as Dash knows them: addresses, titles, layouts, callbacks, and the store that the address bar follows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import dash
import flask
from dash import Dash, dcc, html
from dash.development.base_component import Component

from app.context import AppContext
from app.pages import history
from app.pages.opened_page import refusal
from app.pages.page import Page, PageRequest
from app.pages.shell import read_theme
from app.request import errors
from app.request.user import current_user, may
from components.numbers import shorten
from schema.roles import Role
from storage.errors import StorageError

EXTENSION = "tilescope"
"""Where Flask keeps the context: Dash's registry is the process's, so a layout asks the answering server for it."""


def register(app: Dash, context: AppContext, pages: Sequence[Page]) -> None:
    """Tell Dash the pages; of two that fit an address it takes the first, so the longer paths go first."""
    for order, page in enumerate(sorted(pages, key=lambda page: -page.path.count("/"))):
        dash.register_page(page.name, title=_title(page), layout=partial(_layout, page), order=order, **_address(page))
    for page in pages:
        if page.role is not Role.VIEWER:
            app.server.add_url_rule(page.path, page.name, app.index)  # a route of its own, which the gate knows
        if page.register:
            page.register(app, context)
        if page.has_state:
            history.register(app, page.view)


def _address(page: Page) -> dict[str, str]:
    return {"path_template" if "<" in page.path else "path": page.path}


def _context() -> AppContext:
    context: AppContext = flask.current_app.extensions[EXTENSION]
    return context


def _title(page: Page) -> str | Callable[..., str]:
    """Return what the browser's tab is called, of a page of a run by the run's name."""

    def title_of_run(run_id: str = "", **_query: object) -> str:
        return _with_product(page.title.format(run=_run_name(run_id)))

    return title_of_run if "{run}" in page.title else _with_product(page.title)


def _with_product(title: str) -> str:
    return f"{title} · Tilescope"


def _run_name(run_id: str) -> str:
    repository = _context().repository
    try:
        return shorten(str(repository.find_run(repository.resolve(run_id)).run["name"]))
    except StorageError:
        return "Run"


def _layout(page: Page, run_id: str = "", **query: str | Sequence[str]) -> Component:
    """Lay out a page, or why there is none: for who may not see it, and where its storage fails."""
    request = PageRequest(history.query_string(query), read_theme(flask.request), run_id)
    if not may(page.role):
        return html.Div(_role_missing(page.role))
    try:
        return page.layout(_context(), request)
    except StorageError as error:
        errors.log_failure(error)
        return html.Div(refusal(errors.public(error)))


def _role_missing(role: Role) -> html.Section:
    words = f"This page needs the role {role.label}; you have the role {current_user().role.label}."
    return html.Section([html.H1(words), dcc.Link("All runs", href="/")], className="ts-panel ts-empty")
