"""What is drawn of a number over time: runs, levels, marks of changes, baselines, and what the signs mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.comparison.series import Point, Series
from components.comparison.trend_panels import SYMBOLS
from components.comparison.trend_words import (
    change_text,
    commit_text,
    compare_address,
    date_text,
    relative_text,
    value_text,
)
from components.numbers import plain
from components.theme import faded, palette
from schema.metrics import Metric

_MARKS: Mapping[str, tuple[str, str]] = {
    "regressed": ("x", "trouble"),
    "improved": ("star", "good"),
    "changed": ("diamond", "ink"),
}
"""Verdict -> symbol and role of the colour of its mark."""
_CLICK = "click: compare before and after"


@dataclass(frozen=True)
class Drawn:
    """A series as it is drawn: `where` has the place of each run, `kept` the positions of those that are points."""

    series: Series
    where: Sequence[str | int]
    kept: np.ndarray
    axis: str
    colour: str
    slot: int = 0


def runs(drawn: Drawn, metric: Metric) -> dict[str, Any]:
    """Return a point per run, its id in `customdata`."""
    points = [drawn.series.points[at] for at in drawn.kept]
    return _own(drawn) | {
        "mode": "markers",
        "x": [drawn.where[at] for at in drawn.kept],
        "y": np.array([point.value for point in points]),
        "customdata": [point.run_id for point in points],
        "text": [f"{plain(point.name)}</b><br>{_facts(point, metric)}" for point in points],
        "hovertemplate": "<b>%{text}<extra></extra>",
        "marker": {"color": drawn.colour, "symbol": SYMBOLS[drawn.slot % len(SYMBOLS)], "size": 5, "opacity": 0.75},
    }


def levels(drawn: Drawn) -> list[dict[str, Any]]:
    """Return the medians of the levels as one line of steps."""
    found = drawn.series.levels()
    if not found:
        return []
    steps = {
        "x": [*(drawn.where[level.first] for level in found), drawn.where[-1]],
        "y": np.array([level.median for level in [*found, found[-1]]]),
        "line": {"shape": "hv", "width": 2, "color": drawn.colour},
    }
    return [_own(drawn) | {"mode": "lines", "hoverinfo": "skip"} | steps]


def marks(drawn: Drawn, metric: Metric, theme: str) -> list[dict[str, Any]]:
    """Return a mark at the first run of each new level, the address of its comparison in `customdata`."""
    changes = drawn.series.changes
    if not changes:
        return []
    points = [drawn.series.points[change.index] for change in changes]
    said = [
        f"{change_text(change)}</b><br>{plain(point.name)}<br>{_facts(point, metric)}<br>{_CLICK}"
        for change, point in zip(changes, points, strict=True)
    ]
    looks = {
        "marker": {
            "color": [getattr(palette(theme), _MARKS[change.verdict][1]) for change in changes],
            "symbol": [_MARKS[change.verdict][0] for change in changes],
            "size": 11,
            "line": {"width": 1, "color": palette(theme).panel},
        },
        "text": [relative_text(change.relative) for change in changes],
        "textposition": ["top center" if change.relative > 0 else "bottom center" for change in changes],
        "textfont": {"size": 11},
        "cliponaxis": False,
    }
    return [
        _own(drawn)
        | looks
        | {
            "mode": "markers+text",
            "x": [drawn.where[change.index] for change in changes],
            "y": np.array([point.value for point in points]),
            "customdata": [compare_address(drawn.series, rank) for rank in range(len(changes))],
            "hovertext": said,
            "hovertemplate": "<b>%{hovertext}<extra></extra>",
        }
    ]


def bands(drawn: Drawn, theme: str) -> list[dict[str, Any]]:
    """Return the baseline of a series as shapes: the range of its runs, and their median."""
    grey = palette(theme).reference
    place = {"xref": f"x{drawn.axis} domain", "yref": f"y{drawn.axis}", "x0": 0, "x1": 1, "layer": "below"}
    shapes: list[dict[str, Any]] = []
    for band in drawn.series.bands[:1]:
        span = {"type": "rect", "y0": min(band.values), "y1": max(band.values)}
        shapes.append(place | span | {"fillcolor": faded(grey, 0.22), "line": {"width": 0}})
        middle = {"type": "line", "y0": band.median, "y1": band.median}
        shapes.append(place | middle | {"line": {"color": grey, "dash": "dash", "width": 1}})
    return shapes


def legend(series: Sequence[Series], theme: str) -> list[dict[str, Any]]:
    """Return traces without points that say what the signs mean, those that are drawn."""
    colours = palette(theme)
    own = {"type": "scatter", "x": [None], "y": [None], "hoverinfo": "skip"}
    found: list[dict[str, Any]] = [
        {**own, "name": "run", "mode": "markers", "marker": {"color": colours.perf, "size": 5}}
    ]
    if any(not one.note for one in series):
        line: dict[str, Any] = {"color": colours.perf, "width": 2}
        found.append({**own, "name": "median of a level", "mode": "lines", "line": line})
    for verdict in sorted({change.verdict for one in series for change in one.changes}):
        symbol, role = _MARKS[verdict]
        mark = {"color": getattr(colours, role), "symbol": symbol, "size": 11}
        found.append({**own, "name": verdict, "mode": "markers", "marker": mark})
    if any(one.bands for one in series):
        line = {"color": colours.reference, "dash": "dash", "width": 1}
        found.append({**own, "name": "baseline: median and range", "mode": "lines", "line": line})
    return found


def _own(drawn: Drawn) -> dict[str, Any]:
    return {"type": "scatter", "xaxis": f"x{drawn.axis}", "yaxis": f"y{drawn.axis}", "showlegend": False}


def _facts(point: Point, metric: Metric) -> str:
    return f"{value_text(point.value, metric)}<br>{date_text(point.date)} · commit {plain(commit_text(point.commit))}"
