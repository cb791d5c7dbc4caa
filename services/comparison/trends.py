"""Numbers over time, from the catalogue: a series per key, with its events and baselines."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from analysis.comparison.series import Band, JudgedEvent, Point, Series, SeriesKey, judge_development, rank_changes
from schema.metrics import METRICS, Metric
from schema.runs import DATED_BY
from services.comparison.compare import Load
from services.comparison.members import Members
from services.comparison.run_filters import FILTERS, count_choices, search_runs, select_runs
from services.comparison.series_events import MOST_EVENTS, Attempt, EventComparisons
from storage.baselines import Baselines
from storage.byte_cache import ByteCache
from storage.catalogue import Catalogue
from storage.repository import Repository
from storage.run_list import RunList
from storage.run_values import RunValues, run_values

DEFAULT_METRIC = "gmacs_mean"
"""What is shown first, where any run has it."""
_MOST_ANSWERS = 4
_KEYED = [name for name in SeriesKey._fields if name not in Point._fields]
_EXPORTED = ["metric", *_KEYED, "number", *Point._fields, "event", "relative", "verdict", "basis"]


@dataclass(frozen=True)
class Trends:
    """The series of a metric, in the order of `order_series`.

    `runs` of the catalogue, `dated` of them with a date of capture; `metrics` that any has a number for. `choices` has
    the values of each filter that any run has, with how many runs have it that have a number and fit the other filters.
    `left` events are still to be compared.
    """

    metric: Metric | None
    series: tuple[Series, ...]
    metrics: tuple[Metric, ...]
    choices: Mapping[str, Mapping[str, int]]
    runs: int
    dated: int
    left: int = 0


class TrendsAnswers:
    """The answers asked for last, each made once as long as neither runs nor baselines change.

    `load` returns a run as it is compared, from a cache.
    """

    def __init__(self, repository: Repository, load: Load) -> None:
        self._catalogue = repository.catalogue
        self._list = RunList(repository.catalogue)
        self._answers = ByteCache[Trends](_MOST_ANSWERS, lambda _: 1)
        self._comparisons = EventComparisons(repository, load)

    def get(
        self,
        metric: str,
        filters: Mapping[str, str],
        seconds: float = 0.0,
        attempt: Attempt | None = None,
        search: str = "",
    ) -> Trends:
        """Return the series of a metric over the runs that fit; "" is the default one, and any value of a filter.

        All words of `search` fit a run, see `search_runs`.

        Events are compared as `EventComparisons.compare_events` does within the seconds.
        """
        key = (self._list.version(), metric, tuple(filters.get(name, "") for name in FILTERS), search)
        found = self._answers.get(key, lambda: _trends(self._catalogue, metric, filters, search))
        if found.metric is None:
            return found
        compared = self._comparisons.compare_events(
            found.series, found.metric, seconds, attempt=attempt, most=MOST_EVENTS
        )
        return replace(found, series=order_series(compared.series), left=compared.left)


def _trends(catalogue: Catalogue, metric: str, filters: Mapping[str, str], search: str) -> Trends:
    runs = run_values(catalogue)
    names = {name for one in runs for name in one.values}
    known = tuple(one for name, one in METRICS.items() if name in names)
    asked = next((one for one in known if one.name == (metric or DEFAULT_METRIC)), known[0] if known else None)
    valued = search_runs((one for one in runs if asked and asked.name in one.values), search)
    series = _series(select_runs(valued, filters), asked, _members(catalogue)) if asked else ()
    every = {one.run_id for one in runs}
    undated = {one.run_id for one in runs if one.run["taken_from"] not in DATED_BY}
    return Trends(asked, series, known, count_choices(runs, valued, filters), len(every), len(every) - len(undated))


def order_series(series: Sequence[Series]) -> tuple[Series, ...]:
    """Return the series with a regression in the order of these, see `rank_changes`, then those of most runs."""
    ranks: dict[int, int] = {}
    for rank, (at, event) in enumerate(rank_changes(series)):
        if event.verdict == "regressed":
            ranks.setdefault(at, rank)
    order = sorted(
        range(len(series)), key=lambda at: (ranks.get(at, math.inf), -len(series[at].points), str(series[at].key))
    )
    return tuple(series[at] for at in order)


def _members(catalogue: Catalogue) -> list[Members]:
    """Return the baselines with their runs, the one set last first."""
    baselines = sorted(Baselines(catalogue).all(), key=lambda one: one.changed_at, reverse=True)
    return [Members(catalogue, baseline) for baseline in baselines]


def _series(runs: Sequence[RunValues], metric: Metric, baselines: Sequence[Members]) -> tuple[Series, ...]:
    valued = {one.run_id for one in runs}
    return tuple(_with_bands(one, valued, baselines) for one in series_of(runs, metric))


def series_of(runs: Sequence[RunValues], metric: Metric) -> list[Series]:
    """Return a series per key of runs that have a metric, in the order of their first runs."""
    groups: dict[SeriesKey, list[Point]] = defaultdict(list)
    for one in runs:
        groups[SeriesKey.of(one.run)].append(_point(one, metric))
    return [
        Series(key, tuple(points), judge_development([point.value for point in points], metric.polarity))
        for key, points in groups.items()
    ]


def _point(one: RunValues, metric: Metric) -> Point:
    texts = {name: str(one.run[name]) for name in ("name", "commit", "branch", "file")}
    return Point(one.run_id, date=one.date, value=one.values[metric.name], **texts)


def _with_bands(one: Series, valued: Container[str], baselines: Sequence[Members]) -> Series:
    """Return a series with its baselines; their runs that are `valued`, but none of its own, are of another series."""
    values = {point.run_id: point.value for point in one.points}
    found = []
    for baseline in baselines:
        runs = [run for run in baseline.now() if run in values or run not in valued]
        own = tuple(values[run] for run in runs if run in values)
        found.append(Band(baseline.baseline.name, own, len(baseline.deleted), len(runs) - len(own)))
    return replace(one, bands=tuple(band for band in found if band.values))


def points_frame(trends: Trends, verdicts: Mapping[tuple[str, str], str] | None = None) -> pd.DataFrame:
    """Return the points of all series, a row each, with the changes beside the runs at which they are.

    With the `verdicts` of a rule by run id and date, `rule_verdict` is the one about each.
    """
    name = trends.metric.name if trends.metric else ""
    frame = pd.DataFrame([(name, *row) for one in trends.series for row in _rows(one)], columns=_EXPORTED)
    if verdicts is None:
        return frame
    points = [point for one in trends.series for point in one.points]
    told = [verdicts.get((point.run_id, point.date), "") for point in points]
    return frame.assign(rule_verdict=pd.Series(told, dtype="str"))


def _rows(one: Series) -> Iterator[tuple[object, ...]]:
    changes = {event.first: _change(event) for event in one.development.changes[::-1]}
    key = [getattr(one.key, name) for name in _KEYED]
    for rank, point in enumerate(one.points):
        yield (*key, rank + 1, *point, *changes.get(rank, ("", None, "", "")))


def _change(event: JudgedEvent) -> tuple[object, ...]:
    is_pending = event.basis == "pending"
    return event.kind, None if is_pending else event.relative, "" if is_pending else event.verdict, event.basis
