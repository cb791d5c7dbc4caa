"""Shared parts of all pages of views: stores, the first drawing, and the message if a page cannot
be shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic

from dash import dcc, html
from dash.development.base_component import Component

from app.pages import history
from app.request.errors import as_sentence, mark_failed
from app.request.pieces_ahead import hand_over, is_asked_ahead
from app.views.drawing import Piece, Properties, view_pieces
from app.views.drawing_ahead import draw_ahead
from app.views.layout import PageViews
from app.views.page_data import Data, State
from app.views.reads import ReadWatch
from app.views.shown import Shown
from app.views.view_page import ViewPage
from components.runs.list_address import list_address


@dataclass(frozen=True)
class OpenedPage(Generic[Data, State]):
    """The data that a page is laid out from.

    `id` is the id of the page data, `version` the version that was read before the data.
    """

    id: str
    data: Data
    version: str
    state: State


@dataclass(frozen=True)
class FirstDrawn:
    """The first drawing of a page: stores, properties of the head's components by id, and groups of
    views.
    """

    stores: list[Component]
    head: Properties
    groups: list[Component]


def first_drawn(
    screen: ViewPage[Data, State],
    head: Sequence[Piece[Data, State]],
    opened: OpenedPage[Data, State],
    theme: str,
    foot: Sequence[Piece[Data, State]] = (),
) -> FirstDrawn:
    """Draw the head and the views of a page, and record in its stores the fields of the view state
    that each of them read.

    `foot` are the pieces that the page requests once it is displayed. If the request asks for them,
    they are handed over.
    """
    watch = ReadWatch(opened.state)
    parts: Properties = {}
    for piece in head:
        parts |= piece.draw_limited(opened.data, watch.of(piece.name), theme)
    views = PageViews(screen, opened.data, watch, theme)
    groups = views.groups()
    shown = Shown(opened.version, theme, watch.reads, views.keys(), views.other_runs())
    if is_asked_ahead():
        pieces = (*head, *view_pieces(screen, opened.data), *foot)
        ahead = draw_ahead(pieces, opened.data, opened.state, shown)
        if ahead is not None:
            hand_over(ahead)
    return FirstDrawn(_stores(screen, opened, shown), parts, groups)


def _stores(
    screen: ViewPage[Data, State], opened: OpenedPage[Data, State], shown: Shown
) -> list[Component]:
    return [
        dcc.Store(id=screen.shown_store, data=shown.to_store()),
        dcc.Store(id=screen.changes),
        html.Div(id=screen.progress, className="ts-progress", hidden=True),
        *history.stores(screen.view, opened.state.query()),
        dcc.Store(id=screen.subject, data=opened.id),
        dcc.Store(id=screen.zoom),
        dcc.Store(id=screen.key),
    ]


def refusal(words: object) -> html.Section:
    """Lay out a message with the reason (`words`) why a page cannot be shown, and mark the response
    as failed.

    Failed responses are not cached.
    """
    mark_failed()
    return html.Section(
        [html.H1(as_sentence(words)), dcc.Link("All runs", href=list_address())],
        className="ts-panel ts-empty",
    )


def page_root(screen: ViewPage[Data, State]) -> dict[str, Any]:
    """Return the attribute `data-screen` of the page's root element, from which `assets/views.js`
    reads the prefix of its ids.
    """
    return {"data-screen": screen.name}
