"""Names with the colours that tinygrad gave their parts.

In a kernel's name a colour is a kind of axis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from dash import html

from components.numbers import tame

AXES: Mapping[str, str] = MappingProxyType(
    {
        "blue": "global axis",
        "BLUE": "thread axis",
        "cyan": "local axis",
        "CYAN": "warp axis",
        "white": "loop axis",
        "WHITE": "loop axis",
        "BLACK": "loop axis",
        "yellow": "upcast axis",
        "red": "reduce axis",
        "RED": "group reduce axis",
        "magenta": "unrolled axis",
        "green": "outer axis",
    }
)
"""Colour of a number in a kernel's name -> kind of axis."""

_SPAN = re.compile(
    r"([0-9]{1,9})-([0-9]{1,9}):(black|red|green|yellow|blue|magenta|cyan|white)",
    re.IGNORECASE | re.ASCII,
)
"""A coloured part of a name: start, end and colour, as in column `colours` of frame `kernels`."""
_MAX_SPANS = 200
"""Coloured parts of a name that are read at most."""
_CUT, _NAMELESS = "…", "(no name)"

Piece = tuple[str, str]
"""Text and its colour; "" for no colour."""


def coloured_spans(name: str, colours: str, limit: int = 120) -> list[html.Span]:
    """Split a name into spans with their colours; in a kernel's name the tooltip has the kind of
    axis.

    `colours` has the form of column `colours` of frame `kernels`, such as `0-3:blue 4-6:red`;
    malformed parts are ignored. The middle of a name longer than `limit` is cut, as by
    `components.numbers.shorten`. A single span "(no name)" for an empty name.
    """
    pieces = _shown_pieces(name, colours, limit)
    axes = (
        bool(pieces) and not pieces[0][1]
    )  # a kernel's first letter has no colour, a copy's name is all one colour
    return [_span(text, colour, axes) for text, colour in pieces]


def styled_pieces(name: str, colours: str, limit: int = 120) -> list[list[str]]:
    """Split a name like `coloured_spans`, as lists [text, CSS classes] for the cells of a grid; the
    classes are "" for text without a colour.
    """
    return [
        [text, _class(colour) if colour else ""]
        for text, colour in _shown_pieces(name, colours, limit)
    ]


def _shown_pieces(name: str, colours: str, limit: int) -> list[Piece]:
    if not name:
        return [(_NAMELESS, "")]
    shown = (
        (tame(text), colour)
        for text, colour in _shorten_pieces(list(_pieces(name, colours)), len(name), limit)
    )
    return [piece for piece in shown if piece[0]]


def _class(colour: str) -> str:
    """Return the CSS classes of a colour, such as `ts-ansi ts-ansi-red`; a colour in upper case is
    bright and has a third class.
    """
    plain = f"ts-ansi ts-ansi-{colour.lower()}"
    return f"{plain} ts-ansi-bright" if colour.isupper() else plain


def _pieces(name: str, colours: str) -> Iterator[Piece]:
    """Yield (text, colour) of each part of a name in order; the colour is "" between coloured
    parts.

    Spans that overlap or begin beyond its end are ignored.
    """
    at = 0
    for match in list(_SPAN.finditer(colours))[:_MAX_SPANS]:
        begin = int(match.group(1))
        end = min(int(match.group(2)), len(name))
        if at <= begin < end:
            yield name[at:begin], ""
            yield name[begin:end], match.group(3)
            at = end
    yield name[at:], ""


def _shorten_pieces(pieces: list[Piece], length: int, limit: int) -> Iterator[Piece]:
    """Yield the pieces in order, with `…` in place of the middle of a name (of `length` characters)
    longer than `limit`.
    """
    if length <= limit:
        yield from pieces
        return
    head = (limit - 1) * 2 // 3
    tail = length - (limit - 1 - head)
    at = 0
    for text, colour in pieces:
        begin = at
        at = at + len(text)
        yield text[: max(0, head - begin)], colour
        if begin <= head < at:
            yield _CUT, ""
        yield text[max(0, tail - begin) :], colour


def _span(text: str, colour: str, axes: bool) -> html.Span:
    if not colour:
        return html.Span(text)
    axis = AXES.get(colour) if axes and text.strip("_") else None
    return html.Span(text, className=_class(colour), title=axis)
