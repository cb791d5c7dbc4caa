"""Trends of every key: computed once for the runs of a likeness, and stored in the catalogue."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from analysis.comparison.series import (
    RULES_VERSION,
    Development,
    Series,
    SeriesKey,
    Unread,
    judge_development,
    judge_event,
    short_development,
)
from analysis.statistics.events import MIN_RUNS, Event, Part
from schema.metrics import Metric
from schema.result_metrics import PREFIX
from services.status.key_batches import split_likenesses
from services.trends.named_metrics import filters_of
from services.trends.run_filters import Facets, run_facets
from storage.cached_keys import CachedKeys
from storage.catalogue import Catalogue
from storage.errors import StorageError
from storage.likenesses import count_runs
from storage.run_values import Moment, RunValues, values_by_likeness
from storage.tables import KEY_TRENDS

_LOG = logging.getLogger(__name__)
_FORMAT = "3"
"""Version of the stored records. Change it whenever their content changes."""
_MADE_BY = f"{RULES_VERSION}.{_FORMAT}"
"""Version of records and rules of judgement."""
_AT_ONCE = 200
"""Number of likenesses whose runs are in memory together, and stored in one transaction."""


class FirstSeries(NamedTuple):
    """A series, and the sort key (`Moment`) of its first run."""

    first: Moment
    series: Series


class LikenessTrend(NamedTuple):
    """Data of the runs of a likeness for the trends of a metric.

    `metrics` are the names of all metrics for which a run has a number; `runs` counts the runs.
    `every` has the filter values of all observations; `valued` maps filter values to the number of
    observations with a number for the metric, and `left_out` to the number of observations with an
    impossible number.
    """

    metrics: frozenset[str]
    runs: int
    every: AbstractSet[Facets]
    valued: Mapping[Facets, int]
    left_out: Mapping[Facets, int]
    series: Sequence[FirstSeries]


def read_trends(catalogue: Catalogue, metric: Metric) -> dict[str, LikenessTrend]:
    """Map each likeness (hash of a key) to its data for the trends of a metric; "" has the runs
    whose rows are damaged, if there are any.

    Missing data are computed from the runs and stored.
    """
    store = CachedKeys(catalogue, KEY_TRENDS, _MADE_BY)
    stored = store.of(metric.name, filters_of(metric))
    trends = {likeness: _read(record, metric) for likeness, record in stored.by_likeness.items()}
    may_write = True
    for begin in range(0, len(stored.missing), _AT_ONCE):
        missing = stored.missing[begin : begin + _AT_ONCE]
        computed = _make(catalogue, metric, missing)
        trends |= computed
        # A store that is read-only is not tried again for each part.
        may_write = may_write and _put(store, metric, stored.version, computed)
    # runs whose rows are damaged have no likeness, so their trends cannot be stored
    return trends | {
        likeness: likeness_data
        for likeness, likeness_data in _make(catalogue, metric, [""]).items()
        if likeness_data.runs
    }


def _put(
    store: CachedKeys, metric: Metric, version: str, trends: Mapping[str, LikenessTrend]
) -> bool:
    """Store the data by likeness and return True; False if the store cannot be written, which is
    logged.
    """
    try:
        store.put(
            metric.name,
            version,
            {likeness: _record(likeness_data) for likeness, likeness_data in trends.items()},
        )
    except StorageError as error:
        _LOG.warning("trends of %s were not cached: %s", metric.name, error)
        return False
    return True


def stored_metrics(catalogue: Catalogue) -> list[str]:
    """Return the names of the metrics whose trends are stored, for some or all likenesses."""
    return CachedKeys(catalogue, KEY_TRENDS, _MADE_BY).names()


def lacks_trends(catalogue: Catalogue, metric: Metric) -> bool:
    """Whether the catalogue lacks the trends of a likeness for the metric, so that runs must be
    judged.
    """
    return bool(
        CachedKeys(catalogue, KEY_TRENDS, _MADE_BY).missing(metric.name, filters_of(metric))
    )


def keep_trends(
    catalogue: Catalogue, metrics: Sequence[Metric], on_part: Callable[[], None]
) -> None:
    """Compute and store the missing data for the trends of some metrics.

    The runs of a likeness are read once for all metrics, in parts of a few thousand runs: a part is
    in memory as a whole, and is not stored if a run changed meanwhile. `on_part` is called before
    each part, and may raise to end the work.
    """
    store = CachedKeys(catalogue, KEY_TRENDS, _MADE_BY)
    missing: dict[str, list[Metric]] = defaultdict(list)
    for metric in metrics:
        for likeness in store.missing(metric.name, filters_of(metric)):
            missing[likeness].append(metric)
    counts = count_runs(catalogue, list(missing)) if missing else {}
    for part in split_likenesses(counts):
        on_part()
        # Before the runs are read: if one changes meanwhile, `put` stores nothing.
        version = store.version()
        runs = values_by_likeness(catalogue, part, _named_keys(metrics))
        for metric in metrics:
            own = [likeness for likeness in part if metric in missing[likeness]]
            store.put(
                metric.name,
                version,
                {likeness: _record(likeness_trend(runs[likeness], metric)) for likeness in own},
            )


def _make(
    catalogue: Catalogue, metric: Metric, likenesses: Sequence[str]
) -> dict[str, LikenessTrend]:
    runs = values_by_likeness(catalogue, likenesses, _named_keys([metric]))
    return {likeness: likeness_trend(some, metric) for likeness, some in runs.items()}


def _named_keys(metrics: Sequence[Metric]) -> list[str]:
    """Return the keys of the named numbers among the metrics."""
    return [metric.name for metric in metrics if metric.name.startswith(PREFIX)]


def likeness_trend(runs: Sequence[RunValues], metric: Metric) -> LikenessTrend:
    """Compute the trends data of `metric` from all runs of a likeness, which are in order: number
    of runs, their filter values, and a judged series for each key with a number.
    """
    valued = [run for run in runs if metric.name in run.values]
    return LikenessTrend(
        frozenset(name for run in runs for name in run.values),
        len({run.run_id for run in runs}),
        frozenset(map(run_facets, runs)),
        Counter(map(run_facets, valued)),
        count_left_out(runs, metric),
        [
            FirstSeries(own[0].moment, _judge(key, own, metric))
            for key, own in group_runs(valued).items()
        ],
    )


def count_left_out(runs: Iterable[RunValues], metric: Metric) -> Counter[Facets]:
    """Map filter values to the number of runs with an impossible number for the metric."""
    return Counter(run_facets(run) for run in runs if metric.name in run.impossible)


def group_runs(runs: Iterable[RunValues]) -> dict[SeriesKey, list[RunValues]]:
    """Group runs by key, keys in the order of their first runs; the runs of a key keep their order."""
    groups: dict[SeriesKey, list[RunValues]] = defaultdict(list)
    for run in runs:
        groups[SeriesKey.of(run.run)].append(run)
    return groups


def _judge(key: SeriesKey, runs: Sequence[RunValues], metric: Metric) -> Series:
    """Judge the runs of a key. The series has no points, only their number; they are read when it
    is shown.
    """
    development = judge_development([run.values[metric.name] for run in runs], metric.polarity)
    dates = {event.first: runs[event.first].date for event in development.changes}
    return Series(key, (), development, unread=Unread(len(runs), dates))


def _record(data: LikenessTrend) -> list[object]:
    """Convert the data of a likeness to JSON types, in as few lists as possible.

    With thousands of rows, Python's garbage collector examines each list.
    """
    every = [
        [
            *facets[:-1],
            sorted(facets.tag),
            data.valued.get(facets, 0),
            data.left_out.get(facets, 0),
        ]
        for facets in data.every
    ]
    return [
        " ".join(sorted(data.metrics)),
        data.runs,
        every,
        [*map(_series_record, data.series)],
    ]


def _series_record(first_series: FirstSeries) -> list[object]:
    development = first_series.series.development
    events = [getattr(event, name) for event in development.events for name in _EVENT]
    dates = [first_series.series.date_of(event) for event in development.changes]
    parts = [*chain.from_iterable(development.parts)]
    return [
        *first_series.series.key,
        *first_series.first,
        first_series.series.runs,
        parts or None,
        events or None,
        dates or None,
    ]


def _read(record: Sequence[Any], metric: Metric) -> LikenessTrend:
    metrics, runs, every, series = record
    counted: dict[Facets, int] = {}
    left_out: dict[Facets, int] = {}
    for source, hwid, M, K, N, tags, count, impossible in every:
        facets = Facets(source, hwid, M, K, N, _tags(*tags))
        counted[facets] = count
        if impossible:
            left_out[facets] = impossible
    valued = (
        counted
        if all(counted.values())
        else {facets: count for facets, count in counted.items() if count}
    )
    series_list = [_read_series(series_record, metric) for series_record in series]
    return LikenessTrend(_words(metrics), runs, counted.keys(), valued, left_out, series_list)


def _read_series(record: Sequence[Any], metric: Metric) -> FirstSeries:
    *own, date, created_at, run_id, runs, parts, events, dates = record
    judged = tuple(
        judge_event(Event(*values), metric.polarity) for values in _rows(events, len(_EVENT))
    )
    spans = tuple(Part(*values) for values in _rows(parts, len(Part._fields)))
    development = Development(spans, judged) if spans else _undeveloped(runs)
    date_by_event = {
        event.first: date for event, date in zip(development.changes, dates or (), strict=True)
    }
    series = Series(
        SeriesKey(*own), (), development, unread=Unread(runs, date_by_event or _NO_DATES)
    )
    return FirstSeries((date, created_at, run_id), series)


def _rows(values: Sequence[Any] | None, length: int) -> Iterator[Sequence[Any]]:
    return (
        (values[begin : begin + length] for begin in range(0, len(values), length))
        if values
        else iter(())
    )


@lru_cache(256)
def _words(text: str) -> frozenset[str]:
    """Split a text at spaces; cached, as many rows share the same text."""
    return frozenset(text.split())


@lru_cache(256)
def _tags(*tags: str) -> frozenset[str]:
    """Return the tags as a set; cached, as many rows share the same tags."""
    return frozenset(tags)


_undeveloped = lru_cache(MIN_RUNS)(short_development)
"""Development of a series with too few runs to be judged."""
_EVENT = ("kind", "first", "last", "relative", "before", "after", "recovered")
"""Attributes of an event that a record has."""
_NO_DATES: Mapping[int, str] = MappingProxyType({})
