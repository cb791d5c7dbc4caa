"""What of a run's page is drawn anew for a view state: pieces of the page, each the properties of its components."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from dash import html

from app.views.jumps import answer_parts
from app.views.reads import Reads, Watch
from app.views.registry import views_of
from app.views.state import RunState
from app.views.view import FAILED, Part, Plot, Words, drawn
from components.graph import summary_id
from services.runs import RunData

_LOG = logging.getLogger(__name__)

Properties = dict[str, dict[str, Any]]
"""Id of a component -> its properties that change."""


@dataclass(frozen=True)
class Piece:
    """A part of the page that is drawn as a whole.

    `draw` is given the run, the view state and the theme. `key` is what the drawing changes with, where that is less
    than what it reads; `marks` are properties that change beside it, while the drawing stays.
    """

    name: str
    draw: Callable[[RunData, RunState, str], Properties]
    key: Callable[[RunData, RunState], str] | None = None
    marks: Callable[[RunData, RunState], Properties] | None = None


@dataclass(frozen=True)
class Shown:
    """What a page shows: of which content of the run and theme, what each piece read, and its key."""

    version: str = ""
    theme: str = ""
    reads: Mapping[str, Reads] = field(default_factory=dict)
    keys: Mapping[str, str] = field(default_factory=dict)

    def stored(self) -> dict[str, Any]:
        """Return it as the page's store holds it."""
        return {"version": self.version, "theme": self.theme, "reads": dict(self.reads), "keys": dict(self.keys)}

    @classmethod
    def of(cls, stored: object, version: str, theme: str | None) -> Shown:
        """Return what a page's store says that it shows; nothing where that is of other content or another theme.

        A page that has not said its theme yet keeps the one that it was laid out in.
        """
        known = stored if isinstance(stored, dict) else {}
        theme = theme or ("dark" if known.get("theme") == "dark" else "light")
        if (known.get("version"), known.get("theme")) != (version, theme):
            return cls(version, theme)
        reads, keys = known.get("reads"), known.get("keys")
        return cls(version, theme, reads if isinstance(reads, dict) else {}, keys if isinstance(keys, dict) else {})


def changes(pieces: Iterator[Piece], data: RunData, state: RunState, before: Shown) -> tuple[Properties, Shown]:
    """Draw the pieces that would look otherwise than the page shows them; return them and what it shows then."""
    watch = Watch(state)
    changed: Properties = {}
    keys: dict[str, str] = {}
    for piece in pieces:
        if piece.key and piece.name in before.keys:
            keys[piece.name] = before.keys[piece.name]
        if watch.kept(piece.name, before.reads.get(piece.name)):
            continue
        seen = watch.of(piece.name)
        key = piece.key(data, seen) if piece.key else None
        if key is None or key != keys.get(piece.name):
            changed |= piece.draw(data, seen, before.theme)
        elif piece.marks:
            changed |= piece.marks(data, seen)
        if key is not None:
            keys[piece.name] = key
    return changed, Shown(before.version, before.theme, watch.reads, keys)


def view_pieces(data: RunData) -> Iterator[Piece]:
    """Return the pieces of the views that a run has, in reading order."""
    for view in views_of(data):
        if isinstance(view, Words):
            yield _words_piece(view)
        elif isinstance(view, Plot):
            yield Piece(view.id, _plot_draw(view))
            if view.strip:
                yield Piece(view.strip.id, _strip_draw(view.strip))


def _plot_draw(view: Plot) -> Callable[[RunData, RunState, str], Properties]:
    def draw(data: RunData, state: RunState, theme: str) -> Properties:
        panel = drawn(view, data, state, theme)
        return {
            view.graph_id: {"figure": panel.figure},
            f"{view.graph_id}-answer": {"children": answer_parts(view.id, panel.answer)},
            summary_id(view.graph_id): {"children": panel.answer},
            f"{view.graph_id}-line": {"children": panel.line},
        }

    return draw


def _strip_draw(strip: Plot) -> Callable[[RunData, RunState, str], Properties]:
    def draw(data: RunData, state: RunState, theme: str) -> Properties:
        panel = drawn(strip, data, state, theme)
        return {strip.graph_id: {"figure": panel.figure}, summary_id(strip.graph_id): {"children": panel.answer}}

    return draw


def _words_piece(view: Words) -> Piece:
    def draw(data: RunData, state: RunState, _theme: str) -> Properties:
        made = made_words(view, data, state)
        return {
            f"run-{view.id}-body": {"children": made.body},
            f"run-{view.id}-answer": {"children": answer_parts(view.id, made.answer)},
            f"run-{view.id}-section": {"hidden": made.body is None},
        }

    return Piece(view.id, draw, view.key, _marks_of(view))


def _marks_of(view: Words) -> Callable[[RunData, RunState], Properties] | None:
    """Return what marks the selection in a grid as it stands: made anew, it would lose its place and send every row."""
    grid = view.grid
    if grid is None or grid.marks is None:
        return None
    find = grid.marks

    def marks(data: RunData, state: RunState) -> Properties:
        made = made_words(view, data, state)
        answer = {f"run-{view.id}-answer": {"children": answer_parts(view.id, made.answer)}}
        return answer | {grid.id: dict(zip(grid.marked, find(data, state), strict=True))}

    return marks


def made_words(view: Words, data: RunData, state: RunState) -> Part:
    """Return what a view in words shows; one that fails says so in its place and costs no other."""
    try:
        return view.make(data, state)
    except Exception:
        _LOG.exception("view %s of run %s with %s", view.id, data.run_id, state.query())
        return Part(html.P(FAILED, className="ts-panel-hint"), "")
