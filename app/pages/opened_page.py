"""What every page of views has beside them: its stores, its mark for the browser, and what is there in its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic

from dash import dcc, html
from dash.development.base_component import Component

from app.pages import history
from app.request.errors import as_sentence, mark_failed
from app.views.drawing import Piece, Properties, Shown
from app.views.layout import PageViews
from app.views.page_data import Data, State
from app.views.reads import ReadWatch
from app.views.view_page import ViewPage


@dataclass(frozen=True)
class OpenedPage(Generic[Data, State]):
    """What a page is opened with: id of what it is of, its data, the version read before them, and the view state."""

    id: str
    data: Data
    version: str
    state: State


@dataclass(frozen=True)
class FirstDrawn:
    """A page as it opens: its stores, properties of the components of its head by id, its groups of views."""

    stores: list[Component]
    head: Properties
    groups: list[Component]


def first_drawn(
    screen: ViewPage[Data, State], head: Sequence[Piece[Data, State]], subject: OpenedPage[Data, State], theme: str
) -> FirstDrawn:
    """Draw a page's head and views, and note what each of them read of the view state."""
    watch = ReadWatch(subject.state)
    parts: Properties = {}
    for piece in head:
        parts |= piece.draw(subject.data, watch.of(piece.name), theme)
    views = PageViews(screen, subject.data, watch, theme)
    groups = views.groups()
    shown = Shown(subject.version, theme, watch.reads, views.keys())
    return FirstDrawn(_stores(screen, subject, shown), parts, groups)


def _stores(screen: ViewPage[Data, State], subject: OpenedPage[Data, State], shown: Shown) -> list[Component]:
    return [
        dcc.Store(id=screen.shown_store, data=shown.to_store()),
        dcc.Store(id=screen.changes),
        html.Div(id=screen.progress, className="ts-progress", hidden=True),
        *history.stores(screen.view, subject.state.query()),
        dcc.Store(id=screen.subject, data=subject.id),
        dcc.Store(id=screen.zoom),
        dcc.Store(id=screen.key),
    ]


def refusal(words: object) -> html.Section:
    """Say why a page cannot be shown, and mark the answer as failed."""
    mark_failed()
    return html.Section(
        [html.H1(as_sentence(words)), dcc.Link("All runs", href="/")],
        className="ts-panel ts-empty",
    )


def page_root(screen: ViewPage[Data, State]) -> dict[str, Any]:
    """Return the property of the page's root that tells `assets/views.js` how its ids begin."""
    return {"data-screen": screen.name}
