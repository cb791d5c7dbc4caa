"""Numbers over time from the catalogue: a series per key with its events and baselines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from analysis.comparison.series import Series, rank_changes
from schema.metrics import METRICS, Metric
from schema.result_metrics import find_metric
from services.comparison.compare import Load
from services.trends.cached_trends import LikenessTrend, read_trends
from services.trends.named_metrics import filters_of, listed_metrics
from services.trends.run_filters import FILTERS, count_choices
from services.trends.series_events import COMPARED, MAX_COMPARED_EVENTS, Attempt, EventComparisons
from services.trends.trend_bands import Bands
from services.trends.trend_selection import RunSelection, select_series
from services.trends.trend_series import SeriesReader
from storage.byte_cache import ByteCache
from storage.repository import Repository
from storage.run_list import RunList

DEFAULT_METRIC = "gmacs_mean"
"""Metric that is shown first if any run has it."""
_MAX_CACHED = 4
"""Maximum number of cached results."""
_MAX_METRICS = 2
"""Maximum number of metrics whose data by likeness are in memory."""


@dataclass(frozen=True)
class View:
    """The part of the series that is shown: the first `series`, and the series of the first
    `changes`; `None` for all.
    """

    series: int | None = None
    changes: int = 0


EVERYTHING = View()


@dataclass(frozen=True)
class Trends:
    """The series of a metric in the order of `order_series`, with the points of the series that are
    shown.

    `runs` counts the runs of the catalogue; `metrics` are the metrics for which any run has a
    number. `choices` has the values of each filter with the
    number of runs that have the value and a number, and match the other filters. `left` counts the
    events that are not compared yet. `left_out` counts the captures that match and are no points,
    because their number is impossible.
    """

    metric: Metric | None
    series: tuple[Series, ...]
    metrics: tuple[Metric, ...]
    choices: Mapping[str, Mapping[str, int]]
    runs: int
    left: int = 0
    left_out: int = 0


@dataclass(frozen=True)
class _CachedTrends:
    """Trends with stored series, and the readers of points and baselines for the series that are
    shown.
    """

    trends: Trends
    reader: SeriesReader
    bands: Bands


class TrendsCache:
    """Results requested last, cached as long as neither runs nor baselines change.

    `load` returns a run for comparisons, from a cache.
    """

    def __init__(self, repository: Repository, load: Load) -> None:
        self._catalogue = repository.catalogue
        self._list = RunList(repository.catalogue)
        self._cached = ByteCache[_CachedTrends](_MAX_CACHED, lambda _: 1)
        self._likeness_data = ByteCache[Mapping[str, LikenessTrend]](_MAX_METRICS, lambda _: 1)
        self._comparisons = EventComparisons(repository, load)

    def get(
        self,
        metric: str,
        filters: Mapping[str, str],
        seconds: float = 0.0,
        attempt: Attempt | None = None,
        *,
        search: str = "",
        view: View = EVERYTHING,
        most: int | None = MAX_COMPARED_EVENTS,
    ) -> Trends:
        """Return the series of a metric over the runs that match; "" is the default metric, or any
        value of a filter.

        If no run has the metric, the first metric that a run has is used, `None` if there is none.
        A run must contain all words of `search`, see `search_runs`. Points are read for the series
        in `view`. The first `most` events are compared for `seconds`, see
        `EventComparisons.compare_events`.
        """
        version = self._list.version()
        key = (version, metric, tuple(filters.get(name, "") for name in FILTERS), search)
        cached = self._cached.get(key, lambda: self._compute(version, metric, filters, search))
        stored_trends = cached.trends
        reader = cached.reader
        if stored_trends.metric is None:
            return stored_trends
        event_positions = [
            at for at, event in rank_changes(stored_trends.series) if event.kind in COMPARED
        ][:most]
        # the runs on both sides of an event are found through the points
        series = reader.with_points(stored_trends.series, {*event_positions})
        compared_series = self._comparisons.compare_events(
            series, stored_trends.metric, seconds, attempt=attempt, most=most
        )
        shown = _read_view(order_series(compared_series.series), view, reader)
        drawn = range(len(shown) if view.series is None else min(view.series, len(shown)))
        left = compared_series.left
        return replace(stored_trends, series=tuple(cached.bands.add_bands(shown, drawn)), left=left)

    def _compute(
        self, version: str, name: str, filters: Mapping[str, str], search: str
    ) -> _CachedTrends:
        metric = find_metric(name) or METRICS[DEFAULT_METRIC]
        likeness_data = self._read(version, metric)
        # The data of a named number are only about the runs that may have it.
        all_data = (
            self._read(version, METRICS[DEFAULT_METRIC]) if filters_of(metric) else likeness_data
        )
        every_likeness = [*likeness_data.values(), *all_data.values()]
        names = {own for likeness in every_likeness for own in likeness.metrics}
        # A requested metric stays if all its numbers are impossible, so that the page says so.
        if name and any(likeness.left_out for likeness in likeness_data.values()):
            names.add(metric.name)
        metrics = listed_metrics(metric, frozenset(names), self._catalogue)
        if metrics and metric not in metrics:
            metric = metrics[0]
            likeness_data = self._read(version, metric)
        selection = RunSelection(metric, filters, search)
        selected = select_series(self._catalogue, likeness_data, selection)
        every = {facets for likeness in likeness_data.values() for facets in likeness.every}
        runs = sum(likeness.runs for likeness in all_data.values())
        choices = count_choices(every, selected.valued, filters)
        left_out = sum(count for facets, count in selected.left_out.items() if facets.fit(filters))
        trends = Trends(
            metric if metrics else None,
            selected.series,
            metrics,
            choices,
            runs,
            left_out=left_out,
        )
        reader = SeriesReader(self._catalogue, metric, selected.likenesses)
        return _CachedTrends(trends, reader, Bands(self._catalogue, metric, selection.select))

    def _read(self, version: str, metric: Metric) -> Mapping[str, LikenessTrend]:
        return self._likeness_data.get(
            (version, metric.name), lambda: read_trends(self._catalogue, metric)
        )


def _read_view(series: Sequence[Series], view: View, reader: SeriesReader) -> Sequence[Series]:
    """Return the series in their order, with the points of the series in view.

    If runs of a series were deleted meanwhile, it is dropped, and the next series takes its place.
    """
    while True:
        first = range(len(series) if view.series is None else min(view.series, len(series)))
        shown = reader.with_points(
            series, {*first, *(at for at, _ in rank_changes(series)[: view.changes])}
        )
        if len(shown) == len(series):
            return shown
        series = shown


def order_series(series: Sequence[Series]) -> tuple[Series, ...]:
    """Sort the series: first series with a regression in the order of `rank_changes`, then by the
    number of runs, descending.
    """
    ranks: dict[int, int] = {}
    for rank, (at, event) in enumerate(rank_changes(series)):
        if event.verdict == "regressed":
            ranks.setdefault(at, rank)
    order = sorted(
        range(len(series)),
        key=lambda at: (ranks.get(at, math.inf), -series[at].runs, str(series[at].key)),
    )
    return tuple(series[at] for at in order)
