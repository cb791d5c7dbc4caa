"""The pieces that were drawn for a view state, as text that can be stored and extended."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from plotly.io.json import to_json_plotly

from app.views.drawing import Properties
from app.views.drawn_pieces import DrawnPiece, Look


@dataclass(frozen=True)
class StateDrawing:
    """The pieces of a page for a view state, in reading order, and the version of the page data.

    The properties of a piece are the text of a JSON object.
    """

    version: str = ""
    pieces: tuple[DrawnPiece[str], ...] = ()

    @classmethod
    def of(cls, version: str, pieces: Iterable[DrawnPiece[Properties]]) -> StateDrawing:
        """Write the properties of drawn pieces as JSON, as Dash writes those of a response."""
        return cls(version, tuple(map(_write_piece, pieces)))

    @property
    def known_forms(self) -> list[tuple[str, str]]:
        """Name and form of everything that was drawn."""
        return [(piece.name, form) for piece in self.pieces for form in piece.looks]

    def merge(self, newer: StateDrawing) -> StateDrawing:
        """Return the pieces of `newer`, each with its forms in both drawings. If the page data of
        `newer` has another version, return `newer`.
        """
        if newer.version != self.version:
            return newer
        older = {piece.name: piece for piece in self.pieces}
        pieces = (
            piece.with_looks(older[piece.name]) if _is_same(piece, older.get(piece.name)) else piece
            for piece in newer.pieces
        )
        return replace(self, pieces=tuple(pieces))

    def only(self, is_part: Callable[[DrawnPiece[str]], bool]) -> StateDrawing:
        """Return the drawing with the pieces for which `is_part` is true."""
        return replace(self, pieces=tuple(filter(is_part, self.pieces)))

    def to_text(self) -> str:
        """Write a line of JSON about the pieces, then their properties."""
        head = [self.version, [_describe_piece(piece) for piece in self.pieces]]
        looks = (look for piece in self.pieces for look in piece.looks.values())
        return "".join([json.dumps(head), "\n", *(look.properties for look in looks)])

    @classmethod
    def from_text(cls, text: str) -> StateDrawing:
        """Parse the text of a drawing in the format of `to_text`."""
        head, _, rest = text.partition("\n")
        version, described = json.loads(head)
        lengths = [length for *_, looks in described for _, _, length in looks]
        ends = list(itertools.accumulate(lengths))
        texts = (rest[end - length : end] for end, length in zip(ends, lengths, strict=True))
        return cls(version, tuple(_read_piece(piece, texts) for piece in described))


def _write_piece(piece: DrawnPiece[Properties]) -> DrawnPiece[str]:
    looks = {
        form: Look(look.reads, to_json_plotly(look.properties))
        for form, look in piece.looks.items()
    }
    return DrawnPiece(piece.name, piece.other_runs, piece.has_marks, piece.key, looks)


def _is_same(piece: DrawnPiece[str], older: DrawnPiece[str] | None) -> bool:
    """Return whether forms of both may be mixed: not if one shows other runs than the other."""
    return older is not None and older.other_runs == piece.other_runs


def _describe_piece(piece: DrawnPiece[str]) -> list[Any]:
    looks = [(form, look.reads, len(look.properties)) for form, look in piece.looks.items()]
    return [piece.name, piece.other_runs, piece.has_marks, piece.key, looks]


def _read_piece(described: Sequence[Any], texts: Iterator[str]) -> DrawnPiece[str]:
    name, other_runs, has_marks, key, looks = described
    own = {form: Look(reads, next(texts)) for form, reads, _ in looks}
    return DrawnPiece(name, other_runs, has_marks, key, own)
