"""What trends need of every key: counted and judged once for the runs of a likeness, and kept in the catalogue."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from analysis.comparison.series import (
    RULES_VERSION,
    Development,
    JudgedEvent,
    Series,
    SeriesKey,
    Unread,
    judge_development,
    judge_event,
    short_development,
)
from analysis.statistics.events import Event, Part
from schema.metrics import Metric
from schema.runs import DATED_BY
from services.comparison.run_filters import Facets, facets_of
from storage.catalogue import Catalogue
from storage.errors import StorageError
from storage.kept_keys import KeptKeys
from storage.run_values import Moment, RunValues, values_by_likeness
from storage.tables import KEY_TRENDS

_LOG = logging.getLogger(__name__)
_FORMAT = "1"
"""Another one after every change of what is kept of a likeness."""
_MADE_BY = f"{RULES_VERSION}.{_FORMAT}"
_AT_ONCE = 200
"""Likenesses whose runs are in memory at once, and kept in one transaction."""


class FirstSeries(NamedTuple):
    """A series, and what the captures of its runs are ordered by of the first one."""

    first: Moment
    series: Series


class LikenessTrend(NamedTuple):
    """What trends of a metric need of the runs of a likeness.

    `metrics` that any has a number for; how many `runs` there are, and how many of them are `undated`. `every` has the
    values of filters that they have, `valued` counts the captures with a number by them.
    """

    metrics: frozenset[str]
    runs: int
    undated: int
    every: frozenset[Facets]
    valued: Mapping[Facets, int]
    series: Sequence[FirstSeries]


def read_trends(catalogue: Catalogue, metric: Metric) -> dict[str, LikenessTrend]:
    """Return what trends of a metric need by likeness; what is not kept is made of the runs, and kept."""
    store = KeptKeys(catalogue, KEY_TRENDS, _MADE_BY)
    kept = store.of(metric.name, {})
    found = {likeness: _read(record, metric) for likeness, record in kept.by_likeness.items()}
    for begin in range(0, len(kept.missing), _AT_ONCE):
        missing = kept.missing[begin : begin + _AT_ONCE]
        made = _make(catalogue, metric, missing)
        found |= made
        try:
            store.put(metric.name, kept.version, {likeness: _record(one) for likeness, one in made.items()})
        except StorageError as error:  # who may only read the store is answered all the same
            _LOG.warning("trends of %s were not kept: %s", metric.name, error)
    # rows that are damaged elsewhere have no likeness, so that nothing is kept of them
    return found | {likeness: one for likeness, one in _make(catalogue, metric, [""]).items() if one.runs}


def _make(catalogue: Catalogue, metric: Metric, likenesses: Sequence[str]) -> dict[str, LikenessTrend]:
    runs = values_by_likeness(catalogue, likenesses)
    return {likeness: likeness_trend(some, metric) for likeness, some in runs.items()}


def likeness_trend(runs: Sequence[RunValues], metric: Metric) -> LikenessTrend:
    """Return what trends of a metric need of runs, which are in order."""
    valued = [one for one in runs if metric.name in one.values]
    undated = {one.run_id for one in runs if one.run["taken_from"] not in DATED_BY}
    return LikenessTrend(
        frozenset(name for one in runs for name in one.values),
        len({one.run_id for one in runs}),
        len(undated),
        frozenset(map(facets_of, runs)),
        Counter(map(facets_of, valued)),
        [FirstSeries(own[0].moment, _judge(key, own, metric)) for key, own in group_runs(valued).items()],
    )


def group_runs(runs: Iterable[RunValues]) -> dict[SeriesKey, list[RunValues]]:
    """Return the runs of each key, in the order of their first runs."""
    groups: dict[SeriesKey, list[RunValues]] = defaultdict(list)
    for one in runs:
        groups[SeriesKey.of(one.run)].append(one)
    return groups


def _judge(key: SeriesKey, runs: Sequence[RunValues], metric: Metric) -> Series:
    """Return the series of runs without their points."""
    development = judge_development([one.values[metric.name] for one in runs], metric.polarity)
    dates = {event.first: runs[event.first].date for event in development.changes}
    return Series(key, (), development, unread=Unread(len(runs), dates))


def _record(one: LikenessTrend) -> list[object]:
    every = [[*facets[:-1], sorted(facets.tag), one.valued.get(facets, 0)] for facets in one.every]
    return [" ".join(sorted(one.metrics)), one.runs, one.undated, every, [*map(_series_record, one.series)]]


def _series_record(one: FirstSeries) -> list[object]:
    development, unread = one.series.development, one.series.unread
    events = [[getattr(event, name) for name in _EVENT] for event in development.events]
    runs, dates = (unread.runs, [*unread.dates.items()]) if unread else (0, [])
    return [[*one.series.key], [*one.first], runs, [*map(list, development.parts)], events, dates]


def _read(record: Sequence[object], metric: Metric) -> LikenessTrend:
    metrics, runs, undated, every, series = record
    counted = {Facets(*values, frozenset(tags)): count for *values, tags, count in every}  # type: ignore[attr-defined,call-arg]
    valued = {facets: count for facets, count in counted.items() if count}
    found = [_read_series(one, metric) for one in series]  # type: ignore[attr-defined]
    return LikenessTrend(frozenset(str(metrics).split()), runs, undated, frozenset(counted), valued, found)  # type: ignore[arg-type]


def _read_series(record: Sequence[object], metric: Metric) -> FirstSeries:
    key, first, runs, parts, events, dates = record
    if parts:
        judged: list[JudgedEvent] = [judge_event(Event(*values), metric.polarity) for values in events]  # type: ignore[attr-defined]
        development = Development(tuple(Part(*values) for values in parts), tuple(judged))  # type: ignore[attr-defined]
    else:
        development = short_development(runs)  # type: ignore[arg-type]
    unread = Unread(runs, dict(dates))  # type: ignore[arg-type,call-overload]
    return FirstSeries(tuple(first), Series(SeriesKey(*key), (), development, unread=unread))  # type: ignore[arg-type,misc]


_EVENT = ("kind", "first", "last", "relative", "before", "after", "recovered")
