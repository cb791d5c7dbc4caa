"""Kernel durations of a capture: histogram, empirical distribution, or quantiles by tile, iteration
or kind.

`components.kernels.durations` draws the durations of a profile, in nanoseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from analysis.kernels.distribution import (
    bin_edges,
    ecdf,
    group_quantiles,
    histogram,
    known_durations,
)
from analysis.selection import Selection
from components.figure import Figure, compact
from components.graph import empty_figure, figure
from components.kernels.durations import VIEWS as PROFILE_VIEWS
from components.kernels.durations import profile_durations
from components.numbers import integer, plain
from components.theme import FADE, fade, kind_color, palette
from components.tick_formats import NUMBER_TICKS, SHARE_TICKS
from schema.rows import filter_rows
from schema.time_units import NANOSECONDS

_CAPTURE_VIEWS: Mapping[str, str] = MappingProxyType(
    {
        "histogram": "histogram",
        "ecdf": "ECDF",
        "tile": "by tile",
        "iteration": "by iteration",
        "kind": "by kind",
    }
)
_GROUPS: Mapping[str, str] = MappingProxyType(
    {"tile": "track", "iteration": "iteration", "kind": "name"}
)
"""View -> column of frame `kernels` that it groups by."""
_HEIGHT = 260
_MAX_KINDS = 9
"""Kinds that are drawn separately; rarer kinds are drawn together."""
_MAX_REASONS = 5
"""Reasons why kernels are left out that are drawn, the most frequent."""


_Drawing = tuple[list[dict[str, Any]], dict[str, Any]]
"""Traces and layout."""


@dataclass(frozen=True)
class _CycleScene:
    """Input of every view: kernels with a duration, counted and left out, and how to draw them."""

    kept: pd.DataFrame
    left_out: pd.DataFrame
    selection: Selection
    theme: str
    view: str
    unit: str


def available_duration_views(profile: bool) -> Mapping[str, str]:
    """Map the names of the views of a profile, or of a capture if `profile` is false, to their
    labels.
    """
    return PROFILE_VIEWS if profile else _CAPTURE_VIEWS


def durations(
    kernels: pd.DataFrame,
    selection: Selection,
    theme: str,
    *,
    view: str = "histogram",
    unit: str = "cycles",
) -> Figure:
    """Draw the distribution of the durations of rows of a frame `kernels`; `view` is a key of
    VIEWS.

    The duration range of the selection is marked, not applied: pass the kernels that match the rest
    of the selection. A click's customdata is [low, high) of a bin in the histogram, and [group] in
    the views by tile, iteration or kind. When there is no duration, the figure shows only a
    sentence.
    """
    if unit == NANOSECONDS:
        return profile_durations(kernels, selection, theme, view)
    timed = filter_rows(kernels, kernels["duration"].notna().to_numpy(bool))
    if not len(timed):
        return empty_figure("No kernel has both of its markers here.", theme, _HEIGHT)
    is_kept = timed["kept"].to_numpy(bool)
    kept = filter_rows(timed, is_kept)
    left_out = filter_rows(timed, ~is_kept)
    scene = _CycleScene(kept, left_out, selection, theme, view, plain(unit))
    draw = {"histogram": _histogram, "ecdf": _ecdf}.get(view, _by_group)
    traces, layout = draw(scene)
    return figure(traces, {"height": _HEIGHT} | layout, theme)


def _kinds(kept: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Group the kernels by kind as (name, rows), most frequent first.

    If there are more than 9 kinds (_MAX_KINDS), the rarest form one last group `other kinds`.
    """
    names = np.asarray(kept["name"].array, object)
    common = pd.Series(names).value_counts().index[:_MAX_KINDS].tolist()
    parts = [(str(name), filter_rows(kept, names == name)) for name in common]
    rest = filter_rows(kept, ~np.isin(names, common))
    return [*parts, ("other kinds", rest)] if len(rest) else parts


