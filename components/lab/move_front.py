"""Plot of least disturbance: the extent of placements over the bytes that they move from the file's
addresses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from components.byte_axis import byte_ticks
from components.figure import Figure
from components.graph import figure, nothing
from components.memory.axis import bytes_font
from components.numbers import integer, size
from components.theme import CATEGORICAL, palette

_HEIGHT = 260
"""Height in pixels, and number of ticks of an axis."""
_MARGIN = {"l": 84, "r": 24, "t": 24, "b": 44}


@dataclass(frozen=True)
class MovePoint:
    """A placement: bytes moved, and its extent above the constants in bytes."""

    moved_bytes: int
    extent: int


def move_front_plot(
    points: Sequence[MovePoint], bound: int, chosen: int | None, theme: str
) -> Figure:
    """Draw the extents (bytes) of placements over their moved bytes, with the bound as a line.

    The placement that moves `chosen` bytes is marked. A click's customdata is [moved bytes]. When
    there are no points, the figure has no traces.
    """
    if not points:
        return nothing(theme)
    colours = palette(theme)
    moved = [point.moved_bytes for point in points]
    extents = [point.extent for point in points]
    trace = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": moved,
        "y": extents,
        "customdata": [[moved_bytes] for moved_bytes in moved],
        "line": {"shape": "hv", "color": CATEGORICAL[0], "width": 1.4},
        "marker": {
            "size": [14 if moved_bytes == chosen else 9 for moved_bytes in moved],
            "color": CATEGORICAL[0],
            "line": {
                "width": [3 if moved_bytes == chosen else 0 for moved_bytes in moved],
                "color": colours.selection,
            },
        },
        "hovertext": [
            f"{size(point.moved_bytes)} ({integer(point.moved_bytes)} B) moved<br>ends at {size(point.extent)}"
            for point in points
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }
    line = {"color": colours.capacity, "width": 1.2, "dash": "dash"}
    layout: dict[str, Any] = {
        "height": _HEIGHT,
        "margin": _MARGIN,
        "xaxis": _axis("bytes moved", [0, *moved], theme),
        "yaxis": _axis("", [bound, *extents], theme),
        "shapes": [
            {
                "type": "line",
                "xref": "paper",
                "x0": 0,
                "x1": 1,
                "y0": bound,
                "y1": bound,
                "line": line,
            }
        ],
        "annotations": [_label(bound, theme)],
        "showlegend": False,
    }
    return figure([trace], layout, theme)


def _axis(title: str, values: Sequence[int], theme: str) -> dict[str, Any]:
    low = min(values)
    high = max(values)
    # When all values are equal, the axis still needs a length.
    pad = max((high - low) * 0.08, high * 0.004, 1)
    return {
        "title": {"text": title},
        "range": [low - pad, high + pad],
        **byte_ticks(low - pad, high + pad),
        "tickfont": bytes_font(theme),
        "fixedrange": True,
    }


def _label(bound: int, theme: str) -> dict[str, Any]:
    place = {
        "xref": "paper",
        "x": 1,
        "y": bound,
        "xanchor": "right",
        "yanchor": "bottom",
        "showarrow": False,
    }
    return place | {"text": "bound", "font": {"size": 10, "color": palette(theme).muted}}
