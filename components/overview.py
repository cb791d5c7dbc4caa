"""The overview strip: how busy kernels and lock stalls keep the cores over the whole run, and where the window is."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from analysis.lanes import LaneIndex
from analysis.selection import Selection
from components.graph import compact, empty_figure, figure
from components.numbers import plain
from components.theme import faded, palette
from components.timeline_rows import TimelineData

HEIGHT = 84
_BINS = 400


def overview(data: TimelineData, selection: Selection, theme: str, *, margin: int = 150) -> go.Figure:
    """Build the strip above the timeline: share of time in kernels and in lock stalls per bin, over all cores.

    The selected window is outlined, the rest shaded. Dragging selects a window: Dash's selectedData has its range.
    `margin` is the timeline's left margin in pixels.
    """
    first, last = data.extent
    if not (len(data.events) or len(data.kept)):
        return empty_figure("No events.", theme, HEIGHT)
    edges = np.linspace(first, last, min(_BINS, last - first) + 1).astype(np.int64)
    colours = palette(theme)
    parts = (
        ("kernels", data.kept, np.arange(len(data.kept.lanes)), colours.perf),
        ("lock stalls", data.events, np.flatnonzero(data.events.lanes["name"] == "LOCK_STALL"), colours.lock),
    )
    traces = [
        _bars(name, index, lanes, edges=edges, colour=colour, unit=data.unit)
        for name, index, lanes, colour in parts
        if len(lanes)
    ]
    layout = {
        "height": HEIGHT,
        "margin": {"l": margin, "r": 16, "t": 8, "b": 22},
        "barmode": "stack",
        "bargap": 0,
        "showlegend": False,
        "dragmode": "select",
        "selectdirection": "h",
        "xaxis": {"range": [first, last], "tickformat": ",d", "fixedrange": True},
        "yaxis": {"range": [0, 1.02], "tickvals": [0, 1], "tickformat": ".0%", "fixedrange": True, "showgrid": False},
        "annotations": [_legend(i, trace) for i, trace in enumerate(reversed(traces))],
        "shapes": _window_marks(selection.window, (first, last), theme),
    }
    return figure(traces, layout, theme)


def _bars(
    name: str, index: LaneIndex, lanes: np.ndarray, *, edges: np.ndarray, colour: str, unit: str
) -> dict[str, Any]:
    """Return one bar per bin: the mean share of the lanes that were busy in it."""
    width = np.maximum(np.diff(edges), 1)
    share = index.busy_bins(edges, lanes).sum(axis=0) / width / len(lanes)
    return {
        "type": "bar",
        "name": name,
        "x": (edges[:-1] + edges[1:]) / 2,
        "y": np.minimum(share, 1.0).astype(np.float32),
        "width": compact(width),
        "marker": {"color": colour, "line": {"width": 0}},
        "hovertemplate": f"{name} at %{{x:,.0f}} {plain(unit)}: %{{y:.0%}} of the cores' time<extra></extra>",
    }


def _legend(line: int, trace: dict[str, Any]) -> dict[str, Any]:
    """Return the name of a series in its colour, left of the strip."""
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 0.78 - 0.36 * line, "xanchor": "right", "xshift": -42}
    return place | {
        "text": f"■ {trace['name']}",
        "showarrow": False,
        "font": {"color": trace["marker"]["color"], "size": 11},
    }


def _window_marks(window: tuple[int, int] | None, extent: tuple[int, int], theme: str) -> list[dict[str, Any]]:
    """Return the outline of the window and the shade over what is outside of it."""
    if window is None:
        return []
    colours = palette(theme)
    rect = {"type": "rect", "yref": "paper", "y0": 0, "y1": 1}
    shade = rect | {"fillcolor": faded(colours.panel, 0.65), "line": {"width": 0}}
    begin, end = max(window[0], extent[0]), min(window[1], extent[1])
    return [
        shade | {"x0": extent[0], "x1": begin},
        shade | {"x0": end, "x1": extent[1]},
        rect | {"x0": begin, "x1": end, "line": {"color": colours.selection, "width": 1.5}},
    ]
