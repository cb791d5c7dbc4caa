"""Stepped curves of bytes in plots under each other: what live bytes of steps and of time have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from components.figure import compact
from components.memory import axis as memory_axis
from components.numbers import size

GAP_PX = 24
"""Pixels between two plots: room for a title."""
HEADROOM = 1.12
"""How high a plot is against what it shows."""
_TICK_PX = 36


@dataclass(frozen=True)
class BytePlot:
    """One of plots under each other: its y axis, its pixels, its share of the height, the bytes at its top."""

    axis: str
    px: float
    domain: tuple[float, float]
    top: float


def stacked_layout(plots: Sequence[BytePlot], above: int, theme: str) -> dict[str, Any]:
    """Return the layout of plots under each other, `above` pixels above them, without their x axis."""
    margin = memory_axis.margin(above)
    height = round(height_of([plot.px for plot in plots])) + margin["t"] + margin["b"]
    axes = {f"yaxis{plot.axis[1:]}": _bytes_axis(plot, theme) for plot in plots}
    return {"barmode": "overlay", "bargap": 0, "height": height, "margin": margin, **axes}


def axis_name(rank: int) -> str:
    """Return the y axis of a plot by its place from the top."""
    return f"y{rank + 1}" if rank else "y"


def domains(pixels: Sequence[float]) -> list[tuple[float, float]]:
    """Return the shares of the height, from below, that plots of so many pixels take, from the top down."""
    whole = height_of(pixels)
    above = [whole - sum(pixels[:rank]) - GAP_PX * rank for rank in range(len(pixels))]
    return [((top - px) / whole, top / whole) for top, px in zip(above, pixels, strict=True)]


def height_of(pixels: Sequence[float]) -> float:
    """Return the pixels of plots under each other."""
    return sum(pixels) + GAP_PX * (len(pixels) - 1)


def step_trace(start: np.ndarray, end: np.ndarray, values: np.ndarray, axis: str) -> dict[str, Any]:
    """Return a trace of values that hold from each start, the last one to the last end."""
    return {
        "type": "scatter",
        "mode": "lines",
        "yaxis": axis,
        "x": compact(np.append(start, end[-1:])),
        "y": np.append(values, values[-1:]),
        "hoverinfo": "skip",
    }


def _bytes_axis(plot: BytePlot, theme: str) -> dict[str, Any]:
    """Return the layout of a y axis from 0 on, with ticks at powers of two."""
    every = 2 ** max(0, math.ceil(math.log2(plot.top * _TICK_PX / plot.px)))
    ticks = np.arange(0, plot.top, every)
    return {
        "domain": list(plot.domain),
        "range": [0, plot.top],
        "tickvals": ticks,
        "ticktext": [size(tick) for tick in ticks.tolist()],
        "tickfont": memory_axis.bytes_font(theme),
        "anchor": "x",
        "fixedrange": True,
        "automargin": False,
    }
