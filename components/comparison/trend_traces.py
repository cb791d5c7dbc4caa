"""Traces of a trend plot: runs, levels, drifts, dips, marks of changes, baselines and legend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from analysis.comparison.series import Point, Series
from components.comparison.trend_panels import SYMBOLS
from components.comparison.trend_verdicts import PointVerdicts, rings, verdict_of
from components.comparison.trend_words import (
    change_text,
    commit_text,
    compare_address,
    date_text,
    mark_text,
    outcome_text,
    value_text,
)
from components.numbers import plain
from components.theme import fade, palette
from schema.metrics import Metric

_MARKS: Mapping[str, tuple[str, str]] = {
    "regressed": ("x", "trouble"),
    "improved": ("star", "good"),
    "changed": ("diamond", "ink"),
    "unchanged": ("circle-open", "muted"),
    "undecided": ("diamond-open", "caution"),
    "incomparable": ("square-open", "caution"),
    "being compared": ("hourglass-open", "muted"),
}
"""Outcome of a change -> symbol of its mark, and role of its colour in the theme."""
_MAX_LINE_POINTS = 100
"""Maximum number of points of a drift's line.

The line is straight over run numbers, so over time it bends if runs are unevenly spaced.
"""
_CLICK = "click: compare before and after"


@dataclass(frozen=True)
class DrawnSeries:
    """A series with its appearance.

    `where` is the x of each run, `shown` the positions of the runs that are drawn as points, `slot`
    its position in the panel. `verdicts` are the verdicts of a baseline rule, empty if none is
    chosen.
    """

    series: Series
    where: Sequence[str | int]
    shown: np.ndarray
    axis: str
    colour: str
    slot: int = 0
    verdicts: PointVerdicts = field(default_factory=dict)


def runs(drawn: DrawnSeries, metric: Metric) -> dict[str, Any]:
    """Build the trace with a point per drawn run, with its id in `customdata`."""
    points = [drawn.series.points[at] for at in drawn.shown]
    return _own(drawn) | {
        "mode": "markers",
        "x": [drawn.where[at] for at in drawn.shown],
        "y": np.array([point.value for point in points]),
        "customdata": [point.run_id for point in points],
        "text": [
            f"{plain(point.name)}</b><br>{_facts(point, metric)}{_rule_text(drawn, point)}"
            for point in points
        ],
        "hovertemplate": "<b>%{text}<extra></extra>",
        "marker": {
            "color": drawn.colour,
            "symbol": SYMBOLS[drawn.slot % len(SYMBOLS)],
            "size": 5,
            "opacity": 0.75,
        },
    }


def verdict_rings(drawn: DrawnSeries, theme: str) -> list[dict[str, Any]]:
    """Build the trace of rings around the points whose verdict by the baseline rule is not
    `unchanged`; an empty list if there are none.
    """
    points = [drawn.series.points[at] for at in drawn.shown]
    return rings(
        _own(drawn), points, [drawn.where[at] for at in drawn.shown], drawn.verdicts, theme
    )


def _rule_text(drawn: DrawnSeries, point: Point) -> str:
    verdict = verdict_of(point, drawn.verdicts)
    return f"<br>by the rule: {verdict}" if verdict else ""


def levels(drawn: DrawnSeries) -> list[dict[str, Any]]:
    """Build the trace with the medians of the levels as a stepped line with a gap at each drift;
    empty if the series has no levels.
    """
    parts = drawn.series.development.parts
    if not parts:
        return []
    x: list[str | int | None] = [drawn.where[part.first] for part in parts]
    # The last level is repeated, so that its line reaches the last run.
    y = np.array([np.nan if part.is_drift else part.median for part in [*parts, parts[-1]]])
    line = {"shape": "hv", "width": 2, "color": drawn.colour}
    return [_line(drawn) | {"x": [*x, drawn.where[-1]], "y": y, "line": line}]


def drifts(drawn: DrawnSeries) -> list[dict[str, Any]]:
    """Build a list with a trace of a sloping line per drift; empty without drifts."""
    line = {"width": 2, "dash": "dashdot", "color": drawn.colour}
    lines = []
    for part in drawn.series.development.parts:
        if part.is_drift:
            ends = part.first, part.end - 1
            places = np.unique(
                np.linspace(*ends, min(part.end - part.first, _MAX_LINE_POINTS)).astype(int)
            )
            y = np.interp(places, ends, (part.begins, part.ends))
            lines.append(
                _line(drawn) | {"x": [drawn.where[at] for at in places], "y": y, "line": line}
            )
    return lines


def dips(drawn: DrawnSeries) -> list[dict[str, Any]]:
    """Build the trace of a dotted line through the runs of each dip, with gaps between the dips;
    empty without dips.
    """
    dip_events = [event for event in drawn.series.development.events if event.kind == "dip"]
    if not dip_events:
        return []
    x: list[str | int | None] = []
    y: list[float] = []
    for dip in dip_events:
        places = range(dip.first, dip.last + 1)
        # None and NaN make a gap in the line.
        x += [*(drawn.where[at] for at in places), None]
        y += [*(drawn.series.points[at].value for at in places), np.nan]
    return [
        _line(drawn)
        | {"x": x, "y": np.array(y), "line": {"width": 2, "dash": "dot", "color": drawn.colour}}
    ]


def marks(drawn: DrawnSeries, metric: Metric, theme: str) -> list[dict[str, Any]]:
    """Build the trace with a mark at the first run of each change; empty without changes.

    `customdata` is the address that compares the runs before and after the change.
    """
    changes = drawn.series.development.changes
    if not changes:
        return []
    points = [drawn.series.points[change.first] for change in changes]
    hover_texts = [
        f"{change_text(change)}</b><br>{plain(point.name)}<br>{_facts(point, metric)}<br>{_CLICK}"
        for change, point in zip(changes, points, strict=True)
    ]
    looks = {
        "marker": {
            "color": [
                getattr(palette(theme), _MARKS[outcome_text(change)][1]) for change in changes
            ],
            "symbol": [_MARKS[outcome_text(change)][0] for change in changes],
            "size": 11,
            "line": {"width": 1, "color": palette(theme).panel},
        },
        "text": [mark_text(change) for change in changes],
        "textposition": [
            "top center" if change.relative > 0 else "bottom center" for change in changes
        ],
        "textfont": {"size": 11},
        "cliponaxis": False,
    }
    return [
        _own(drawn)
        | looks
        | {
            "mode": "markers+text",
            "x": [drawn.where[change.first] for change in changes],
            "y": np.array([point.value for point in points]),
            "customdata": [compare_address(drawn.series, change) for change in changes],
            "hovertext": hover_texts,
            "hovertemplate": "<b>%{hovertext}<extra></extra>",
        }
    ]


def bands(drawn: DrawnSeries, theme: str) -> list[dict[str, Any]]:
    """Build the shapes of a series' first baseline: the range of its runs, and their median; empty
    without a baseline.
    """
    grey = palette(theme).reference
    place = {
        "xref": f"x{drawn.axis} domain",
        "yref": f"y{drawn.axis}",
        "x0": 0,
        "x1": 1,
        "layer": "below",
    }
    shapes: list[dict[str, Any]] = []
    for band in drawn.series.bands[:1]:
        span = {"type": "rect", "y0": min(band.values), "y1": max(band.values)}
        shapes.append(place | span | {"fillcolor": fade(grey, 0.22), "line": {"width": 0}})
        middle = {"type": "line", "y0": band.median, "y1": band.median}
        shapes.append(place | middle | {"line": {"color": grey, "dash": "dash", "width": 1}})
    return shapes


def legend(series: Sequence[Series], theme: str) -> list[dict[str, Any]]:
    """Build the legend: a trace without points for each sign that occurs in these series."""
    colours = palette(theme)
    own = {"type": "scatter", "x": [None], "y": [None], "hoverinfo": "skip"}
    entries: list[dict[str, Any]] = [
        {**own, "name": "run", "mode": "markers", "marker": {"color": colours.perf, "size": 5}}
    ]
    if any(curve.development.parts for curve in series):
        line: dict[str, Any] = {"color": colours.perf, "width": 2}
        entries.append({**own, "name": "median of a level", "mode": "lines", "line": line})
    kinds = {change.kind for curve in series for change in curve.development.changes}
    for kind, dash in (("dip", "dot"), ("drift", "dashdot")):
        if kind in kinds:
            line = {"color": colours.perf, "dash": dash, "width": 2}
            entries.append({**own, "name": kind, "mode": "lines", "line": line})
    outcomes = {outcome_text(change) for curve in series for change in curve.development.changes}
    for outcome in (outcome for outcome in _MARKS if outcome in outcomes):
        symbol, role = _MARKS[outcome]
        mark = {"color": getattr(colours, role), "symbol": symbol, "size": 11}
        entries.append({**own, "name": outcome, "mode": "markers", "marker": mark})
    if any(curve.bands for curve in series):
        line = {"color": colours.reference, "dash": "dash", "width": 1}
        entries.append({**own, "name": "baseline: median and range", "mode": "lines", "line": line})
    return entries


def _own(drawn: DrawnSeries) -> dict[str, Any]:
    return {
        "type": "scatter",
        "xaxis": f"x{drawn.axis}",
        "yaxis": f"y{drawn.axis}",
        "showlegend": False,
    }


def _line(drawn: DrawnSeries) -> dict[str, Any]:
    return _own(drawn) | {"mode": "lines", "hoverinfo": "skip"}


def _facts(point: Point, metric: Metric) -> str:
    return f"{value_text(point.value, metric)}<br>{date_text(point.date)} · commit {plain(commit_text(point.commit))}"
