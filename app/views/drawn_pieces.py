"""Draw the pieces of a page for a view state, and choose the pieces that a displayed page lacks.

The content of a piece depends only on the page data and the view state. The state of the displayed
page decides whether the piece is sent, and in which form. So the responses to pages in different
states are put together from the same drawn pieces.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from app.views.drawing import Piece, Properties
from app.views.page_data import Data, State
from app.views.reads import Reads, ReadWatch, is_unchanged
from app.views.shown import Shown
from components.figure import Figure

Sent = TypeVar("Sent")
"""Type of the properties of a piece: dicts, or their JSON text."""

FIRST, DRAWN, MARKED, KEPT = "first", "drawn", "marked", "kept"
"""Forms in which a piece is sent: to an empty page, drawn again for a page that has the template of
its figures, as properties that move in a body that stays, and as nothing but a note of its reads.
"""


@dataclass(frozen=True)
class Look(Generic[Sent]):
    """A piece in one form: the fields that its drawing read, and the properties that are sent."""

    reads: Reads
    properties: Sent


@dataclass(frozen=True)
class DrawnPiece(Generic[Sent]):
    """A piece for a view state, in the forms that were drawn.

    `other_runs` is the version of the other runs that it shows, None if it shows none. `key` is its
    key (see `Piece.key`), None if it has none or was not drawn yet. `has_marks`: it can be MARKED.
    """

    name: str
    other_runs: str | None = None
    has_marks: bool = False
    key: str | None = None
    looks: Mapping[str, Look[Sent]] = field(default_factory=dict)

    def is_stale(self, before: Shown) -> bool:
        """Return whether the page shows other runs in this piece than there are now."""
        return self.other_runs is not None and before.other_runs.get(self.name) != self.other_runs

    def is_shown(self, state: State, before: Shown) -> bool:
        """Return whether the page shows the piece as it looks for the view state: all fields that
        the drawing read have the same values.
        """
        return not self.is_stale(before) and is_unchanged(state, before.reads.get(self.name))

    def choose_form(self, before: Shown) -> str:
        """Return the form in which the page gets the piece if it does not show it."""
        if not before.reads:
            return FIRST
        has_body = self.key is not None and self.key == before.keys.get(self.name)
        if self.is_stale(before) or not has_body:
            return DRAWN
        return MARKED if self.has_marks else KEPT

    def with_looks(self, other: DrawnPiece[Sent]) -> DrawnPiece[Sent]:
        """Return the piece with its forms and those of `other`, the same piece for the same state."""
        key = other.key if self.key is None else self.key
        return replace(self, key=key, looks={**other.looks, **self.looks})


def draw_pieces(
    pieces: Iterable[Piece[Data, State]],
    data: Data,
    state: State,
    before: Shown,
    known: Collection[tuple[str, str]] = (),
) -> list[DrawnPiece[Properties]]:
    """Return all pieces, those that the page lacks drawn in the form that it gets.

    Pieces in `known`, pairs of name and form, are not drawn, because the caller has them.
    """
    watch = ReadWatch(state)
    return [_draw(piece, data, watch, before, known) for piece in pieces]


def _draw(
    piece: Piece[Data, State],
    data: Data,
    watch: ReadWatch[State],
    before: Shown,
    known: Collection[tuple[str, str]],
) -> DrawnPiece[Properties]:
    drawn: DrawnPiece[Properties] = DrawnPiece(
        piece.name,
        piece.other_runs(data) if piece.other_runs else None,
        piece.marks is not None,
    )
    if drawn.is_shown(watch.state, before):
        return drawn
    seen = watch.of(piece.name)
    if piece.prepare is not None:
        piece = piece.prepare(data, seen)
    drawn = replace(drawn, key=piece.key(data, seen) if piece.key else None)
    form = drawn.choose_form(before)
    if (piece.name, form) in known:
        return drawn
    properties: Properties = {}
    if form in (FIRST, DRAWN):
        properties = piece.draw_limited(data, seen, before.theme)
    elif piece.marks and form == MARKED:
        properties = piece.marks(data, seen)
    if form != FIRST:
        properties = {name: _without_template(part) for name, part in properties.items()}
    return replace(drawn, looks={form: Look(watch.reads[piece.name], properties)})


def find_changes(
    pieces: Iterable[DrawnPiece[Sent]], state: State, before: Shown
) -> tuple[list[Sent], Shown, bool]:
    """Return (properties to send, new state of the page, whether no piece is missing).

    A piece that the page shows is not sent. A piece without the form that the page needs is left
    out, also from the new state, so that the next drawing sends it.
    """
    properties: list[Sent] = []
    reads: dict[str, Reads] = {}
    keys: dict[str, str] = {}
    other_runs: dict[str, str] = {}
    is_whole = True
    for piece in pieces:
        name = piece.name
        if piece.other_runs is not None:
            other_runs[name] = piece.other_runs
        if piece.is_shown(state, before):
            reads[name] = before.reads[name]
            if name in before.keys:
                keys[name] = before.keys[name]
            continue
        look = piece.looks.get(piece.choose_form(before))
        if look is None:
            is_whole = False
            continue
        properties.append(look.properties)
        reads[name] = look.reads
        if piece.key is not None:
            keys[name] = piece.key
    return properties, Shown(before.version, before.theme, reads, keys, other_runs), is_whole


def changes(
    pieces: Iterable[Piece[Data, State]], data: Data, state: State, before: Shown
) -> tuple[Properties, Shown]:
    """Draw the pieces that differ from the displayed page `before`.

    Return their properties, component id -> property -> value, and the new page state. Figures lack
    their template if the page has it.
    """
    drawn = draw_pieces(pieces, data, state, before)
    properties, shown, _ = find_changes(drawn, state, before)
    return {name: part for parts in properties for name, part in parts.items()}, shown


def _without_template(properties: dict[str, Any]) -> dict[str, Any]:
    """Leave out the template of a figure, which all figures of a theme share: the browser takes it
    from the figure that it replaces.
    """
    figure = properties.get("figure")
    if not isinstance(figure, Figure):
        return properties
    return properties | {"figure": figure.without_template()}
