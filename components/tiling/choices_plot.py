"""Plot of the choices of a tiling: bytes held in local memory against bytes moved, the best choices
as a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from components.byte_axis import byte_ticks, log_byte_ticks
from components.figure import Figure
from components.graph import figure
from components.theme import palette
from components.tiling.marker_trace import marker_trace

HEIGHT = 280
_FADED = 0.6
_MIN_LOG_RATIO = 6.0
"""If the largest value is at least this multiple of the smallest, the axis is logarithmic."""


@dataclass(frozen=True)
class Point:
    """A choice: bytes held, value on the y axis, whether it fits, is on the front, is the tool's
    choice, and its hover text.
    """

    held: int
    value: float
    fits: bool
    best: bool
    own: bool
    text: str


@dataclass(frozen=True)
class Limit:
    """A capacity in bytes that is drawn as a line, with its label.

    `tried` if the user tries it, unlike the run's own.
    """

    size: int
    words: str
    tried: bool = False


def choices_plot(
    points: Sequence[Point],
    limits: Sequence[Limit],
    axes: tuple[str, str],
    theme: str,
    *,
    own: str = "as chosen",
    in_bytes: bool = True,
) -> Figure:
    """Draw choices (at least one) by bytes held (x) and value (y), their front as a line, and
    limits as vertical lines.

    `axes` are the titles of the x and y axis. Points that fit are filled. `own` is the name of the
    run's choice in the legend. If `in_bytes`, the values on the y axis are bytes.
    """
    colours = palette(theme)
    held = [*(point.held for point in points), *(limit.size for limit in limits if limit.size > 0)]
    layout = {
        "height": HEIGHT,
        "margin": {"l": 72, "r": 16, "t": 24, "b": 44},
        "legend": {"y": 1.04},
        "xaxis": _axis(axes[0], held, in_bytes=True),
        "yaxis": _axis(axes[1], [point.value for point in points], in_bytes=in_bytes),
        "shapes": [_line(limit, theme) for limit in limits],
        "annotations": [_label(limit, held, at, theme) for at, limit in enumerate(limits)],
    }
    groups = [
        (
            "fits",
            [p for p in points if p.fits and not p.own],
            {"symbol": "circle", "color": colours.perf, "size": 7},
        ),
        ("too large", [p for p in points if not p.fits and not p.own], _open(colours.muted)),
        (own, [p for p in points if p.own], _own(points, theme)),
    ]
    traces = [
        _front(points, theme),
        *(
            marker_trace(name, [(p.held, p.value, p.text) for p in group], marker)
            for name, group, marker in groups
            if group
        ),
    ]
    return figure(traces, layout, theme)


def _open(colour: str) -> dict[str, Any]:
    return {"symbol": "circle-open", "color": colour, "size": 7, "opacity": _FADED}


def _own(points: Sequence[Point], theme: str) -> dict[str, Any]:
    """Build the marker of the tool's own choice: larger, and filled if it fits."""
    colours = palette(theme)
    fits = any(point.own and point.fits for point in points)
    line = {"width": 2, "color": colours.selection}
    return {
        "symbol": "diamond" if fits else "diamond-open",
        "color": colours.caution,
        "size": 14,
        "line": line,
    }


def _front(points: Sequence[Point], theme: str) -> dict[str, Any]:
    """Build the trace of the line through the choices that no other choice beats in both values.

    It has right angles, since no choice exists between two of them.
    """
    best = sorted((point.held, point.value) for point in points if point.best)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": "best",
        "x": np.array([held for held, _ in best], np.float64),
        "y": np.array([value for _, value in best], np.float64),
        "line": {"color": palette(theme).perf, "width": 1.5, "shape": "hv"},
        "hoverinfo": "skip",
    }


def _axis(title: str, values: Sequence[float], *, in_bytes: bool) -> dict[str, Any]:
    low = min(values)
    high = max(values)
    log = low > 0 and high / low >= _MIN_LOG_RATIO
    # When all values are equal, the axis still needs a length.
    room = 0.06 * (high - low) or 0.1 * high or 1.0
    ends = (
        # plotly takes the range of a logarithmic axis as exponents of ten.
        [np.log10(low) - 0.12, np.log10(high) + 0.12] if log else [max(low - room, 0), high + room]
    )
    axis: dict[str, Any] = {
        "title": {"text": title},
        "type": "log" if log else "linear",
        "range": ends,
    }
    if in_bytes:
        # plotly's own ticks are decimal, but sizes of memories are powers of two.
        axis |= log_byte_ticks(10 ** ends[0], 10 ** ends[1]) if log else byte_ticks(*ends)
    return axis


def _line(limit: Limit, theme: str) -> dict[str, Any]:
    colours = palette(theme)
    colour, dash = (colours.caution, "dot") if limit.tried else (colours.capacity, "dash")
    line = {"color": colour, "width": 1.5, "dash": dash}
    return {
        "type": "line",
        "x0": limit.size,
        "x1": limit.size,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "line": line,
    }


def _label(limit: Limit, held: Sequence[float], rank: int, theme: str) -> dict[str, Any]:
    colours = palette(theme)
    low = min(held)
    high = max(held)
    log = low > 0 and high / low >= _MIN_LOG_RATIO
    # On a logarithmic axis plotly takes positions of annotations as exponents of ten.
    at = np.log10(limit.size) if log and limit.size > 0 else limit.size
    middle = (np.log10(low) + np.log10(high)) / 2 if log else (low + high) / 2
    # Labels of several limits are at different heights, so that they do not cover each other.
    place = {"x": float(at), "y": 1 - 0.07 * rank, "yref": "paper", "yanchor": "top"}
    # A label is on the side of its line that has more room.
    anchor = "right" if at > middle else "left"
    font = {"size": 11, "color": colours.caution if limit.tried else colours.capacity}
    return place | {"xanchor": anchor, "text": limit.words, "showarrow": False, "font": font}
