"""Stepped byte curves in stacked plots, shared by live bytes over steps and over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from components.byte_axis import MAX_STEPS, MAX_STEPS_FLAT, byte_ticks
from components.figure import compact
from components.memory import axis as memory_axis

GAP_PX = 24
"""Pixels between two plots: room for a title."""
HEADROOM = 1.12
"""Height of a plot's y axis divided by the highest value that it shows."""
_FLAT_PX = 120
"""Height of a plot below which it has fewer ticks."""


@dataclass(frozen=True)
class BytePlot:
    """One of several stacked plots.

    `axis` is its y axis, `px` its height in pixels, `domain` its part of the figure's height (0 to
    1, from below) and `top` the bytes at its upper end.
    """

    axis: str
    px: float
    domain: tuple[float, float]
    top: float


def stacked_layout(plots: Sequence[BytePlot], above: int, theme: str) -> dict[str, Any]:
    """Build the layout of stacked plots without their x axis: height, margins and y axes; `above`
    is the top margin in pixels.
    """
    margin = memory_axis.margin(above)
    height = round(total_height([plot.px for plot in plots])) + margin["t"] + margin["b"]
    axes = {f"yaxis{plot.axis[1:]}": _bytes_axis(plot, theme) for plot in plots}
    return {"barmode": "overlay", "bargap": 0, "height": height, "margin": margin, **axes}


def axis_name(rank: int) -> str:
    """Return the plotly name (`y`, `y2`, ...) of the y axis of the plot with this rank from the
    top, from 0.
    """
    return f"y{rank + 1}" if rank else "y"


def domains(pixels: Sequence[float]) -> list[tuple[float, float]]:
    """Compute each plot's part [low, high] of the figure's height (0 to 1, from below) from its
    height in pixels, the topmost plot first.
    """
    whole = total_height(pixels)
    above = [whole - sum(pixels[:rank]) - GAP_PX * rank for rank in range(len(pixels))]
    return [((top - px) / whole, top / whole) for top, px in zip(above, pixels, strict=True)]


def total_height(pixels: Sequence[float]) -> float:
    """Compute the total height in pixels of stacked plots with the gaps of 24 px (GAP_PX) between
    them.
    """
    return sum(pixels) + GAP_PX * (len(pixels) - 1)


def step_trace(start: np.ndarray, end: np.ndarray, values: np.ndarray, axis: str) -> dict[str, Any]:
    """Build a trace of values that hold from their start until the next start, the last value until
    the last end.

    The caller adds the line, whose shape must be `hv`.
    """
    return {
        "type": "scatter",
        "mode": "lines",
        "yaxis": axis,
        "x": compact(np.append(start, end[-1:])),
        "y": np.append(values, values[-1:]),
        "hoverinfo": "skip",
    }


def _bytes_axis(plot: BytePlot, theme: str) -> dict[str, Any]:
    """Build the layout of a y axis from 0; flat plots have fewer ticks."""
    return {
        "domain": list(plot.domain),
        "range": [0, plot.top],
        **byte_ticks(0, plot.top, max_steps=MAX_STEPS_FLAT if plot.px < _FLAT_PX else MAX_STEPS),
        "tickfont": memory_axis.bytes_font(theme),
        "anchor": "x",
        "fixedrange": True,
        "automargin": False,
    }
