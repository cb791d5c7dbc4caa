"""Names with the colours that tinygrad gave their parts: in a kernel's name each colour is a kind of axis."""

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
"""Colour of a number in a kernel's name -> what it says."""

_SPAN = re.compile(
    r"([0-9]{1,9})-([0-9]{1,9}):(black|red|green|yellow|blue|magenta|cyan|white)", re.IGNORECASE | re.ASCII
)
_MOST_SPANS = 200
_CUT, _NAMELESS = "…", "(no name)"

Piece = tuple[str, str]
"""Text and its colour, empty for none."""


def coloured_spans(name: str, colours: str, limit: int = 120) -> list[html.Span]:
    """Return a name as spans, each with its colour and, where it is an axis, what kind in the tooltip.

    `colours` is as in frame `kernels`; what is no such text is passed over. Of a name longer than `limit` the middle
    is cut out, as `components.numbers.shorten` does.
    """
    pieces = _shown_pieces(name, colours, limit)
    axes = bool(pieces) and not pieces[0][1]  # a kernel's first letter has no colour, a copy's name is all one colour
    return [_span(text, colour, axes) for text, colour in pieces]


def styled_pieces(name: str, colours: str, limit: int = 120) -> list[list[str]]:
    """Return the same as plain lists of text and CSS classes, for the cells of a grid."""
    return [[text, _class(colour) if colour else ""] for text, colour in _shown_pieces(name, colours, limit)]


def _shown_pieces(name: str, colours: str, limit: int) -> list[Piece]:
    if not name:
        return [(_NAMELESS, "")]
    shown = ((tame(text), colour) for text, colour in _shorten_pieces(list(_pieces(name, colours)), len(name), limit))
    return [piece for piece in shown if piece[0]]


def _class(colour: str) -> str:
    """Return the CSS classes of a colour: upper case is the bright one."""
    plain = f"ts-ansi ts-ansi-{colour.lower()}"
    return f"{plain} ts-ansi-bright" if colour.isupper() else plain


def _pieces(name: str, colours: str) -> Iterator[Piece]:
    """Yield the name in pieces; spans that go back or beyond the name are passed over."""
    at = 0
    for match in list(_SPAN.finditer(colours))[:_MOST_SPANS]:
        begin, end = int(match.group(1)), min(int(match.group(2)), len(name))
        if at <= begin < end:
            yield name[at:begin], ""
            yield name[begin:end], match.group(3)
            at = end
    yield name[at:], ""


def _shorten_pieces(pieces: list[Piece], length: int, limit: int) -> Iterator[Piece]:
    """Yield the pieces without the middle of a name that is too long."""
    if length <= limit:
        yield from pieces
        return
    head = (limit - 1) * 2 // 3
    tail = length - (limit - 1 - head)
    at = 0
    for text, colour in pieces:
        begin, at = at, at + len(text)
        yield text[: max(0, head - begin)], colour
        if begin <= head < at:
            yield _CUT, ""
        yield text[max(0, tail - begin) :], colour


def _span(text: str, colour: str, axes: bool) -> html.Span:
    if not colour:
        return html.Span(text)
    said = AXES.get(colour) if axes and text.strip("_") else None
    return html.Span(text, className=_class(colour), title=said)
