"""Durations of a profile's kernels, from nanoseconds to seconds, on the same axis in every view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from analysis.kernels.distribution import ecdf, histogram, known_durations
from analysis.selection import Selection
from components.figure import Figure, compact
from components.graph import empty_figure, figure
from components.kernels.duration_rows import Drawing, firsts, ranges
from components.kernels.duration_scale import DurationScale
from components.kernels.words import kernel_name
from components.numbers import duration_text, integer, percent
from components.theme import FADE, fade, name_color, palette
from components.tick_formats import SHARE_TICKS
from schema.array_types import Floats, Ints

VIEWS: Mapping[str, str] = MappingProxyType(
    {
        "histogram": "histogram",
        "ecdf": "ECDF",
        "tile": "by device",
        "kind": "by kernel",
        "first": "first run",
    }
)
"""Name of each view -> label."""

_HEIGHT = 300
_MAX_SHORT_LEGEND, _LEGEND_ROW_PX = 3, 20
"""Names of a legend that leave enough room for the bars at any width, and the height of a row."""
_MAX_KINDS = 9
"""Kernel names that are drawn separately, the ones with the most time."""
# Names have ten colours by hash, which kernels of one plot often share: the n-th kernel of a
# colour is told apart by its hatch or dashes, and keeps its colour in all views.
_HATCHES = ("", "x", ".", "\\", "|", "-", "+")
_DASHES = ("solid", "dash", "dashdot", "longdash", "longdashdot")
_CURVE_POINTS = 200
"""Points of a curve of the empirical distribution."""
_MIN_COUNT_FOR_TICKS = 8
"""If no bin has this many runs, ticks are set to whole numbers.

