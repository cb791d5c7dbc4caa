"""Durations of a profile's kernels, a row per device or kernel: quantiles, or the first run next to
later runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.kernels.distribution import group_quantiles
from analysis.kernels.first_runs import first_runs
from components.kernels.duration_scale import DurationScale
from components.kernels.words import kernel_name
from components.numbers import count_text, duration_text, integer
from components.theme import name_color, palette
from schema.array_types import Floats, Ints

_ROW_PX, _FRAME_PX = 20, 64
_MAX_ROWS = 24
"""Rows that are drawn at most."""
_MAX_NAME_CHARACTERS = 32

Drawing = tuple[list[dict[str, Any]], dict[str, Any]]
"""Traces and layout."""


def ranges(kernels: pd.DataFrame, column: str, scale: DurationScale, theme: str) -> Drawing:
    """Draw the quantiles of durations in a row per value of `column`, rows with the most time
    first, at most 24 (_MAX_ROWS).

    A line from p5 to p95, a bar between the quartiles, a mark at the median. Returns traces and
    layout.
    """
    table = group_quantiles(kernels[[column, "duration"]], column)
    totals = kernels.groupby(column, observed=True)["duration"].sum()
    table = table.assign(total=totals.reindex(table[column]).to_numpy(np.int64))
    table = table.sort_values("total", ascending=False, kind="stable", ignore_index=True)
    shown = table.head(_MAX_ROWS)
    names = [str(name) for name in shown[column]]
    place = np.arange(len(shown))
    at = {
        name: scale.at(shown[name].to_numpy(np.float64))
        for name in ("p5", "p25", "median", "p75", "p95")
    }
    colours = [name_color(name) if column == "name" else palette(theme).perf for name in names]
    thin = {"color": palette(theme).muted, "width": 1.5}
    traces = [
        _lines(at["p5"], at["p95"], place, thin),
        {
            "type": "bar",
            "orientation": "h",
            "base": at["p25"],
            "x": at["p75"] - at["p25"],
            "y": place,
            "width": 0.6,
            "hoverinfo": "skip",
            "marker": {"color": colours, "opacity": 0.75},
        },
        _marks(
            at["median"], place, names, [_quantiles(row) for row in shown.to_dict("records")], theme
        ),
    ]
    return traces, _rows_layout(scale, names, len(table) - len(shown))


def _quantiles(row: Mapping[Any, Any]) -> str:
    words = [
        f"{label} {duration_text(row[key])}"
        for key, label in (("median", "median"), ("p5", "p5"), ("p95", "p95"))
    ]
    return (
        f"{count_text(row['n'], 'run')}, {duration_text(row['total'])} in all<br>{', '.join(words)}"
    )


def _lines(low: Floats, high: Floats, place: Ints, line: Mapping[str, Any]) -> dict[str, Any]:
    """Build the trace with a horizontal line per row, from `low` to `high` (positions on the axis)."""
    # NaN between two lines ends the first, so that one trace draws all of them.
    gap = np.full(len(low), np.nan)
    x, y = (np.column_stack(three).ravel() for three in ((low, high, gap), (place, place, gap)))
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": dict(line),
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _marks(
    x: Floats, place: Ints, names: list[str], texts: list[str], theme: str, **style: object
) -> dict[str, Any]:
    """Build the trace with a mark per row with hover text; its customdata is [name]."""
    ink = {"symbol": "line-ns", "size": 12, "line": {"width": 2.5, "color": palette(theme).ink}}
    return {
        "type": "scatter",
        "mode": "markers",
        "x": x,
        "y": place,
        "customdata": [[name] for name in names],
        "text": [
            f"<b>{kernel_name(name)}</b><br>{text}" for name, text in zip(names, texts, strict=True)
        ],
        "hovertemplate": "%{text}<extra></extra>",
        "marker": style or ink,
    }


def _rows_layout(scale: DurationScale, names: list[str], left: int) -> dict[str, Any]:
    """Build the layout of a row per name, the first on top.

    The title of the axis mentions that `left` rows are not drawn, if that is above 0.
    """
    rest = f"; {integer(left)} with less time not drawn" if left > 0 else ""
    return {
        "height": max(160, _FRAME_PX + _ROW_PX * len(names)),
        "showlegend": False,
        "margin": {"l": 48, "r": 16, "t": 8, "b": 44},
        "hoverdistance": 30,
        "xaxis": scale.axis(f"duration{rest}"),
        "yaxis": {
            "range": [len(names) - 0.4, -0.6],
            "tickmode": "array",
            "tickvals": list(range(len(names))),
            "ticktext": [kernel_name(name, _MAX_NAME_CHARACTERS) for name in names],
            "showgrid": False,
        },
    }


def firsts(kernels: pd.DataFrame, scale: DurationScale, theme: str) -> Drawing:
    """Draw a row per kernel and device, rows with the largest loss of the first run first, at most
    24.

    A ring is the first run, a dot the median of the later runs. Returns traces and layout; both are
    empty without a kernel that ran twice.
    """
    rows = first_runs(kernels)
    shown = rows.head(_MAX_ROWS)
    if not len(shown):
        return [], {}
    several = rows["track"].nunique() > 1
    labels = [
        f"{n} · {t}" if several else n for n, t in zip(shown["name"], shown["track"], strict=True)
    ]
    place = np.arange(len(shown))
    names = shown["name"].tolist()
    first, steady = (scale.at(shown[name].to_numpy(np.float64)) for name in ("first", "steady"))
    colours = [name_color(name) for name in names]
    texts = [_first_words(row) for row in shown.to_dict("records")]
    ring = {"symbol": "circle-open", "size": 10, "color": colours, "line": {"width": 2}}
    dot = {"symbol": "circle", "size": 8, "color": colours}
    traces = [
        _lines(first, steady, place, {"color": palette(theme).border, "width": 2}),
        _marks(steady, place, names, texts, theme, **dot) | {"name": "median of the later runs"},
        _marks(first, place, names, texts, theme, **ring) | {"name": "first run"},
    ]
    layout = _rows_layout(scale, labels, len(rows) - len(shown))
    return traces, layout | {"showlegend": True, "margin": {"l": 48, "r": 16, "t": 30, "b": 44}}


def _first_words(row: Mapping[Any, Any]) -> str:
    times = "" if not np.isfinite(row["ratio"]) else f" ({row['ratio']:.2f} ×)"
    first = f"first run {duration_text(row['first'])}{times}"
    return f"{first}<br>median of the {integer(row['later'])} later {duration_text(row['steady'])}"
