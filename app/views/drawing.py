"""The pieces of a page of views: sets of component properties that are drawn as a whole."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic

from dash import html

from app.request.time_limit import TimeLimitError, limit_part
from app.views.jumps import caption_parts
from app.views.page_data import Data, State
from app.views.view import (
    FAILED,
    LIMIT_S,
    ContentView,
    Panel,
    Part,
    Plot,
    draw_plot,
    stopped_words,
)
from app.views.view_page import ViewPage
from components.graph import summary_id

_LOG = logging.getLogger(__name__)

Properties = dict[str, dict[str, Any]]
"""Component id -> the properties that change."""


@dataclass(frozen=True)
class Piece(Generic[Data, State]):
    """A part of the page that is drawn as a whole.

    `draw` takes page data, view state and theme. `key` returns a text that changes whenever the
    drawing changes, for pieces that read more of the view state than their drawing depends on.
    `other_runs` returns a text that changes whenever the other runs do that the piece shows.
    `marks` returns properties that are updated without drawing the piece again. `spare` are the
    properties if the drawing takes too long; a piece without them has its own limits. `prepare`
    returns the same piece for a view state, with functions that share what they compute.
    """

    name: str
    draw: Callable[[Data, State, str], Properties]
    key: Callable[[Data, State], str] | None = None
    marks: Callable[[Data, State], Properties] | None = None
    spare: Properties | None = None
    other_runs: Callable[[Data], str] | None = None
    prepare: Callable[[Data, State], Piece[Data, State]] | None = None

    def draw_limited(self, data: Data, state: State, theme: str) -> Properties:
        """Draw the piece; if it takes too long, return its spare properties."""
        if self.spare is None:
            return self.draw(data, state, theme)
        try:
            with limit_part(LIMIT_S):
                return self.draw(data, state, theme)
        except TimeLimitError:
            _LOG.warning("piece %s of %s took too long", self.name, data.label)
            return self.spare


def view_pieces(screen: ViewPage[Data, State], data: Data) -> Iterator[Piece[Data, State]]:
    """Yield the pieces of the views that the page data supports, in reading order; a strip follows
    its plot.
    """
    for view in screen.available_views(data):
        if isinstance(view, ContentView):
            yield words_piece(screen, view)
        elif isinstance(view, Plot):
            yield plot_piece(screen, view)
            if view.strip:
                yield strip_piece(screen, view.strip)


def plot_piece(screen: ViewPage[Data, State], view: Plot[Data, State]) -> Piece[Data, State]:
    """Make the piece of a plot: figure, caption, text for screen readers, and the note below the
    figure.
    """
    graph_id = screen.id(view.id)

    def draw(data: Data, state: State, theme: str) -> Properties:
        panel = draw_plot(view, data, state, theme)
        return _graph(graph_id, panel) | {
            f"{graph_id}-answer": {"children": caption_parts(view.id, panel.caption)},
            f"{graph_id}-line": {"children": panel.line},
            view.id: {"hidden": panel.absent},
        }

    return Piece(view.id, draw, other_runs=view.other_runs)


def strip_piece(screen: ViewPage[Data, State], strip: Plot[Data, State]) -> Piece[Data, State]:
    """Make the piece of a strip above a plot: figure and text for screen readers."""
    return Piece(
        strip.id,
        lambda data, state, theme: _graph(
            screen.id(strip.id), draw_plot(strip, data, state, theme)
        ),
        strip.key,
    )


def _graph(graph_id: str, panel: Panel) -> Properties:
    return {graph_id: {"figure": panel.figure}, summary_id(graph_id): {"children": panel.caption}}


def words_piece(
    screen: ViewPage[Data, State], view: ContentView[Data, State]
) -> Piece[Data, State]:
    """Make the piece of a content view: body and caption.

    The section is hidden if the body is None.
    """
    section = screen.id(view.id)

    def caption_properties(part: Part) -> Properties:
        return {f"{section}-answer": {"children": caption_parts(view.id, part.caption)}}

    def draw(data: Data, state: State, _theme: str) -> Properties:
        part = _render_content(view, data, state)
        return caption_properties(part) | {
            f"{section}-body": {"children": part.body},
            view.id: {"hidden": part.body is None},
        }

    marks = _make_marks(view, caption_properties)
    return Piece(view.id, draw, view.key, marks, other_runs=view.other_runs)


def _make_marks(
    view: ContentView[Data, State], caption_properties: Callable[[Part], Properties]
) -> Callable[[Data, State], Properties] | None:
    """Return the function that updates a body without drawing it again; None if the view has no
    marks.

    A grid that is created again would lose its scroll position and send every row. If the function
    fails or exceeds LIMIT_S, it returns a caption with a message.
    """
    grid = view.grid
    moved = view.moved
    find = None if grid is None else grid.marks
    if find is None and moved is None:
        return None

    def mark_rows(data: Data, state: State) -> Properties:
        properties = dict(moved(data, state)) if moved else {}
        if grid is not None and find is not None:
            properties[grid.id] = dict(zip(grid.marked, find(data, state), strict=True))
        return properties

    def marks(data: Data, state: State) -> Properties:
        try:
            with limit_part(LIMIT_S):
                return mark_rows(data, state) | caption_properties(
                    _render_content(view, data, state)
                )
        except TimeLimitError:
            return caption_properties(Part(None, stopped_words(data)))
        except Exception:
            _LOG.exception(
                "what moves of view %s of %s with %s", view.id, data.label, state.query()
            )
            return caption_properties(Part(None, FAILED))

    return marks


def _render_content(view: ContentView[Data, State], data: Data, state: State) -> Part:
    """Draw a content view; if it fails or exceeds its time limit LIMIT_S, return a message in its
    place.
    """
    try:
        with limit_part(LIMIT_S):
            return view.make(data, state)
    except TimeLimitError:
        return Part(html.P(stopped_words(data), className="ts-panel-hint"), "")
    except Exception:
        _LOG.exception("view %s of %s with %s", view.id, data.label, state.query())
        return Part(html.P(FAILED, className="ts-panel-hint"), "")
