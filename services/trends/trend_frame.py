"""The points of trends as a frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from analysis.comparison.series import JudgedEvent, Point, Series, SeriesKey
from services.trends.trends import Trends

_KEYED = [name for name in SeriesKey._fields if name not in Point._fields]
_EXPORTED = ["metric", *_KEYED, "number", *Point._fields, "event", "relative", "verdict", "basis"]


def points_frame(
    trends: Trends, verdicts: Mapping[tuple[str, str], str] | None = None
) -> pd.DataFrame:
    """Convert the points of all series to a frame, a row each in order of series and point, with
    the change that begins at the point ("" if there is none).

    `number` counts the points of a series from 1. `verdicts` of a rule by run id and date become
    column `rule_verdict`, "" if missing.
    """
    name = trends.metric.name if trends.metric else ""
    frame = pd.DataFrame(
        [(name, *row) for series in trends.series for row in _rows(series)], columns=_EXPORTED
    )
    if verdicts is None:
        return frame
    points = [point for series in trends.series for point in series.points]
    verdict_texts = [verdicts.get((point.run_id, point.date), "") for point in points]
    return frame.assign(rule_verdict=pd.Series(verdict_texts, dtype="str"))


def _rows(series: Series) -> Iterator[tuple[object, ...]]:
    # Reversed: if several changes begin at a point, the first one stays in the dict.
    changes = {event.first: _change(event) for event in series.development.changes[::-1]}
    key = [getattr(series.key, name) for name in _KEYED]
    for rank, point in enumerate(series.points):
        yield (*key, rank + 1, *point, *changes.get(rank, ("", None, "", "")))


def _change(event: JudgedEvent) -> tuple[object, ...]:
    is_pending = event.basis == "pending"
    return (
        event.kind,
        None if is_pending else event.relative,
        "" if is_pending else event.verdict,
        event.basis,
    )
