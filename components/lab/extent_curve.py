"""Plot of the extents that strategies found over the time of the search, with the lower bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from analysis.allocators.placement import Improvement
from components.byte_axis import byte_ticks
from components.figure import Figure
from components.graph import figure, nothing
from components.memory.axis import bytes_font
from components.numbers import count_text, duration_text, integer, size
from components.theme import CATEGORICAL, fade, palette
from components.time_axis import duration_axis
from schema.time_units import NANOSECONDS_PER_S

_HEIGHT = 260
"""Height in pixels, and number of ticks on the y axis."""
_ROOM = 1.02
"""Length of the time axis as a multiple of the longest search."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 84, 16, 30, 40


@dataclass(frozen=True)
class Curve:
    """The improvements of a strategy in a search of `seconds`.

    A `strong` curve is drawn wider and opaque.
    """

    name: str
    trace: Sequence[Improvement]
    seconds: float
    strong: bool


@dataclass(frozen=True)
class ExtentLine:
    """A horizontal line at an extent in bytes."""

    name: str
    extent: int
    dash: str


def extent_curve(curves: Sequence[Curve], levels: Sequence[ExtentLine], theme: str) -> Figure:
    """Draw the step curves of strategies (extent in bytes over time) and horizontal lines for the
    bound and other extents.

    If no strategy has found a placement, the figure has no traces.
    """
    drawn = [curve for curve in curves if curve.trace]
    if not drawn:
        return nothing(theme)
    # When a search took no measurable time, the axis still needs a length.
    end = _nanoseconds(max(max(curve.seconds, curve.trace[-1].seconds) for curve in drawn) or 1e-3)
    traces = [_steps(curve, rank, end) for rank, curve in enumerate(drawn)]
    values = [step.extent for curve in drawn for step in curve.trace] + [
        level.extent for level in levels
    ]
    low = min(values)
    high = max(values)
    # When all extents are equal, the axis still needs a height.
    pad = max((high - low) * 0.08, high * 0.004, 1)
    colours = palette(theme)
    layout: dict[str, Any] = {
        "height": _HEIGHT,
        "margin": {"l": _LEFT, "r": _RIGHT, "t": _TOP, "b": _BOTTOM},
        "xaxis": duration_axis((0, round(end * _ROOM)), "time of the search")
        | {"fixedrange": True},
        "yaxis": {
            "range": [low - pad, high + pad],
            **byte_ticks(low - pad, high + pad),
            "tickfont": bytes_font(theme),
            "fixedrange": True,
        },
        "shapes": [_line(level, colours.capacity) for level in levels],
        "annotations": [
            _label(extent, levels, theme) for extent in {level.extent: None for level in levels}
        ],
        "legend": {"x": 0, "y": 1, "yanchor": "bottom", "font": {"size": 10}},
        "showlegend": True,
    }
    return figure(traces, layout, theme)


def _nanoseconds(seconds: float) -> int:
    return round(seconds * NANOSECONDS_PER_S)


def _steps(curve: Curve, rank: int, end: int) -> dict[str, Any]:
    """Build the trace of a curve that continues to the time (ns) at which its strategy stopped, at
    most to `end`.
    """
    x = [_nanoseconds(step.seconds) for step in curve.trace]
    y = [step.extent for step in curve.trace]
    efforts = [step.effort for step in curve.trace]
    last = min(max(_nanoseconds(curve.seconds), x[-1]), end)
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "name": curve.name,
        "x": [*x, last],
        "y": [*y, y[-1]],
        "line": {
            "shape": "hv",
            "color": CATEGORICAL[rank % len(CATEGORICAL)],
            "width": 2.2 if curve.strong else 1.2,
        },
        "marker": {"size": [*([5 if curve.strong else 3] * len(x)), 0]},
        "opacity": 1.0 if curve.strong else 0.55,
        "hovertext": [
            f"{curve.name}: {size(extent)} ({integer(extent)} B)<br>{duration_text(at)}, {count_text(effort, 'placement')}"
            for at, extent, effort in zip(
                [*x, last], [*y, y[-1]], [*efforts, efforts[-1]], strict=True
            )
        ],
        "hovertemplate": "%{hovertext}<extra></extra>",
    }


def _line(level: ExtentLine, colour: str) -> dict[str, Any]:
    place = {"xref": "paper", "x0": 0, "x1": 1, "y0": level.extent, "y1": level.extent}
    return {"type": "line", **place, "line": {"color": colour, "width": 1.2, "dash": level.dash}}


def _label(extent: int, levels: Sequence[ExtentLine], theme: str) -> dict[str, Any]:
    """Build the label of the lines at an extent, with all their names, above the lines.

    Next to the plot it would take a third of a phone's width.
    """
    colours = palette(theme)
    names = ", ".join(level.name for level in levels if level.extent == extent)
    place = {
        "xref": "paper",
        "x": 1,
        "y": extent,
        "xanchor": "right",
        "yanchor": "bottom",
        "borderpad": 1,
    }
    look = {"bgcolor": fade(colours.panel, 0.7), "font": {"size": 10, "color": colours.muted}}
    return place | look | {"text": names, "showarrow": False}
