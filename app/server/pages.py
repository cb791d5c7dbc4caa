"""Register the pages with Dash: addresses, titles, layouts, callbacks and browser history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import dash
import flask
from dash import ClientsideFunction, Dash, Input, Output, dcc, html
from dash.development.base_component import Component
from flask import Response

from app.context import AppContext
from app.pages import history
from app.pages.opened_page import refusal
from app.pages.page import Page, PageRequest
from app.pages.shell import read_theme
from app.request import errors
from app.request.user import current_user, may
from components.numbers import shorten
from components.runs.list_address import list_address
from schema.roles import Role
from storage.errors import StorageError

EXTENSION = "tilescope"
"""Key of the application context in the extensions of the Flask server.

Dash's registry of pages is shared by all applications of a process, so that a layout gets the
context from the server that handles the request.
"""

_FORWARD = "forwarded-to"
"""Id of the store with the address that takes the place of the opened one."""


def register(app: Dash, context: AppContext, pages: Sequence[Page]) -> None:
    """Register the pages with Dash, paths with more slashes first.

    If two pages match an address, Dash takes the first.
    """
    for order, page in enumerate(sorted(pages, key=lambda page: -page.path.count("/"))):
        dash.register_page(
            page.name,
            title=_title(page),
            layout=partial(_layout, page),
            order=order,
            # No page has a picture; without this, Dash looks for one among all assets, per page.
            image="",
            **_address(page),
        )
    for page in pages:
        if page.role is not Role.VIEWER:
            # Pages share Dash's catch-all route; the gate needs the role of this page's own route.
            app.server.add_url_rule(page.path, page.name, app.index)
        if page.register:
            page.register(app, context)
        if page.has_state:
            history.register(app, page.view)
    _register_forwarding(app, pages)


def _register_forwarding(app: Dash, pages: Sequence[Page]) -> None:
    """Redirect requests with a query that a page forwards; within the application, where a link
    makes no request, replace the address.
    """
    forwards = {page.path: page.forward for page in pages if page.forward is not None}

    # Dash has its own route of `/`, which a rule of the same path could not replace.
    server: flask.Flask = app.server

    @server.before_request
    def redirect_saved_address() -> Response | None:
        forward = forwards.get(flask.request.path)
        if forward is None or flask.request.method not in ("GET", "HEAD"):
            return None
        address = forward(flask.request.query_string.decode("utf-8", "replace"))
        return flask.redirect(address) if address else None  # type: ignore[return-value]

    app.clientside_callback(
        ClientsideFunction("tilescope", "forward"),
        Output(_FORWARD, "modified_timestamp"),
        Input(_FORWARD, "data"),
    )


def _address(page: Page) -> dict[str, str]:
    return {"path_template" if "<" in page.path else "path": page.path}


def _context() -> AppContext:
    context: AppContext = flask.current_app.extensions[EXTENSION]
    return context


def _title(page: Page) -> str | Callable[..., str]:
    """Return the title of the browser's tab: for pages of a run, a function of its id that returns
    it, with `Run` if the run cannot be read.
    """

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
    """Lay out a page, or a message if the user's role is too low or the storage fails.

    If the page forwards the request's query, the layout only makes the browser open that address.
    """
    request = PageRequest(history.query_string(query), read_theme(flask.request), run_id)
    if not may(page.role):
        return html.Div(_role_missing(page.role))
    forward = page.forward(request.query) if page.forward is not None else ""
    if forward:
        return html.Div(dcc.Store(id=_FORWARD, data=forward))
    try:
        return page.layout(_context(), request)
    except StorageError as error:
        errors.log_failure(error)
        return html.Div(refusal(errors.public(error)))


def _role_missing(role: Role) -> html.Section:
    words = f"This page needs the role {role.label}; you have the role {current_user().role.label}."
    return html.Section(
        [html.H1(words), dcc.Link("All runs", href=list_address())], className="ts-panel ts-empty"
    )
