"""Where runs lie across a plot of a number over time: by date, by their order or by their commit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from analysis.comparison.series import Point, Series
from components.comparison.trend_words import commit_text
from components.numbers import plain

BY: Mapping[str, str] = {"time": "date", "order": "run number", "commit": "commit"}
"""What runs are placed by -> what it is called."""
_MOST_LABELS = 12
"""Commits that are named across the page."""

Places = Sequence[Sequence[str | int]]


def places(series: Sequence[Series], by: str) -> Places:
    """Return per series where its runs lie: dates, numbers from 1, or ranks of commits by first appearance.

    Runs of one commit share a place; one without a commit has a place of its own.
    """
    if by == "time":
        return [[point.date[:19] for point in one.points] for one in series]
    if by == "order":
        return [list(range(1, len(one.points) + 1)) for one in series]
    rank = {name: at for at, name in enumerate(_commits(series))}
    return [[rank[_commit(point)] for point in one.points] for one in series]


def axis(series: Sequence[Series], by: str, columns: int) -> dict[str, Any]:
    """Return what the axis of the places is like where so many plots stand side by side."""
    ticks = {"nticks": _MOST_LABELS // columns + 2, "tickangle": 0}
    if by == "time":
        return ticks | {"type": "date"} | _span([point.date[:19] for one in series for point in one.points])
    if by == "order":
        return ticks | {"tickformat": "d"}
    points = [*_commits(series).values()]
    step = -(-len(points) // (_MOST_LABELS // columns))
    labels = [plain(commit_text(point.commit) if point.commit else point.date[:10]) for point in points[::step]]
    return {"tickvals": list(range(0, len(points), step)), "ticktext": labels, "tickangle": 0}


def _span(dates: Sequence[str]) -> dict[str, Any]:
    """Return the range of dates, with room around them: a day at least, so that a few runs are not told in seconds."""
    try:
        first, last = (datetime.fromisoformat(date) for date in (min(dates), max(dates)))
    except ValueError:
        return {}
    room = max((last - first) / 25, (timedelta(days=1) - (last - first)) / 2)
    return {"range": [(first - room).isoformat(), (last + room).isoformat()]}


def _commits(series: Sequence[Series]) -> dict[str | tuple[str], Point]:
    """Return what has a place, commits and ids of runs without one, with a run there, in the order of first runs."""
    points = sorted((point for one in series for point in one.points), key=lambda point: point.date)
    return {_commit(point): point for point in points}


def _commit(point: Point) -> str | tuple[str]:
    return point.commit or (point.run_id,)
