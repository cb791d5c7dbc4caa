"""Rings around the points of a trend plot for the verdicts of a baseline rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from analysis.comparison.series import Point, Series
from components.theme import palette
from components.verdicts import verdict_words

PointVerdicts = Mapping[tuple[str, str], str]
"""(run id, date) of a point -> verdict of a rule."""
_RINGS: Mapping[str, tuple[str, str]] = {
    "regressed": ("circle-x-open", "trouble"),
    "improved": ("circle-cross-open", "good"),
    "changed": ("hexagon-open", "ink"),
    "undecided": ("circle-open", "muted"),
    "incomparable": ("square-open", "caution"),
}
"""Verdict -> symbol of its ring, and role of its colour; unchanged points have no ring."""
_SIZE = 10


def rings(
    own: Mapping[str, Any],
    points: Sequence[Point],
    where: Sequence[str | int],
    verdicts: PointVerdicts,
    theme: str,
) -> list[dict[str, Any]]:
    """Build the trace of rings around the points with a verdict other than unchanged; empty if
    there are no such points.

    `own` are the properties of the trace that depend on the panel, `where` is the x of each point.
    """
    judged = [
        (point, place, verdict_of(point, verdicts))
        for point, place in zip(points, where, strict=True)
    ]
    ringed = [(point, place, verdict) for point, place, verdict in judged if verdict in _RINGS]
    if not ringed:
        return []
    marker = {
        "color": [getattr(palette(theme), _RINGS[verdict][1]) for _, _, verdict in ringed],
        "symbol": [_RINGS[verdict][0] for _, _, verdict in ringed],
        "size": _SIZE,
        "line": {"width": 1.5},
    }
    place = {
        "x": [place for _, place, _ in ringed],
        "y": np.array([point.value for point, _, _ in ringed]),
    }
    return [{**own, "mode": "markers", "hoverinfo": "skip", **place, "marker": marker}]


def verdict_of(point: Point, verdicts: PointVerdicts) -> str:
    """Look up the verdict about a point; "" if the rule has no verdict about it."""
    return verdicts.get((point.run_id, point.date), "")


def ring_legend(
    series: Iterable[Series], verdicts: PointVerdicts, theme: str
) -> list[dict[str, Any]]:
    """Build a trace without points for the legend for each kind of ring that occurs in these
    series.
    """
    drawn = {verdict_of(point, verdicts) for curve in series for point in curve.points}
    colours = palette(theme)
    return [
        {
            "type": "scatter",
            "x": [None],
            "y": [None],
            "hoverinfo": "skip",
            "name": f"{verdict_words(verdict)} by the rule",
            "mode": "markers",
            "marker": {
                "color": getattr(colours, role),
                "symbol": symbol,
                "size": _SIZE,
                "line": {"width": 1.5},
            },
        }
        for verdict, (symbol, role) in _RINGS.items()
        if verdict in drawn
    ]
