"""Places of the labels right of a memory map, so that none lies on another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from components.memory.levels import Level

Label = tuple[str, dict[str, Any]]
"""A text and its position (properties of a plotly annotation): `y` in bytes of the map's axis, or
from 0 to 1 of its height if `yref` is a domain, and `yanchor`.
"""
_LINE_PX = 13
_ABOVE_ANCHOR = {"top": 0.0, "middle": 0.5, "bottom": 1.0}
"""Part of a label that is above its position."""


@dataclass(frozen=True)
class _Span:
    """Vertical span of a label in pixels from the top of its map."""

    top: float
    bottom: float

    def overlaps(self, other: _Span) -> bool:
        return self.top < other.bottom and other.top < self.bottom


def without_overlaps(labels: Sequence[Label], level: Level) -> list[Label]:
    """Place labels in order of importance: a label that overlaps one before it is moved below that
    one if it has several lines, else left out.

    Labels of one line name banks, and the other banks still tell which bank it is.
    """
    placed: list[Label] = []
    spans: list[_Span] = []
    for text, place in labels:
        span = _span(text, place, level)
        lowest = _lowest_overlap(span, spans)
        if lowest is None:
            placed.append((text, place))
            spans.append(span)
        elif _lines(text) > 1:
            below = {"y": _bytes_at(lowest, level), "yref": level.axis, "yanchor": "top"}
            placed.append((text, place | below))
            spans.append(_Span(lowest, lowest + _lines(text) * _LINE_PX))
    return placed


def _lowest_overlap(span: _Span, taken: Sequence[_Span]) -> float | None:
    """Return the lower end of the spans that overlap this one; None if none does."""
    return max((other.bottom for other in taken if span.overlaps(other)), default=None)


def _lines(text: str) -> int:
    return text.count("<br>") + 1


def _span(text: str, place: dict[str, Any], level: Level) -> _Span:
    """Compute the span that a label takes at its position."""
    from_top = (
        (1 - place["y"]) * level.px
        if str(place.get("yref", "")).endswith("domain")
        else (level.view[1] - place["y"]) * level.bytes_px
    )
    height = _lines(text) * _LINE_PX
    top = from_top - _ABOVE_ANCHOR[place["yanchor"]] * height
    return _Span(top, top + height)


def _bytes_at(pixels: float, level: Level) -> float:
    """Compute the coordinate in bytes of a distance in pixels from the top of a map."""
    return level.view[1] - pixels / level.bytes_px
