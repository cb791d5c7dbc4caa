"""Horizontal positions of runs in a trend plot: by date, by run number or by commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from analysis.comparison.series import Point, Series
from components.comparison.trend_words import commit_text
from components.index_axis import index_axis
from components.numbers import plain

BY: Mapping[str, str] = {"time": "date", "order": "run number", "commit": "commit"}
"""Way to place runs -> its label."""
_MAX_LABELS = 12
"""Maximum number of commits that are named across the page."""

Places = Sequence[Sequence[str | int]]
"""Per series the x of each run: date (ISO 8601) or number."""


def places(series: Sequence[Series], by: str) -> Places:
    """Compute the x of each run, a list per series: date (ISO 8601), number from 1, or rank of its
    commit from 0, as `by` is time, order or commit.

    Commits are ranked by first appearance; runs of the same commit share a place, and a run without
    commit has its own place.
    """
    if by == "time":
        return [[point.date[:19] for point in curve.points] for curve in series]
    if by == "order":
        return [list(range(1, len(curve.points) + 1)) for curve in series]
    rank = {name: at for at, name in enumerate(_commits(series))}
    return [[rank[_commit(point)] for point in curve.points] for curve in series]


def axis(series: Sequence[Series], by: str, columns: int) -> dict[str, Any]:
    """Build the x axis of a panel if `columns` panels are next to each other; `by` is a key of BY.

    Ticks are at most about 12 / `columns`, so that their labels do not overlap.
    """
    ticks = {"nticks": _MAX_LABELS // columns + 2, "tickangle": 0}
    if by == "time":
        return (
            ticks
            | {"type": "date"}
            | _span([point.date[:19] for curve in series for point in curve.points])
        )
    if by == "order":
        most = max((len(curve.points) for curve in series), default=1)
        own = index_axis("", 1, max(most, 1))
        own["dtick"] = 1 if most < ticks["nticks"] else None
        return ticks | own
    points = [*_commits(series).values()]
    step = -(-len(points) // (_MAX_LABELS // columns))
    labels = [
        plain(commit_text(point.commit) if point.commit else point.date[:10])
        for point in points[::step]
    ]
    return {"tickvals": list(range(0, len(points), step)), "ticktext": labels, "tickangle": 0}


def _span(dates: Sequence[str]) -> dict[str, Any]:
    """Build the `range` of a date axis, with room around the dates, at least a day in all.

    Without the minimum, an axis of a few runs would be labelled in seconds. Empty if there are no
    dates, or if the first or last is not ISO 8601.
    """
    try:
        first, last = (datetime.fromisoformat(date) for date in (min(dates), max(dates)))
    except ValueError:
        return {}
    room = max((last - first) / 25, (timedelta(days=1) - (last - first)) / 2)
    return {"range": [(first - room).isoformat(), (last + room).isoformat()]}


def _commits(series: Sequence[Series]) -> dict[str | tuple[str], Point]:
    """Map each place, in the order of first runs, to the last run there.

    A place is a commit, or (run id,) for a run without commit.
    """
    points = sorted(
        (point for curve in series for point in curve.points), key=lambda point: point.date
    )
    return {_commit(point): point for point in points}


def _commit(point: Point) -> str | tuple[str]:
    return point.commit or (point.run_id,)
