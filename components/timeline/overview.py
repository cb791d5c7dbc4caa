"""Overview strip: how busy cores or devices are over the whole run, and the selected window."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.selection import Selection
from analysis.timeline.device_time import mean_shares
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.rows import TimelineData
from components.figure import Figure, compact
from components.graph import empty_figure, figure, nothing
from components.numbers import plain
from components.theme import fade, palette
from components.tick_formats import SHARE_TICKS
from components.time_axis import time_axis
from schema.array_types import Bools, Floats, Ints
from schema.time_units import NANOSECONDS_PER_S

HEIGHT = 84
_BINS = 400
"""Bins over the whole run."""
_MIN_HEIGHT = 0.03
"""Height of the lowest bar of a profile, so that a short kernel in a long run stays visible."""


@dataclass(frozen=True)
class _Series:
    """Share of the time of each bin (0 to 1), and the noun for what the share is of."""

    name: str
    share: Floats
    colour: str
    whole: str


def overview(
    data: TimelineData,
    selection: Selection,
    theme: str,
    *,
    margin: int = 150,
    cores: Collection[str] | None = None,
) -> Figure:
    """Draw the strip above the timeline: share of time (0 to 1) in kernels and in lock stalls per
    bin, over all cores.

    For a profile: share of time in which kernels, or copies alone, ran on any stream of a device,
    as the mean of its devices; of its other rows if no device was recorded. The selected window is
    outlined and the rest shaded. Dragging selects a window: Dash's selectedData has its range.
    `margin` is the timeline's left margin in pixels. `cores` names the tracks that count, None for
    all. When there are no events, the figure shows
    only a sentence; it is empty if none of them counts as busy.
    """
    first, last = data.extent
    if not (len(data.events) or len(data.kept)):
        return empty_figure("No events.", theme, HEIGHT)
    edges = np.linspace(first, last, min(_BINS, last - first) + 1).astype(np.int64)
    traces = [_bars(series, edges, data) for series in _series(data, edges, theme, cores)]
    if not traces:
        return nothing(theme)
    axis = time_axis((first, last), data.unit) | {
        "title": {"text": ""},
        "automargin": True,
        "fixedrange": True,
    }
    layout = {
        "height": HEIGHT,
        "margin": {"l": margin, "r": 16, "t": 8, "b": 22},
        "barmode": "stack",
        "bargap": 0,
        "showlegend": False,
        "dragmode": "select",
        "selectdirection": "h",
        "xaxis": axis,
        "yaxis": {
            "range": [0, 1.02],
            "tickvals": [0, 1],
            "tickformat": SHARE_TICKS,
            "fixedrange": True,
            "showgrid": False,
        },
        "annotations": [_legend(i, trace, theme) for i, trace in enumerate(reversed(traces))],
        "shapes": _window_marks(selection.window, (first, last), theme),
        # The marks of a window that is as wide as the run, for `assets/timeline_strip.js`.
        "meta": {"strip": _window_marks((first, last), (first, last), theme)},
    }
    return figure(traces, layout, theme)


def _series(
    data: TimelineData, edges: Ints, theme: str, cores: Collection[str] | None
) -> list[_Series]:
    """Compute the series to draw, from the bottom up: kernels and lock stalls, or kernels and
    copies of devices, or busy rows for a profile without devices.
    """
    colours = palette(theme)
    if data.named:
        return _device_series(data, edges, theme) or _row_series(data, edges, theme)
    events = data.events.lanes
    stalls = (events["name"] == "LOCK_STALL").to_numpy(bool) & _of_cores(events, cores)
    kernels = _of_cores(data.kept.lanes, cores)
    lanes = (
        ("kernels", data.kept, np.flatnonzero(kernels), colours.perf),
        ("lock stalls", data.events, np.flatnonzero(stalls), colours.lock),
    )
    return [
        _Series(name, _mean_share(index, own, edges), colour, "the cores' time")
        for name, index, own, colour in lanes
        if len(own)
    ]


def _of_cores(lanes: pd.DataFrame, cores: Collection[str] | None) -> Bools:
    """Return the mask of the lanes of these tracks; of all lanes if None is given."""
    if cores is None:
        return np.ones(len(lanes), dtype=bool)
    named: Bools = lanes["track"].isin([*cores]).to_numpy(bool)
    return named


def _device_series(data: TimelineData, edges: Ints, theme: str) -> list[_Series]:
    """Compute the series of devices: time in kernels, and time in which only copies ran, if there
    is any.
    """
    times = data.device_times
    if not times:
        return []
    colours = palette(theme)
    kernels, copies = mean_shares(times, edges)
    whole = "the devices' time"
    series = [_Series("devices", kernels, colours.perf, whole)]
    if copies.any():
        series.append(_Series("copies", copies, colours.stream, whole))
    return series


def _row_series(data: TimelineData, edges: Ints, theme: str) -> list[_Series]:
    name, busy = data.busy or ("", data.kept)
    if not len(busy.lanes):
        return []
    share = _mean_share(busy, np.arange(len(busy.lanes)), edges)
    return [_Series(name, share, palette(theme).perf, "their time")]


def _mean_share(index: LaneIndex, lanes: Ints, edges: Ints) -> Floats:
    """Compute the share of each bin in which the lanes are busy, as the mean of the lanes."""
    width = np.maximum(np.diff(edges), 1)
    share: Floats = index.busy_bins(edges, lanes).sum(axis=0) / width / len(lanes)
    return share


def _bars(series: _Series, edges: Ints, data: TimelineData) -> dict[str, Any]:
    """Build the trace of a series with a bar per bin."""
    name = series.name
    share = series.share
    width = np.maximum(np.diff(edges), 1)
    middle = (edges[:-1] + edges[1:]) / 2
    bars = {
        "type": "bar",
        "name": name,
        "x": middle,
        "y": np.minimum(share, 1.0).astype(np.float32),
        "width": compact(width),
        "marker": {"color": series.colour, "line": {"width": 0}},
        "hovertemplate": f"{name} at %{{x:,.0f}} {plain(data.unit)}: %{{y:.0%}} of {series.whole}<extra></extra>",
    }
    if not data.named:
        return bars
    return bars | {
        # Even the shortest kernel of an hour is visible.
        "y": np.where(share > 0, np.clip(share, _MIN_HEIGHT, 1.0), 0.0).astype(np.float32),
        "customdata": np.column_stack([middle / NANOSECONDS_PER_S, share]),
        "hovertemplate": f"{name} at %{{customdata[0]:.4~s}}s: %{{customdata[1]:.3~p}} of {series.whole}<extra></extra>",
    }


def _legend(line: int, trace: dict[str, Any], theme: str) -> dict[str, Any]:
    """Build the annotation with the name of a series after a square in its colour, left of the
    strip; `line` counts from 0 at the top.
    """
    place = {
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": 0.78 - 0.36 * line,
        "xanchor": "right",
        "xshift": -42,
    }
    return place | {
        # Only the square has the colour: words in the amber of lock stalls are hard to read on white.
        "text": f'<span style="color:{trace["marker"]["color"]}">■</span> {trace["name"]}',
        "showarrow": False,
        "font": {"color": palette(theme).muted, "size": 11},
    }


def _window_marks(
    window: tuple[int, int] | None, extent: tuple[int, int], theme: str
) -> list[dict[str, Any]]:
    """Build the shapes of the outline of the window and of the shading outside of it.

    Returns an empty list without a window.
    """
    if window is None:
        return []
    colours = palette(theme)
    rect = {"type": "rect", "yref": "paper", "y0": 0, "y1": 1}
    shade = rect | {"fillcolor": fade(colours.panel, 0.65), "line": {"width": 0}}
    begin = max(window[0], extent[0])
    end = min(window[1], extent[1])
    return [
        shade | {"x0": extent[0], "x1": begin},
        shade | {"x0": end, "x1": extent[1]},
        rect | {"x0": begin, "x1": end, "line": {"color": colours.selection, "width": 1.5}},
    ]
