"""What every page of views has beside them: its stores, its mark for the browser, and what is there in its place."""

from __future__ import annotations

from typing import Any

from dash import dcc, html
from dash.development.base_component import Component

from app.errors import as_sentence, mark_failed
from app.pages import history
from app.views.drawing import Shown
from app.views.screen import Screen
from app.views.subject import Data, State


def screen_stores(screen: Screen[Data, State], subject_id: str, state: State, shown: Shown) -> list[Component]:
    """Return the stores of a page, and the element that shows that it is being drawn."""
    return [
        dcc.Store(id=screen.shown, data=shown.stored()),
        dcc.Store(id=screen.changes),
        html.Div(id=screen.progress, className="ts-progress", hidden=True),
        *history.stores(screen.view, state.query()),
        dcc.Store(id=screen.subject, data=subject_id),
        dcc.Store(id=screen.zoom),
        dcc.Store(id=screen.key),
    ]


def refused(words: object) -> html.Section:
    """Say why a page cannot be shown, and mark the answer as failed."""
    mark_failed()
    return html.Section(
        [html.H1(as_sentence(words)), dcc.Link("All runs", href="/")],
        className="ts-panel ts-empty",
    )


def screen_root(screen: Screen[Data, State]) -> dict[str, Any]:
    """Return the property of the page's root that tells `assets/views.js` how its ids begin."""
    return {"data-screen": screen.name}
