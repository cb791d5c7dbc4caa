"""Distributions of the durations of both sides in a plot."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.kernels.distribution import bin_edges, ecdf, histogram
from components.comparison.sides import SIDES, side_color
from components.figure import Figure
from components.graph import empty_figure, figure
from components.kernels.duration_scale import DurationScale
from components.numbers import duration_text, integer
from components.theme import fade, palette
from components.tick_formats import NUMBER_TICKS, SHARE_TICKS
from schema.array_types import Floats
from schema.time_units import NANOSECONDS

FORMS: Mapping[str, str] = MappingProxyType({"histogram": "histogram", "ecdf": "ECDF"})
"""Form of the distribution -> its label."""
_HEIGHT = 300


def durations(sides: Mapping[str, Floats], theme: str, *, form: str, unit: str) -> Figure:
    """Draw the durations (ticks of `unit`) of each side as shares of that side's kernels.

    `sides` is side -> durations; both sides have the same bins. `form` is a key of FORMS. If
    neither side has a kernel, the figure shows only a sentence.
    """
    values = np.concatenate([sides[side] for side in SIDES])
    if not len(values):
        return empty_figure("No kernel on either side.", theme, 160)
    in_time = unit == NANOSECONDS
    scale = DurationScale(int(values.min()), int(values.max())) if in_time else None
    axis = (
        scale.axis()
        if scale
        else {"title": {"text": f"duration, {unit}"}, "tickformat": NUMBER_TICKS}
    )
    # Both functions take the edges of the bins, which only bars need.
    draw = _curve if form == "ecdf" else _bars
    edges = scale.edges(values) if scale else bin_edges(values)
    traces = [draw(side, sides[side], edges, scale, theme) for side in SIDES if len(sides[side])]
    layout = {
        "height": _HEIGHT,
        "barmode": "overlay",
        "bargap": 0,
        "xaxis": axis,
        "yaxis": {
            "title": {"text": "share of kernels"},
            "tickformat": SHARE_TICKS,
            "rangemode": "tozero",
        },
        "shapes": [
            line
            for side in SIDES
            if len(sides[side])
            for line in _median(side, sides[side], scale, theme)
        ],
    }
    return figure(traces, layout, theme)


def _at(values: npt.ArrayLike, scale: DurationScale | None) -> Floats:
    return np.asarray(values, np.float64) if scale is None else scale.at(values)


def _value_text(value: float, scale: DurationScale | None) -> str:
    return integer(value) if scale is None else duration_text(value)


def _bars(
    side: str, values: Floats, edges: np.ndarray, scale: DurationScale | None, theme: str
) -> dict[str, Any]:
    shares = histogram(values, edges) / len(values)
    filled = np.flatnonzero(shares)
    places = _at(edges, scale)
    spans = [
        f"{_value_text(edges[at], scale)} – {_value_text(edges[at + 1], scale)}"
        for at in filled.tolist()
    ]
    colour = side_color(side, theme)
    pattern = {
        "shape": "/",
        "fgcolor": palette(theme).muted,
        "bgcolor": fade(colour, 0.45),
        "size": 5,
    }
    return {
        "type": "bar",
        "name": f"{side} ({integer(len(values))})",
        "x": (places[filled] + places[filled + 1]) / 2,
        "y": shares[filled],
        "width": places[filled + 1] - places[filled],
        "opacity": 0.65,
        "marker": {
            "color": colour,
            "line": {"width": 0},
            **({"pattern": pattern} if side == "base" else {}),
        },
        "hovertext": spans,
        "hovertemplate": f"<b>{side}</b> %{{y:.1%}} take %{{hovertext}}<extra></extra>",
    }


def _curve(
    side: str, values: Floats, _edges: np.ndarray, scale: DurationScale | None, theme: str
) -> dict[str, Any]:
    x, y = ecdf(values)
    return {
        "type": "scatter",
        "mode": "lines",
        "name": f"{side} ({integer(len(values))})",
        # The first duration is repeated, so that the curve rises from 0.
        "x": _at(np.concatenate([x[:1], x]), scale),
        "y": np.concatenate([[0.0], y]),
        "line": {
            "shape": "hv",
            "color": side_color(side, theme),
            "width": 2,
            "dash": "dot" if side == "base" else "solid",
        },
        "hovertext": [_value_text(value, scale) for value in np.concatenate([x[:1], x])],
        "hovertemplate": f"<b>{side}</b> %{{y:.1%}} take %{{hovertext}} or less<extra></extra>",
    }


def _median(
    side: str, values: Floats, scale: DurationScale | None, theme: str
) -> list[dict[str, Any]]:
    at = float(_at([float(np.median(values))], scale)[0])
    line = {"color": side_color(side, theme), "width": 1.5, "dash": "dash"}
    return [{"type": "line", "yref": "paper", "y0": 0, "y1": 1, "x0": at, "x1": at, "line": line}]
