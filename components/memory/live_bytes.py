"""Plot of live bytes per step against extent, lower bound and capacity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from analysis.memory.attempt_map import AttemptMap
from analysis.memory.in_use import peak_in_use, used_column
from analysis.memory.reserved import ReservedBytes
from analysis.memory.selection import MemorySelection
from components.figure import Figure, compact
from components.graph import empty_figure, figure
from components.memory import axis as memory_axis
from components.memory.axis import note
from components.memory.columns import Columns, columns
from components.memory.curves import (
    HEADROOM,
    BytePlot,
    axis_name,
    domains,
    stacked_layout,
    step_trace,
    total_height,
)
from components.memory.listed_blocks import no_bytes_words
from components.memory.live_quantities import LIVE, Quantity, quantities
from components.numbers import count_text, integer, percent, plain, size
from components.theme import CATEGORICAL, fade, palette

_TOP, _SINGLE_PX, _LEVEL_PX, _SMALL_LEVEL_PX = 46, 200, 92, 64
_MAX_LARGE_LEVELS = 2
"""Above this number of levels their plots are smaller."""
_FAR = 3
"""A capacity more than this many times the bytes in use is out of view."""
_EMPTY_PX = 160
MAX_TOUCHED = 600
"""Maximum number of bars for hover and click: each is an element of the page, and a pointer does
not hit fewer than two pixels.
"""
_FRAGMENTED = CATEGORICAL[8]


@dataclass(frozen=True)
class _Plot(BytePlot):
    """A plot with its map, the columns of that map's occupancy, and its curves.

    `touched` and `touched_curves` are the same for hover and click, with at most MAX_TOUCHED
    columns.
    """

    amap: AttemptMap
    columns: Columns
    curves: Sequence[Quantity]
    touched: Columns
    touched_curves: Sequence[Quantity]


def live_bytes(
    maps: Sequence[AttemptMap],
    selection: MemorySelection,
    theme: str,
    reserved: Mapping[int, ReservedBytes] = MappingProxyType({}),
    *,
    same_scale: bool = False,
) -> Figure:
    """Draw bytes over steps of an attempt, or of the levels of a plan in stacked plots; with
    `same_scale` all of them have the same range of bytes.

    Curves: live (blocks with an address), requested (failed blocks included), union (address
    ranges, shared addresses counted once) and high-water mark (end of the highest block); if blocks
    share addresses as intended, live is the union. The curves of a caching allocator are its
    allocated and reserved bytes; `reserved` maps an attempt to the latter. Beyond 2,000 columns
    each column shows the highest value of its steps. The customdata of a click is [attempt, step].
    If no block has bytes, the figure shows only a sentence.
    """
    used = [amap for amap in maps if (amap.occupancy["requested_bytes"] > 0).any()]
    if not used:
        return empty_figure(no_bytes_words(maps), theme, _EMPTY_PX)
    window = memory_axis.steps_in_view(maps, selection)
    plots = _plots(used, window, reserved)
    if same_scale:
        plots = [replace(plot, top=max(other.top for other in plots)) for plot in plots]
    traces = [trace for plot in plots for trace in _curves(plot, legend=plot is plots[0])]
    traces += [
        line for plot in plots for line in _lines(plot, window, theme, legend=len(plots) == 1)
    ]
    traces += _fragmentation(plots)
    traces += [_peak_point(plot, theme) for plot in plots] + [_touch(plot) for plot in plots]
    return figure(traces, _layout(plots, window, selection, theme), theme)


def _plots(
    maps: Sequence[AttemptMap], window: tuple[int, int], reserved: Mapping[int, ReservedBytes]
) -> list[_Plot]:
    px = _height(len(maps))
    places = domains([px] * len(maps))
    plots = []
    for rank, (amap, place) in enumerate(zip(maps, places, strict=True)):
        held = reserved.get(amap.number)
        grouped = columns(amap, window)
        top = _top(amap, 0 if held is None else held.peak)
        curves = quantities(amap, grouped, held)
        touched = columns(amap, window, MAX_TOUCHED)
        touched_curves = quantities(amap, touched, held)
        plots.append(
            _Plot(axis_name(rank), px, place, top, amap, grouped, curves, touched, touched_curves)
        )
    return plots


def _height(levels: int) -> int:
    """Return the height of the plot of a level in pixels, from the number of levels."""
    if levels == 1:
        return _SINGLE_PX
    return _LEVEL_PX if levels <= _MAX_LARGE_LEVELS else _SMALL_LEVEL_PX


def _top(amap: AttemptMap, reserved: int) -> float:
    """Compute the bytes at the top of a plot: all curves, and the capacity if it is at most three
    times as high, with some room. `reserved` is the peak of the reserved bytes.
    """
    used = amap.occupancy[used_column(amap)]
    failed = amap.occupancy["requested_bytes"] - amap.occupancy["live_bytes"]
    most = max(float((used + failed).max()), float(amap.whole("extent") or 0), float(reserved), 1.0)
    room = amap.arena_capacity
    return (max(most, room) if room and room <= _FAR * most else most) * HEADROOM


def _curves(plot: _Plot, *, legend: bool) -> list[dict[str, Any]]:
    """Build a trace with a stepped curve per quantity; curves that equal the live bytes everywhere
    are left out.
    """
    live = next(curve.highest for curve in plot.curves if curve.name == LIVE)
    traces = []
    for curve in plot.curves:
        values = curve.highest
        if curve.name == LIVE or not (np.isnan(values) | (values == live)).all():
            trace = step_trace(plot.columns.start, plot.columns.end, values, plot.axis)
            trace |= {"name": curve.label, "line": curve.line | {"shape": "hv"}}
            trace |= {"showlegend": legend, "legendgroup": curve.name}
            traces.append(trace | curve.fill)
    return traces


def _fragmentation(plots: Sequence[_Plot]) -> list[dict[str, Any]]:
    """Build the trace of fragmentation on the right axis, in a list; empty if fragmentation is
    unknown or several memory levels are drawn.
    """
    plot = plots[0]
    values = plot.columns.highest(plot.columns.values("fragmentation"))
    if len(plots) > 1 or np.isnan(values).all() or plot.amap.facts.allocator:
        return []
    line = {"shape": "hv", "color": _FRAGMENTED, "width": 1}
    return [
        step_trace(plot.columns.start, plot.columns.end, values, "y2")
        | {"name": "fragmentation (right), share of free bytes", "line": line}
    ]


def _peak_point(plot: _Plot, theme: str) -> dict[str, Any]:
    """Build the trace with a point at the step with the most bytes in use; without points if it is
    unknown.
    """
    most, step = peak_in_use(plot.amap)
    seen = step is not None and most is not None
    return {
        "type": "scatter",
        "mode": "markers",
        "yaxis": plot.axis,
        "x": [step + 0.5] if seen and step is not None else [],
        "y": [most] if seen else [],
        "marker": {"color": palette(theme).ink, "size": 7, "symbol": "diamond"},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _touch(plot: _Plot) -> dict[str, Any]:
    """Build the trace of invisible bars for hover and click: a bar per touched column of steps over
    the whole height of the plot, with [attempt, step] in its customdata.
    """
    grouped = plot.touched
    custom = np.full((len(grouped), 2), plot.amap.number, dtype=object)
    custom[:, 1] = grouped.step()
    bars = memory_axis.touch(
        (grouped.start + grouped.end) / 2, compact(grouped.end - grouped.start), (0, plot.top)
    )
    return bars | {
        "yaxis": plot.axis,
        "customdata": custom,
        "hovertext": np.array(_hover(plot), dtype=object),
    }


def _hover(plot: _Plot) -> list[str]:
    grouped = plot.touched
    parts = [grouped.words()]
    for curve in plot.touched_curves:
        parts.append(
            [
                f"{curve.label} {size(value)}" if math.isfinite(value) else ""
                for value in curve.highest.tolist()
            ]
        )
    if not plot.amap.facts.allocator:
        broken = grouped.highest(grouped.values("fragmentation")).tolist()
        parts.append(
            [
                f"fragmentation {percent(value)} of free bytes" if math.isfinite(value) else ""
                for value in broken
            ]
        )
    parts.append(
        [
            f"{count_text(int(count), 'block')} alive"
            for count in grouped.highest(grouped.values("blocks")).tolist()
        ]
    )
    return ["<br>".join(filter(None, words)) for words in zip(*parts, strict=True)]


def _layout(
    plots: Sequence[_Plot], window: tuple[int, int], selection: MemorySelection, theme: str
) -> dict[str, Any]:
    height = total_height([plot.px for plot in plots])
    share = {"yaxis2": _share_axis()} if _fragmentation(plots) else {}
    words = (
        _peak_words(plots[0], window, theme)
        if len(plots) == 1
        else [_title(plot, theme) for plot in plots]
    )
    marks = [
        mark
        for plot in plots
        for mark in memory_axis.peak(plot.amap, window, theme, f"{plot.axis} domain")
    ]
    return {
        **stacked_layout(plots, _TOP, theme),
        **share,
        "uirevision": f"{[plot.amap.number for plot in plots]} {selection.span}",
        "xaxis": memory_axis.steps_axis(window, theme) | {"minor": {}, "anchor": plots[-1].axis},
        "shapes": marks + memory_axis.cursor(selection, window, theme),
        "annotations": words,
        "legend": {
            "x": 0,
            "y": 1 + (18 / height if len(plots) > 1 else 0),
            "yanchor": "bottom",
            "font": {"size": 10},
        },
    }


def _share_axis() -> dict[str, Any]:
    """Build the layout of the right axis, for fragmentation from 0 to 100 %."""
    return {
        "overlaying": "y",
        "side": "right",
        "range": [0, HEADROOM],
        "tickvals": [0, 0.5, 1],
        "ticktext": ["0", "50 %", "100 %"],
        "tickfont": {"size": 10, "color": _FRAGMENTED},
        "showgrid": False,
        "fixedrange": True,
        "automargin": False,
    }


def _lines(
    plot: _Plot, window: tuple[int, int], theme: str, *, legend: bool
) -> list[dict[str, Any]]:
    """Build the traces of horizontal lines for extent, bound and capacity, as far as they are
    known, with their bytes in the legend.

    A line above the view has an arrow in the legend and is not drawn.
    """
    amap = plot.amap
    bound = None if amap.facts.allocator else amap.whole("bound")
    lines = (
        ("bound", bound, {"color": CATEGORICAL[0], "width": 1, "dash": "dot"}),
        ("extent", amap.whole("extent"), {"color": CATEGORICAL[6], "width": 1, "dash": "dashdot"}),
        (
            _room_word(amap),
            amap.arena_capacity,
            {"color": palette(theme).capacity, "width": 1.5, "dash": "dash"},
        ),
    )
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "yaxis": plot.axis,
            "x": list(window),
            # A trace without points is not drawn but keeps its entry in the legend.
            "y": [value, value] if value <= plot.top else [None, None],
            "name": f"{name} {size(value)}" + ("" if value <= plot.top else " ↑"),
            "line": line,
            "hoverinfo": "skip",
            "showlegend": legend,
        }
        for name, value, line in lines
        if value is not None
    ]


def _room_word(amap: AttemptMap) -> str:
    return "capacity without constants" if amap.whole("static_bytes") else "capacity"


def _peak_words(plot: _Plot, window: tuple[int, int], theme: str) -> list[dict[str, Any]]:
    most, step = peak_in_use(plot.amap)
    if step is None or most is None or not window[0] <= step < window[1]:
        return []
    # The text must stay inside the plot when the peak is near its right or its lower end.
    late = step - window[0] > 0.7 * (window[1] - window[0])
    side = {"xanchor": "right", "xshift": -7} if late else {"xanchor": "left", "xshift": 7}
    low = most < plot.top / 4
    place = {"xref": "x", "yref": "y", "x": step + 0.5, "y": most}
    place |= {"yanchor": "bottom", "yshift": 4} if low else {"yanchor": "top", "yshift": -4}
    ground = {
        "bgcolor": fade(palette(theme).panel, 0.7),
        "font": {"size": 11, "color": palette(theme).ink},
    }
    return [note(f"peak {size(most)} at step {integer(step)}", place | side | ground, theme)]


def _title(plot: _Plot, theme: str) -> dict[str, Any]:
    """Build the annotation above a level's plot: name, peak, bound, extent and capacity."""
    amap = plot.amap
    most, step = peak_in_use(amap)
    words = [f"<b>{plain(amap.label, 30)}</b>", f"peak {size(most)}"]
    words[1] += f" at step {integer(step)}" if step is not None else ""
    words += [
        f"{name} {size(amap.whole(name))}"
        for name in ("bound", "extent")
        if amap.whole(name) is not None and not amap.facts.allocator
    ]
    room = amap.arena_capacity
    words += [f"{_room_word(amap)} {size(room)}"] if room is not None else []
    return memory_axis.plot_title(words, plot.domain, theme)
