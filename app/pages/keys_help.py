"""The dialog of keys: the keys of every page, and the keys of the open page from its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dash_bootstrap_components as dbc
from dash import ALL, ClientsideFunction, Dash, Input, Output, State, html
from dash.development.base_component import Component

from app.config.assets import has_documentation
from app.pages.code_words import code_words
from app.pages.dialogs import dialog
from app.pages.page import HelpKey, Page
from app.pages.rights.record import RIGHTS_PAGE
from app.views.registry import PLUGINS
from data_loaders.registry import plugin_loaders

EVERY = "every"
"""Name of the group of keys that work on every page."""
_UPLOAD: HelpKey = ("u", "ingest files")
_EVERY_KEYS: tuple[HelpKey, ...] = (
    ("/", "search the runs"),
    _UPLOAD,
    ("t", "light or dark"),
    ("?", "these keys"),
)


def key_groups(pages: Sequence[Page]) -> Mapping[str, tuple[str, tuple[HelpKey, ...]]]:
    """Map page names to (heading, keys); the group EVERY, for all pages, comes first, and pages
    without keys are left out.
    """
    own = {page.name: (page.keys_title, page.help_keys) for page in pages if page.help_keys}
    return {EVERY: ("every page", _EVERY_KEYS)} | own


def help_dialog(pages: Sequence[Page], *, editor: bool) -> dbc.Modal:
    """Lay out the closed dialog of keys, plugins and documentation; only an `editor` gets the key
    that ingests files.
    """
    groups = [_group(page, *named, editor=editor) for page, named in key_groups(pages).items()]
    return dialog(
        "help",
        "Keys",
        [
            dbc.ModalBody(
                [html.Table(groups, className="ts-keys"), *_plugins(), _ways(), *_documentation()]
            )
        ],
    )


def _plugins() -> list[Component]:
    """List the loaders and views of installed plugins in a folded list; empty without plugins."""
    views = (view for plugin in PLUGINS for view in plugin.views)
    texts = [(loader.title, loader.reads) for loader in plugin_loaders()] + [
        (view.title, view.help) for view in views
    ]
    rows = [html.Li([html.Strong(title), ": ", *code_words(text)]) for title, text in texts]
    return (
        [html.Details([html.Summary("Plugins"), html.Ul(rows)], className="ts-how-to")]
        if rows
        else []
    )


def _ways() -> html.P:
    """Lay out the link to the page of rights."""
    return html.P(html.A(RIGHTS_PAGE.title, href=RIGHTS_PAGE.path), className="ts-actions")


def _documentation() -> list[Component]:
    """Lay out links to the documentation; empty if this server does not have it."""
    if not has_documentation():
        return []
    ways = [
        html.A("Documentation", href="/docs/"),
        html.A("What each page shows", href="/docs/pages.html"),
    ]
    return [html.P(ways, className="ts-actions")]


def register(app: Dash) -> None:
    """Register the browser callback that shows in the help only the keys of the open page, which
    only the browser knows.
    """
    app.clientside_callback(
        ClientsideFunction("tilescope", "keysOfPage"),
        Output(_id(ALL), "hidden"),
        Input("help", "is_open"),
        State(_id(ALL), "id"),
    )


def _id(page: Any) -> dict[str, Any]:  # noqa: ANN401 -- a page, or Dash's wildcard
    return {"type": "help-keys", "page": page}


def _group(page: str, name: str, rows: Sequence[HelpKey], *, editor: bool) -> Component:
    shown = [row for row in rows if editor or row != _UPLOAD]
    heading = html.Tr(html.Th(name, colSpan=2, scope="rowgroup"))
    return html.Tbody([heading, *(_row(*row) for row in shown)], id=_id(page), hidden=page != EVERY)


def _row(key: str, does: str) -> html.Tr:
    return html.Tr([html.Th(html.Kbd(key), scope="row"), html.Td(does)])
