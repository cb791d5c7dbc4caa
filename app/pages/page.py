"""A page of the dashboard: one record has what the server, the frame of all pages and the documents know of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from dash import Dash
from dash.development.base_component import Component

from app.context import AppContext
from app.pages.page_file import PageFile
from app.views.view_page import ViewPage
from schema.roles import Role

HelpKey = tuple[str, str]
"""A key, or what the pointer does, and what comes of it."""
POINTER_KEYS: tuple[HelpKey, ...] = (
    ("drag", "zoom a plot"),
    ("click", "select; double click clears"),
    ("Esc", "clear the selection"),
)
"""What the pointer does on every page of views, and Escape."""


@dataclass(frozen=True)
class PageRequest:
    """What a page is opened with: query string of its address, theme, and the run's id where its path has one."""

    query: str
    theme: str
    run_id: str = ""


@dataclass(frozen=True)
class ContentRequest:
    """A request to a page: what it is of, as its path or store says, its query string, and whether it is laid out."""

    subject: str
    query: str
    is_layout: bool


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page.

    `name` begins the ids of its components, followed by `-`. `path` may have the part `<run_id>`, and `title` the
    run's name as `{run}`. `register` adds its callbacks. `navigation` is its entry in the top bar, or for a role above
    VIEWER in the menu of users. `has_state`: a store holds its view state, which the address follows. `views` are the
    page's views if it is made of them, `views_title` and `views_note` head them in the documents. `keys_title` heads
    its keys in the help: those of its views, then `keys`. `snapshot` and `exports` are its files.

    `is_slow`: layout and callbacks may take long, and are answered by render processes; callbacks whose outputs
    begin as `exceptions` do (ids or types of ids) are the other way round. Those that begin as `in_server` may take
    long, but start what outlives a render process; those that begin as `asks` wait for the process of a query in
    SQL. `content` names what equal responses are made of, so that the layout and callbacks that are given both
    stores of the page (`view`, `subject`) are kept; it raises StorageError or ValueError where there is none.
    """

    name: str
    path: str
    title: str
    layout: Callable[[AppContext, PageRequest], Component]
    register: Callable[[Dash, AppContext], None] | None = None
    navigation: str = ""
    role: Role = Role.VIEWER
    has_state: bool = True
    views: ViewPage[Any, Any] | None = None
    views_title: str = ""
    views_note: str = ""
    keys_title: str = ""
    keys: tuple[HelpKey, ...] = ()
    snapshot: PageFile | None = None
    exports: tuple[PageFile, ...] = ()
    is_slow: bool = True
    exceptions: tuple[str, ...] = ()
    in_server: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    content: Callable[[AppContext, ContentRequest], str] | None = None

    @property
    def view(self) -> str:
        """Return the id of the store that holds the view state, as its query string."""
        return f"{self.name}-view"

    @property
    def subject(self) -> str:
        """Return the id of the store that says what the page is of."""
        return f"{self.name}-id"

    @property
    def files(self) -> tuple[PageFile, ...]:
        """Return the files that people save from the page."""
        return ((self.snapshot,) if self.snapshot else ()) + self.exports

    @property
    def help_keys(self) -> tuple[HelpKey, ...]:
        """Return the keys of the page as the help lists them."""
        own = self.views.keys if self.views else ()
        return (*((" ".join(key.keys), key.does) for key in own), *self.keys)

    def match_path(self, path: str) -> str | None:
        """Return the run's id in a path of this page, empty for a page of no run; None for the path of another page."""
        found = self._pattern.fullmatch(unquote(path).strip("/"))
        return None if found is None else found.groupdict().get("run_id", "")

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(re.escape(self.path.strip("/")).replace("<run_id>", "(?P<run_id>[^/]+)"))