Plotly would put ticks between them.
"""
_MAX_NAME_CHARACTERS = 32
_OTHER = "other kernels"


@dataclass(frozen=True)
class _Scene:
    """Input of every view: kernels with a duration, the axis, and how to draw them."""

    kernels: pd.DataFrame
    scale: DurationScale
    selection: Selection
    theme: str


def profile_durations(kernels: pd.DataFrame, selection: Selection, theme: str, view: str) -> Figure:
    """Draw the distribution of the durations (ns) of rows of a frame `kernels`; `view` is a key of
    VIEWS.

    The duration range of the selection is marked, not applied. A click's customdata is [low, high)
    of a bin in the histogram, [device] in the view `tile`, [kernel's name] in the views `kind` and
    `first`. When there is no duration, or no second run in view `first`, the figure shows only a
    sentence.
    """
    timed = kernels[kernels["duration"].notna()]
    if not len(timed):
        return empty_figure("No kernel in the selection.", theme, _HEIGHT)
    values = known_durations(timed["duration"])
    scale = DurationScale(int(values.min()), int(values.max()))
    traces, layout = _DRAW_FUNCTIONS.get(view, _histogram)(_Scene(timed, scale, selection, theme))
    if not traces:
        return empty_figure("No kernel ran twice on a device here.", theme, _HEIGHT)
    own = {"height": _HEIGHT, "shapes": _range_marks(selection, scale, theme)}
    # Views with a row per name have a height of their own and no legend of names.
    room = {} if "height" in layout else _room(traces)
    return figure(traces, own | room | layout, theme)


def _room(traces: list[dict[str, Any]]) -> dict[str, Any]:
    """Build the part of the layout with the height on a narrow page, where each name of the legend
    takes a row; empty if the legend is short.
    """
    names = sum(trace.get("showlegend", True) for trace in traces)
    # Plotly gives the legend half of the figure at most, and lets it scroll beyond that.
    more = max(0, names - _MAX_SHORT_LEGEND) * _LEGEND_ROW_PX
    return {"meta": {"height": _HEIGHT, "narrow": {"height": _HEIGHT + more}}} if more else {}


_Kind = tuple[str | None, Floats, int]
"""Name of a kernel (None: the rest), its durations in ns, and the number of kernels before it
that have the same colour.
"""


def _kinds(kernels: pd.DataFrame) -> list[_Kind]:
    """Group durations (ns) by kernel name, most time first, at most 9 names.

    The remaining kernels form a last group with the name None.
    """
    code, names = pd.factorize(kernels["name"])
    values = known_durations(kernels["duration"])
    most = np.argsort(-np.bincount(code, values), kind="stable")[:_MAX_KINDS]
    parts: list[_Kind] = []
    colours: list[str] = []
    for kind in most:
        name = str(names[kind])
        colour = name_color(name)
        parts.append((name, values[code == kind], colours.count(colour)))
        colours.append(colour)
    rest = values[~np.isin(code, most)]
    return [*parts, *([(None, rest, 0)] if len(rest) else [])]


def _colour(name: str | None, theme: str) -> str:
    return palette(theme).muted if name is None else name_color(name)


def _label(name: str | None, limit: int = 60) -> str:
    return _OTHER if name is None else kernel_name(name, limit)


def _histogram(scene: _Scene) -> Drawing:
    values = known_durations(scene.kernels["duration"])
    edges = scene.scale.edges(values)
    few = histogram(values, edges).max() < _MIN_COUNT_FOR_TICKS
    traces = [_bars(scene, edges, kind) for kind in _kinds(scene.kernels)]
    return traces, {
        "barmode": "stack",
        "bargap": 0,
        "legend": {"traceorder": "normal"},
        "xaxis": scene.scale.axis(),
        "yaxis": {"title": {"text": "runs"}, "rangemode": "tozero"} | ({"dtick": 1} if few else {}),
    }


def _bars(scene: _Scene, edges: Ints, kind: _Kind) -> dict[str, Any]:
    name, part, alike = kind
    counts = histogram(part, edges)
    filled = np.flatnonzero(counts)
    low = edges[filled]
    high = edges[filled + 1]
    left = scene.scale.at(low)
    right = scene.scale.at(high)
    spans = [
        f"{duration_text(a)} – {duration_text(b)}"
        for a, b in zip(low.tolist(), high.tolist(), strict=True)
    ]
    return {
        "type": "bar",
        "name": _label(name, _MAX_NAME_CHARACTERS),
        "x": (left + right) / 2,
        "width": right - left,
        "y": compact(counts[filled]),
        # A list is sent as JSON: a browser does not send binary arrays back with a click.
        "customdata": np.column_stack([low, high]).tolist(),
        "text": [
            f"<b>{integer(n)}</b> of {span}"
            for n, span in zip(counts[filled].tolist(), spans, strict=True)
        ],
        "textposition": "none",
        "hovertemplate": f"%{{text}}<extra>{_label(name)}</extra>",
        "marker": {
            "color": _colour(name, scene.theme),
            "opacity": _emphasis(low, high, scene.selection),
            "pattern": {"shape": "/" if name is None else _HATCHES[alike % len(_HATCHES)]},
            "line": {"width": 0.5, "color": palette(scene.theme).panel},
        },
    }


def _emphasis(low: Ints, high: Ints, selection: Selection) -> Floats:
    """Compute the opacity of each bin: 1 if it overlaps the selected duration range, else FADE; 1
    for all bins without a selected range.
    """
    if selection.duration is None:
        return np.ones(len(low))
    return np.where((high > selection.duration[0]) & (low < selection.duration[1]), 1.0, FADE)


def _range_marks(selection: Selection, scale: DurationScale, theme: str) -> list[dict[str, Any]]:
    """Build the outlined band of the selected duration range; empty if no range is selected."""
    if selection.duration is None:
        return []
    low, high = (float(scale.at(edge)) for edge in selection.duration)
    colour = palette(theme).selection
    band = {
        "type": "rect",
        "x0": low,
        "x1": high,
        "y0": 0,
        "y1": 1,
        "yref": "paper",
        "layer": "below",
    }
    return [band | {"line": {"color": colour, "width": 1.5}, "fillcolor": fade(colour, 0.08)}]


def _ecdf(scene: _Scene) -> Drawing:
    traces = [_curve(scene, kind) for kind in _kinds(scene.kernels)]
    share = {"title": {"text": "share of runs"}, "tickformat": SHARE_TICKS, "range": [0, 1.02]}
    return traces, {"xaxis": scene.scale.axis(), "yaxis": share}


def _curve(scene: _Scene, kind: _Kind) -> dict[str, Any]:
    name, part, alike = kind
    x, y = ecdf(part, _CURVE_POINTS)
    x = np.concatenate([x[:1], x])
    y = np.concatenate([[0.0], y])
    return {
        "type": "scatter",
        "mode": "lines",
        "name": f"{_label(name, _MAX_NAME_CHARACTERS)} ({integer(len(part))})",
        "x": scene.scale.at(x),
        "y": y,
        "text": [
            f"{percent(b)} take {duration_text(a)} or less"
            for a, b in zip(x.tolist(), y.tolist(), strict=True)
        ],
        "line": {
            "shape": "hv",
            "color": _colour(name, scene.theme),
            "width": 2,
            "dash": "dot" if name is None else _DASHES[alike % len(_DASHES)],
        },
        "hovertemplate": f"%{{text}}<extra>{_label(name)}</extra>",
    }


_DRAW_FUNCTIONS: Mapping[str, Callable[[_Scene], Drawing]] = {
    "histogram": _histogram,
    "ecdf": _ecdf,
    "tile": lambda scene: ranges(scene.kernels, "track", scene.scale, scene.theme),
    "kind": lambda scene: ranges(scene.kernels, "name", scene.scale, scene.theme),
    "first": lambda scene: firsts(scene.kernels, scene.scale, scene.theme),
}
