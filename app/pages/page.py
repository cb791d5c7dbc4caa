"""The record of a page of the dashboard, used by the server, the frame of all pages and the
documentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
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
"""A key or a gesture of the pointer, and its effect."""
POINTER_KEYS: tuple[HelpKey, ...] = (
    ("drag", "zoom a plot"),
    ("click", "select; double click clears"),
    ("Esc", "clear the selection"),
)
"""Gestures of the pointer on every page of views, and Escape."""


_ARROWS = {"ArrowLeft": "←", "ArrowRight": "→"}
"""Names of keys in browsers, and how the help shows them."""


def shown_keys(keys: Sequence[str]) -> str:
    """Write the names of keys as the help shows them, such as `a d ← →`."""
    return " ".join(_ARROWS.get(key, key) for key in keys)


@dataclass(frozen=True)
class PageRequest:
    """The request for a page's layout: query string, theme, and the run's id if the path has one."""

    query: str
    theme: str
    run_id: str = ""


@dataclass(frozen=True)
class ContentRequest:
    """A request for a page's content.

    `subject` is the id of the page data from the path or the store; `is_layout` is true for the
    layout of the page.
    """

    subject: str
    query: str
    is_layout: bool


@dataclass(frozen=True)
class PageContent:
    """The stored content that a response shows.

    Equal texts identify equal responses, for a drawing together with `other_runs`, which identifies
    the other runs that some pieces show ("": no piece does). `prefixes` maps the ids of the runs to the prefixes of
    their files: the response is deleted when one of these runs is deleted or read again. With the
    role of the user, `user_text` identifies the parts of the layout that depend on the user.
    """

    text: str
    prefixes: Mapping[str, str]
    user_text: str = ""
    other_runs: str = ""


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page.

    `name` is the prefix of its component ids, followed by `-`. `path` may contain the part
    `<run_id>`, and `title` the run's name as `{run}`. `register` adds its callbacks. `navigation`
    is its entry in the top bar, or in the menu of users for a role above VIEWER. `has_state` is
    true if a store holds its view state and the address follows it. `views` are the views of a page
    that consists of views; `views_title` and `views_note` are their heading and note in the
    documentation. `keys_title` is the heading of its keys in the help, which are the keys of its
    views and `keys`. `snapshot` and `exports` are its files.

    `is_slow` is true if layout and callbacks may take long, so that render processes answer them.
    `exceptions`, `in_server` and `asks` are prefixes of the outputs (ids or types of ids) of
    callbacks that differ: `exceptions` inverts `is_slow`; `in_server` may take long, but starts
    work that outlives a render process; `asks` waits for the process of an SQL query. `content`
    identifies equal responses, so that the layout and the callbacks that get both stores of the
    page (`view`, `subject`) are cached; it raises StorageError or ValueError if there is no
    content. `list_content` returns a text that identifies what the layout, and the callbacks with
    outputs that begin with one of `listed`, show for a query string: the server itself caches their
    responses to equal requests while the text is the same, for each role. `forward` returns the
    address of another page that a query string leads to now, "" if it is a query of this page.
    `query_data` returns a text for the runs that a query string names: requests with the same text
    go to the same render process. `user_parts` returns the parts of the layout that depend on the
    user by name (None: not shown), for the run's id; the layout has placeholders for them
    (`app.request.user_parts`), because responses are shared.
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
    content: Callable[[AppContext, ContentRequest], PageContent] | None = None
    list_content: Callable[[AppContext, str], str] | None = None
    listed: tuple[str, ...] = ()
    forward: Callable[[str], str] | None = None
    query_data: Callable[[str], str] | None = None
    user_parts: Callable[[AppContext, str], Mapping[str, Component | None]] | None = None

    @property
    def view(self) -> str:
        """Id of the store that has the page's view state as a query string."""
        return f"{self.name}-view"

    @property
    def subject(self) -> str:
        """Id of the store that has the id of the page's data, such as a run's id."""
        return f"{self.name}-id"

    @property
    def shown_store(self) -> str:
        """Id of the store that has the state of the displayed page, see `app.views.shown`."""
        return f"{self.name}-shown"

    @property
    def changes(self) -> str:
        """Id of the store that the callback sets which draws the page."""
        return f"{self.name}-changes"

    @property
    def files(self) -> tuple[PageFile, ...]:
        """Files that people can save from the page: the snapshot, if any, then the exports."""
        return ((self.snapshot,) if self.snapshot else ()) + self.exports

    @property
    def help_keys(self) -> tuple[HelpKey, ...]:
        """Keys of the page as listed in the help, (keys, effect) each: those of its views, then its
        own.
        """
        own = self.views.keys if self.views else ()
        return (*((shown_keys(key.keys), key.does) for key in own), *self.keys)

    def match_path(self, path: str) -> str | None:
        """Return the run's id if the path belongs to this page, "" if the page has no run in its
        path, None for paths of other pages.
        """
        match = self._pattern.fullmatch(unquote(path).strip("/"))
        return None if match is None else match.groupdict().get("run_id", "")

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # re.escape leaves `<`, `>` and `_` as they are, so the part can still be replaced.
        return re.compile(re.escape(self.path.strip("/")).replace("<run_id>", "(?P<run_id>[^/]+)"))
