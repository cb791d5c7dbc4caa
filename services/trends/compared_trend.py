"""A number over time for the command line: a series per key, with events judged by comparisons."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from analysis.comparison.series import JudgedEvent, Point, Series, judge_development
from schema.metrics import METRICS, Metric
from services.comparison.compare import Load
from services.comparison.compared_runs import compared_run
from services.status.status import StatusCache
from services.trends.named_metrics import metrics_named
from services.trends.series_events import COMPARED
from services.trends.trends import TrendsCache
from storage.repository import Repository
from storage.rule_verdicts import RunMoment

_MAX_CACHED = 10
"""Number of runs that are cached while events are compared."""


class TrendError(ValueError):
    """A trend cannot be computed as requested; the message is a sentence for the user."""


@dataclass(frozen=True)
class Trend:
    """The series of a metric in the order of the trends page, with the `verdicts` of a rule about
    their runs.

    `left` counts the events that are not compared yet, `left_out` the captures that are no points
    because their number is impossible.
    """

    metric: Metric
    series: tuple[Series, ...]
    verdicts: Mapping[RunMoment, str] | None = None
    left: int = 0
    left_out: int = 0

    def verdict_of(self, point: Point) -> str | None:
        """Return the verdict of the rule about the run of a point, such as `regressed`; `None`
        without a rule, or if the rule does not cover the run.
        """
        return (
            self.verdicts.get(RunMoment(point.run_id, point.date))
            if self.verdicts is not None
            else None
        )

    def record(self) -> dict[str, object]:
        """Convert the trend to JSON types: `metric`, `left_out` and `series` (key, points, events,
        change_points and note of each).

        If there is at most one series, its points, changes and note are at the top level too.
        """
        records = [_record(self, series) for series in self.series]
        own = {"metric": self.metric.name, "left_out": self.left_out}
        if len(records) > 1:
            return {**own, "series": records}
        empty_record = {"points": [], **judge_development((), 0).record()}
        top = {
            name: (records or [empty_record])[0][name]
            for name in ("points", "change_points", "note")
        }
        return {**own, **top, "series": records}


def trend(
    repository: Repository,
    metric: str,
    filters: Mapping[str, object],
    rule: str | None = None,
    *,
    search: str = "",
    answers: TrendsCache | None = None,
    seconds: float = math.inf,
) -> Trend:
    """Compute a headline metric or a named number over the runs that match `filters` and contain all words of
    `search`.

    The numbers are those of the catalogue. Frames are read for the runs on both sides of an event,
    until comparisons have taken `seconds`. `answers` has cached results. If no run has the metric,
    there are no series. Raises TrendError if the metric is unknown.
    """
    chosen = _find(repository, metric)
    texts = {name: str(value) for name, value in filters.items() if value is not None}
    trends_cache = answers or TrendsCache(repository, _recent(repository))
    # All events: a command may take its time, while a page compares only the first 200.
    trends = trends_cache.get(chosen.name, texts, seconds, search=search, most=None)
    # if no run has the metric, the page shows another metric
    is_other = trends.metric != chosen
    series = () if is_other else trends.series
    verdicts: Mapping[RunMoment, str] | None = None
    if rule is not None:
        keys = [one.key for one in series]
        verdicts, _ = StatusCache(repository).verdicts_by_key(rule, keys)
    counts = (0, 0) if is_other else (trends.left, trends.left_out)
    return Trend(chosen, series, verdicts, *counts)


def _find(repository: Repository, name: str) -> Metric:
    """Find a metric by its name, a named number by its key or its name in the files.

    Raises TrendError if there is none, or several named numbers differ in unit or direction.
    """
    found = metrics_named(repository.catalogue, name)
    if not found:
        raise TrendError(
            f"unknown metric {name}: expected one of {', '.join(METRICS)}, or a named number of the newest results"
        )
    if len(found) > 1:
        keys = ", ".join(metric.name for metric in found)
        raise TrendError(f"several named numbers are called {name}: choose one of {keys}")
    return found[0]


def _recent(repository: Repository) -> Load:
    """Return a function that loads a run for comparisons and caches the last _MAX_CACHED (10) runs:
    neighbouring events share runs.
    """
    load = lru_cache(_MAX_CACHED)(lambda run_id: compared_run(repository, run_id, {}))
    return lambda run_id, _: load(run_id)


def _record(trend: Trend, series: Series) -> dict[str, object]:
    """Convert a series to JSON types, the runs of its events as ids: key, points, change_points,
    events, and the record of its development.
    """
    points = [_point_record(trend, at, point) for at, point in enumerate(series.points)]
    development = series.development
    changes = [
        step.change_point | {"run_id": series.points[step.first].run_id}
        for step in development.steps
    ]
    events = [vars(event) | _sides(series, event) for event in development.events]
    own = {"change_points": changes, "events": events}
    return {"key": series.key._asdict(), "points": points, **development.record(), **own}


def _point_record(trend: Trend, at: int, point: Point) -> dict[str, object]:
    seen = {
        "taken_at": point.date,
        "commit": point.commit,
        "branch": point.branch,
        "file": point.file,
    }
    verdict = {} if trend.verdicts is None else {"verdict": trend.verdict_of(point)}
    return {"index": at, "run_id": point.run_id, "value": point.value, **seen, **verdict}


def _sides(series: Series, event: JudgedEvent) -> dict[str, list[str]]:
    return (
        dict(zip(("base", "new"), series.sides(event), strict=True))
        if event.kind in COMPARED
        else {}
    )