def _histogram(scene: _CycleScene) -> _Drawing:
    every = known_durations(pd.concat([scene.kept["duration"], scene.left_out["duration"]]))
    edges = bin_edges(every)
    traces = []
    for name, part in _kinds(scene.kept):
        bars = _bars(edges, known_durations(part["duration"]), plain(name), scene.unit)
        opacity = _emphasis(bars, scene.selection) * (
            1.0 if scene.selection.kind in (None, name) else FADE
        )
        line = {"width": 0.5, "color": palette(scene.theme).panel}
        traces.append(
            bars
            | {"marker": {"color": kind_color(name, scene.theme), "opacity": opacity, "line": line}}
        )
    if not len(scene.left_out):
        return traces, _bin_layout(scene.unit, "kernels", scene.selection, scene.theme)
    reasons = scene.left_out["reason"].astype("str").replace("", "left out")
    for reason in reasons.value_counts().index[:_MAX_REASONS]:
        values = known_durations(scene.left_out.loc[reasons == reason, "duration"])
        bars = _bars(edges, values, f"left out: {plain(reason, 44)}", scene.unit)
        traces.append(bars | {"marker": _left_out_marker(scene.theme)})
    return traces, _bin_layout(scene.unit, "kernels", scene.selection, scene.theme)


def _bars(edges: np.ndarray, values: np.ndarray, name: str, unit: str) -> dict[str, Any]:
    """Build the histogram bars of one kind; empty bins are left out. `edges` are the limits of the
    bins.
    """
    counts = histogram(values, edges)
    filled = np.flatnonzero(counts)
    low = edges[filled]
    high = edges[filled + 1]
    limits = (
        # Objects are sent as JSON: a browser does not send binary arrays back with a click.
        np.column_stack([low.astype(object), high.astype(object)])
        if len(filled)
        else np.zeros((0, 2), dtype=object)
    )
    return {
        "type": "bar",
        "name": name,
        "x": (low + high) / 2,
        "y": compact(counts[filled]),
        "width": np.asarray(high - low, dtype=np.float64),
        "customdata": limits,
        "hovertemplate": f"<b>%{{y:,}}</b> of %{{customdata[0]:,}} – %{{customdata[1]:,}} {unit}<extra>{name}</extra>",
    }


def _emphasis(bars: dict[str, Any], selection: Selection) -> np.ndarray:
    """Compute the opacity of each bin: 1 if its middle is in the selected duration range, else
    FADE; 1 for all bins without a selected range.
    """
    if selection.duration is None:
        return np.ones(len(bars["x"]))
    low, high = selection.duration
    return np.where((bars["x"] >= low) & (bars["x"] < high), 1.0, FADE)


def _left_out_marker(theme: str) -> dict[str, Any]:
    colours = palette(theme)
    return {
        "color": colours.trouble,
        "line": {"width": 1, "color": colours.trouble},
        "pattern": {"shape": "/", "fgcolor": colours.trouble, "bgcolor": colours.panel, "size": 5},
    }


def _bin_layout(unit: str, counted: str, selection: Selection, theme: str) -> dict[str, Any]:
    return {
        "barmode": "stack",
        "bargap": 0,
        "legend": {"traceorder": "normal"},
        "xaxis": {"title": {"text": f"duration, {unit}"}, "tickformat": NUMBER_TICKS},
        "yaxis": {"title": {"text": counted}, "rangemode": "tozero"},
        "shapes": _range_marks(selection, theme, "x"),
    }


def _range_marks(selection: Selection, theme: str, axis: str) -> list[dict[str, Any]]:
    """Build the outlined band of the selected duration range; empty if no range is selected.

    `axis` (x or y) is the axis of durations.
    """
    if selection.duration is None:
        return []
    low, high = selection.duration
    along, across = ("x", "y") if axis == "x" else ("y", "x")
    colours = palette(theme)
    return [
        {
            "type": "rect",
            f"{along}0": low,
            f"{along}1": high,
            f"{across}0": 0,
            f"{across}1": 1,
            f"{across}ref": "paper",
            "line": {"color": colours.selection, "width": 1.5},
            "fillcolor": fade(colours.selection, 0.08),
            "layer": "below",
        }
    ]


def _ecdf(scene: _CycleScene) -> _Drawing:
    traces = [
        _curve(part, plain(name), kind_color(name, scene.theme), "solid", scene.unit)
        for name, part in _kinds(scene.kept)
    ]
    if len(scene.left_out):
        traces.append(
            _curve(scene.left_out, "left out", palette(scene.theme).trouble, "dot", scene.unit)
        )
    layout = _bin_layout(scene.unit, "share of kernels", scene.selection, scene.theme)
    layout["yaxis"] |= {"tickformat": SHARE_TICKS, "range": [0, 1.02]}
    return traces, layout


