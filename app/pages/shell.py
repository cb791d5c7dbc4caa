"""The frame of every page: top bar, upload dialog, help, toast."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash
import dash_bootstrap_components as dbc
from dash import ClientsideFunction, Dash, Input, Output, State, dcc, html
from flask import Request

from app.config.assets import has_documentation
from app.config.settings import Settings
from app.pages import keys_help
from app.pages.code_words import code_words
from app.pages.dialogs import dialog
from app.pages.page import Page
from app.pages.user_menu import open_notice, user_menu
from app.request.user import ANONYMOUS, User, current_user, is_known
from components.aria import aria
from components.runs.list_address import list_address
from data_loaders.registry import plugin_sources
from schema.roles import Role
from schema.sources import SOURCES

THEME_COOKIE = "tilescope-theme"
"""Cookie that the browser writes, so that the first drawing has the right colours."""

_INTERRUPTED = (
    "If an upload of a large file was interrupted, select the same file again to continue it."
)


def read_theme(request: Request) -> str:
    """Return the theme in the request's cookie, `dark` or `light`; `light` if the cookie is missing
    or has another value.
    """
    # A cookie may have any value, so that only the known one is used.
    return "dark" if request.cookies.get(THEME_COOKIE) == "dark" else "light"


def layout(settings: Settings, pages: Sequence[Page]) -> html.Div:
    """Lay out the frame of all pages for the current user; only editors get the upload button and
    dialog.

    Dash calls this once at the start, when no user is known: then for an anonymous user.
    """
    user = current_user() if is_known() else ANONYMOUS
    editor = user.role >= Role.EDITOR
    return html.Div(
        [
            dcc.Store(id="theme", storage_type="local"),
            html.A("Skip to content", href="#content", className="visually-hidden-focusable"),
            _top_bar(user, settings, pages),
            *open_notice(settings),
            # `assets/server_away.js` writes its text.
            html.P(id="server-away", className="ts-away", role="status"),
            html.Main(dash.page_container, id="content", className="ts-content", tabIndex=-1),
            *([_upload_dialog()] if editor else []),
            keys_help.help_dialog(pages, editor=editor),
            dbc.Toast(
                id="toast",
                header="Tilescope",
                is_open=False,
                dismissable=True,
                duration=8000,
                className="ts-toast",
            ),
        ],
        className="ts-app",
    )


def register(app: Dash) -> None:
    """Register the callbacks of the theme and the dialogs, which run in the browser."""
    app.clientside_callback(
        ClientsideFunction("tilescope", "theme"),
        Output("theme", "data"),
        Input("theme-toggle", "n_clicks"),
    )
    for name in ("help", "upload"):
        app.clientside_callback(
            ClientsideFunction("tilescope", "toggle"),
            Output(name, "is_open"),
            Input(f"{name}-open", "n_clicks"),
            State(name, "is_open"),
            prevent_initial_call=True,
        )
    keys_help.register(app)


def _top_bar(user: User, settings: Settings, pages: Sequence[Page]) -> html.Header:
    listed = [page for page in pages if page.navigation and page.role <= Role.VIEWER]
    return html.Header(
        [
            dcc.Link([html.Span(className="ts-mark"), "Tilescope"], href="/", className="ts-brand"),
            html.Nav(
                [dcc.Link(page.navigation, href=page.path, className="ts-nav") for page in listed],
                **aria(label="Pages"),
            ),
            html.Label(
                [
                    html.Span("Search runs", className="visually-hidden"),
                    dcc.Input(
                        id="search", type="search", placeholder="search runs  /", autoComplete="off"
                    ),
                ],
                className="ts-search",
                **_list_of_runs(),
            ),
            *([_upload_button(settings.max_upload_mb)] if user.role >= Role.EDITOR else []),
            html.Button(
                html.Span(className="ts-theme-icon"),
                id="theme-toggle",
                className="ts-button ts-icon",
                title="Light or dark (t)",
                **aria(label="Switch between light and dark"),
            ),
            *_documentation(),
            html.Button(
                "?",
                id="help-open",
                className="ts-button ts-icon",
                title="Keys (?)",
                **aria(label="Keys"),
            ),
            *user_menu(user, settings, pages),
        ],
        className="ts-top-bar",
    )


def _documentation() -> list[html.A]:
    """Lay out the link to the documentation; empty if this server does not have it."""
    if not has_documentation():
        return []
    return [html.A("Docs", href="/docs/", className="ts-button", title="Documentation")]


def _list_of_runs() -> dict[str, Any]:
    """Return the attribute from which `assets/runs.js` reads the address of the list of runs."""
    return {"data-list": list_address()}


def _upload_button(max_mb: int) -> html.Button:
    """Lay out the button with the size limit (MB), so that the browser does not send larger files."""
    limit: dict[str, Any] = {"data-max-mb": max_mb}
    return html.Button(
        "Upload", id="upload-open", className="ts-button", title="Ingest files (u)", **limit
    )


def drop_zone(zone_id: str) -> html.Div:
    """Lay out an area with the id `zone_id` to drop files on, with buttons to choose files;
    `assets/upload.js` handles the events.
    """
    return html.Div(
        [
            html.P(
                "Drop traces, logs, memory maps, profiles or a whole folder here",
                className="ts-drop-title",
            ),
            html.Div(
                [
                    html.Button("Choose files", className="ts-button", **_pick("files")),
                    html.Button("Choose a folder", className="ts-button", **_pick("folder")),
                ],
                className="ts-drop-buttons",
            ),
        ],
        id=zone_id,
        className="ts-drop",
    )


def _pick(what: str) -> dict[str, Any]:
    return {"data-pick": what}


def _upload_dialog() -> dbc.Modal:
    settings = dcc.Input(
        id="upload-settings",
        type="text",
        className="ts-mono",
        placeholder="hwid=npu2 m=32 k=32 n=32 warmup=1 iterations=5",
        autoComplete="off",
        spellCheck="false",
    )
    return dialog(
        "upload",
        "Ingest files",
        [
            dbc.ModalBody(
                [
                    drop_zone("upload-zone"),
                    html.P(_INTERRUPTED, className="ts-muted"),
                    html.Label(
                        "Settings that are missing from the files and their paths",
                        htmlFor="upload-settings",
                    ),
                    settings,
                    dbc.Checkbox(
                        id="upload-strip",
                        label="Do not store source lines and file paths of tinygrad captures",
                        className="mt-2",
                    ),
                    html.Details(
                        [
                            html.Summary("Supported files, and how to produce them"),
                            supported_files(),
                        ],
                        className="ts-how-to",
                    ),
                    html.Div(id="upload-list"),
                ]
            ),
        ],
        size="lg",
    )


def supported_files() -> html.Ul:
    """Lay out the supported files by source, and how to produce them."""
    sources = (*SOURCES, *plugin_sources())
    return html.Ul(
        [
            html.Li([html.Strong(source.title), ": ", *code_words(source.how_to or source.reads)])
            for source in sources
        ]
    )
