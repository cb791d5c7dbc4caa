"""Plot of GMAC/s over the bytes that a tile size holds in a core: measured sizes, and predicted
sizes with intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from components.byte_axis import byte_ticks
from components.figure import Figure
from components.graph import figure
from components.theme import palette
from components.tiling.marker_trace import marker_trace

_HEIGHT = 260


@dataclass(frozen=True)
class RatedSize:
    """A tile size: bytes in a core, GMAC/s, hover text, and whether it is the run's own size.

    `interval` is None for a measured size.
    """

    held: int
    gmacs: float
    interval: tuple[float, float] | None
    own: bool
    text: str


def rate_plot(sizes: Sequence[RatedSize], theme: str) -> Figure:
    """Draw GMAC/s over the bytes in a core of sizes (at least one), predicted sizes with their 95 %
    intervals; the run's own size is a diamond.
    """
    colours = palette(theme)
    measured = [rated for rated in sizes if rated.interval is None and not rated.own]
    predicted = [rated for rated in sizes if rated.interval is not None]
    ring = {"width": 2, "color": colours.selection}
    groups = [
        ("measured", measured, {"symbol": "circle", "color": colours.perf, "size": 9}),
        (
            "predicted, 95 %",
            predicted,
            {"symbol": "circle-open", "color": colours.muted, "size": 7},
        ),
        ("this run", [rated for rated in sizes if rated.own], _diamond(colours.caution, ring)),
    ]
    layout = {
        "height": _HEIGHT,
        "margin": {"l": 64, "r": 16, "t": 24, "b": 44},
        "legend": {"y": 1.04},
        "xaxis": {"title": {"text": "bytes in a core's memory"}, **_bytes_axis(sizes)},
        "yaxis": {"title": {"text": "GMAC/s"}, "rangemode": "tozero"},
    }
    return figure([_trace(*group) for group in groups if group[1]], layout, theme)


def _diamond(colour: str, line: dict[str, Any]) -> dict[str, Any]:
    return {"symbol": "diamond", "color": colour, "size": 14, "line": line}


def _trace(name: str, sizes: Sequence[RatedSize], marker: dict[str, Any]) -> dict[str, Any]:
    intervals = [rated.interval or (rated.gmacs, rated.gmacs) for rated in sizes]
    bars = {
        "type": "data",
        "symmetric": False,
        "array": np.array(
            [high - rated.gmacs for rated, (_, high) in zip(sizes, intervals, strict=True)]
        ),
        "arrayminus": np.array(
            [rated.gmacs - low for rated, (low, _) in zip(sizes, intervals, strict=True)]
        ),
        "thickness": 1,
        "width": 3,
    }
    points = [(rated.held, rated.gmacs, rated.text) for rated in sizes]
    trace = marker_trace(name, points, marker)
    return trace | ({"error_y": bars} if sizes[0].interval else {})


def _bytes_axis(sizes: Sequence[RatedSize]) -> dict[str, Any]:
    most = max(rated.held for rated in sizes)
    return {"rangemode": "tozero", **byte_ticks(0, most)}