def _curve(part: pd.DataFrame, name: str, colour: str, dash: str, unit: str) -> dict[str, Any]:
    x, y = ecdf(known_durations(part["duration"]))
    # A leading point at share 0 draws the rise at the shortest duration.
    lead = np.concatenate([x[:1], x])
    return {
        "type": "scatter",
        "mode": "lines",
        "name": f"{name} ({integer(len(part))})",
        "x": lead,
        "y": np.concatenate([np.zeros(len(x[:1])), y]),
        "line": {"shape": "hv", "color": colour, "width": 2, "dash": dash},
        "hovertemplate": f"%{{y:.1%}} take %{{x:,}} {unit} or less<extra>{name}</extra>",
    }


def _by_group(scene: _CycleScene) -> _Drawing:
    """Build traces and layout with a box per tile, iteration or kind, as the view says, from
    quantiles; whiskers at p5 and p95.

    Quantiles are computed here, so that the browser does not receive every kernel.
    """
    column = _GROUPS.get(scene.view, "track")
    table = group_quantiles(
        scene.kept.assign(
            **{column: scene.kept[column].astype("Int64" if scene.view == "iteration" else "str")}
        ),
        column,
    )
    chosen = {
        "tile": scene.selection.track,
        "iteration": scene.selection.iteration,
        "kind": scene.selection.kind,
    }.get(scene.view)
    groups = table[column].to_numpy(dtype=object)
    traces = [
        _boxes(table[mask], groups[mask], scene.view, opacity, scene.theme)
        for mask, opacity in (
            ((groups == chosen) | (chosen is None), 1.0),
            ((groups != chosen) & (chosen is not None), FADE),
        )
        if mask.any()
    ]
    traces += _left_out_points(scene.left_out, column, scene.theme, scene.unit)
    labels = [plain(group, 24) for group in groups]
    title = _CAPTURE_VIEWS.get(scene.view, "by tile").removeprefix("by ")
    layout = {
        "xaxis": {
            "type": "category",
            "categoryarray": labels,
            "title": {"text": title},
        },
        "yaxis": {"title": {"text": f"duration, {scene.unit}"}, "tickformat": NUMBER_TICKS},
        "shapes": _range_marks(scene.selection, scene.theme, "y"),
    }
    return traces, layout


def _boxes(
    table: pd.DataFrame, groups: np.ndarray, view: str, opacity: float, theme: str
) -> dict[str, Any]:
    colours = palette(theme)
    return {
        "type": "box",
        "x": np.array([plain(group, 24) for group in groups], dtype=object),
        "q1": table["p25"].to_numpy(),
        "median": table["median"].to_numpy(),
        "q3": table["p75"].to_numpy(),
        "lowerfence": table["p5"].to_numpy(),
        "upperfence": table["p95"].to_numpy(),
        "customdata": groups[:, None],
        "opacity": opacity,
        "line": {"color": colours.perf, "width": 1.5},
        "fillcolor": colours.raised,
        "showlegend": False,
        "hoverinfo": "x+y",
    }


def _left_out_points(
    left_out: pd.DataFrame, column: str, theme: str, unit: str
) -> list[dict[str, Any]]:
    """Build the trace of red crosses for kernels that were left out and have a group (`column`),
    every n-th so that they are fewer than 600; empty if there is no such kernel.
    """
    known_group = left_out[left_out[column].notna()]
    if not len(known_group):
        return []
    shown = known_group.iloc[:: max(1, len(known_group) // 300)]
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": f"left out ({integer(len(known_group))})",
            "x": np.array(
                [plain(group, 24) for group in shown[column].astype("str")], dtype=object
            ),
            "y": known_durations(shown["duration"]),
            "text": np.array([plain(reason) for reason in shown["reason"]], dtype=object),
            "marker": {
                "symbol": "x-thin",
                "size": 7,
                "line": {"color": palette(theme).trouble, "width": 1.5},
            },
            "hovertemplate": f"%{{y:,}} {unit}<br>left out: %{{text}}<extra></extra>",
        }
    ]
