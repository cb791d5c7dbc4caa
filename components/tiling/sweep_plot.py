"""Plot of bytes moved and highest allocated address over the capacity of a memory level."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from analysis.tiling.deeploy.network_summary import CapacityStep, NetworkLevel
from components.byte_axis import byte_ticks, log_byte_ticks
from components.figure import Figure
from components.graph import figure, nothing
from components.numbers import plain, size
from components.theme import CATEGORICAL, fade, palette
from components.tiling.network_words import step_sentence

_HEIGHT, _MAX_LINE_CHARACTERS = 260, 200
"""Height in pixels, and characters of a line of hover text."""


def sweep_plot(level: NetworkLevel, theme: str) -> Figure:
    """Draw bytes moved (left axis) and the highest address of allocators (right axis) over
    capacities that fit all operators.

    Capacities that are too small are shaded; if every capacity is too small, the figure has no
    traces. The run's own capacity must be the first shape, because the browser moves that shape
    with the slider.
    """
    fitting = [step for step in level.steps if step.moved_bytes is not None]
    if not fitting:
        return nothing(theme)
    sizes = [step.capacity for step in level.steps]
    ends = [np.log2(sizes[0]) - 0.1, np.log2(sizes[-1]) + 0.1]
    moved = [float(step.moved_bytes or 0) for step in fitting]
    tops = [e for step in fitting for e in step.extents.values()]
    layout: dict[str, Any] = {
        "height": _HEIGHT,
        "margin": {"l": 84, "r": 84, "t": 28, "b": 44},
        "legend": {"y": 1.08, "orientation": "h"},
        "xaxis": {
            "title": {"text": f"capacity of {level.level}"},
            "type": "log",
            # `ends` are powers of two, the range of a logarithmic axis is in powers of ten.
            "range": [end * np.log10(2) for end in ends],
            "fixedrange": True,
            **log_byte_ticks(2 ** ends[0], 2 ** ends[1]),
        },
        "yaxis": _bytes_axis("moved in and out", moved),
        "yaxis2": _bytes_axis("highest end", tops)
        | {"overlaying": "y", "side": "right", "showgrid": False},
        "shapes": [_own(level, theme), _too_small(level, float(2 ** ends[0]), theme)],
    }
    names = list(dict.fromkeys(name for step in fitting for name in step.extents))
    traces = [
        _moved_bytes_trace(level, fitting, theme),
        *(_ends(name, at, fitting) for at, name in enumerate(names)),
    ]
    return figure(traces, layout, theme)


def _bytes_axis(title: str, values: Sequence[float]) -> dict[str, Any]:
    """Build the layout of a y axis around these bytes; from 0 to 1 without values."""
    low = min(values, default=0)
    high = max(values, default=1)
    # When all values are equal, the axis still needs a length.
    pad = 0.08 * (high - low) or 0.05 * high or 1.0
    return {
        "title": {"text": title},
        "range": [low - pad, high + pad],
        "fixedrange": True,
        **byte_ticks(low - pad, high + pad),
    }


def _own(level: NetworkLevel, theme: str) -> dict[str, Any]:
    at = level.steps[-1].capacity if level.capacity is None else level.capacity
    line = {"color": palette(theme).selection, "width": 2}
    return {"type": "line", "x0": at, "x1": at, "y0": 0, "y1": 1, "yref": "paper", "line": line}


def _too_small(level: NetworkLevel, begin: float, theme: str) -> dict[str, Any]:
    place = {"x0": begin, "x1": level.least_of_any, "y0": 0, "y1": 1, "yref": "paper"}
    colour = fade(palette(theme).capacity, 0.14)
    return {"type": "rect", **place, "fillcolor": colour, "line": {"width": 0}, "layer": "below"}


def _moved_bytes_trace(
    level: NetworkLevel, steps: list[CapacityStep], theme: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": "moved",
        "x": np.array([step.capacity for step in steps], np.float64),
        "y": np.array([step.moved_bytes or 0 for step in steps], np.float64),
        # Between two capacities the tiles of the smaller one still fit: the line is a staircase.
        "line": {"shape": "hv", "color": palette(theme).perf, "width": 2},
        "text": [plain(step_sentence(level, step), _MAX_LINE_CHARACTERS) for step in steps],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _ends(name: str, rank: int, steps: list[CapacityStep]) -> dict[str, Any]:
    placed = [step for step in steps if name in step.extents]
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": f"{name.replace('_', ' ')} ends at",
        "yaxis": "y2",
        "x": np.array([step.capacity for step in placed], np.float64),
        "y": np.array([step.extents[name] for step in placed], np.float64),
        "line": {"color": CATEGORICAL[(rank + 1) % len(CATEGORICAL)], "width": 1.3, "dash": "dot"},
        "text": [f"{name.replace('_', ' ')}: {size(step.extents[name])}" for step in placed],
        "hovertemplate": "%{text}<extra></extra>",
    }
