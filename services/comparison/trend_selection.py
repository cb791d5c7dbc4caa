"""The series of the runs that filters and words leave: as they are kept, where that is all runs of their keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from analysis.comparison.series import Series, SeriesKey
from schema.metrics import Metric
from services.comparison.kept_trends import FirstSeries, LikenessTrend
from services.comparison.run_filters import Facets, facets_of, search_runs, select_runs
from services.comparison.trend_series import judge_runs
from storage.catalogue import Catalogue
from storage.run_values import RunValues, run_values, values_by_likeness


@dataclass(frozen=True)
class RunSelection:
    """The runs that have a number for a metric, the values of FILTERS, and all words of a search."""

    metric: Metric
    filters: Mapping[str, str]
    search: str

    def select(self, runs: Iterable[RunValues]) -> list[RunValues]:
        """Return the runs that are wanted."""
        return select_runs(self.found(runs), self.filters)

    def found(self, runs: Iterable[RunValues]) -> list[RunValues]:
        """Return the runs that are wanted by any values of filters."""
        return search_runs((one for one in runs if self.metric.name in one.values), self.search)


@dataclass(frozen=True)
class SelectedSeries:
    """Series in the order of their first runs; `likenesses` of the runs of each, where its points are not read.

    `valued` counts the captures that the search leaves by their values for filters.
    """

    series: tuple[Series, ...]
    likenesses: Mapping[SeriesKey, str]
    valued: Mapping[Facets, int]


def select_series(catalogue: Catalogue, kept: Mapping[str, LikenessTrend], selection: RunSelection) -> SelectedSeries:
    """Return the series that a selection leaves of what is kept by likeness."""
    if selection.search:
        return _search_series(catalogue, kept, selection)
    valued: Counter[Facets] = Counter()
    whole: list[tuple[str, FirstSeries]] = []
    parts: list[str] = []
    shared = _shared_likenesses(kept)
    for likeness, one in kept.items():
        valued.update(one.valued)
        fits = [facets.fit(selection.filters) for facets in one.valued]
        if all(fits) and likeness not in shared:
            whole += [(likeness, each) for each in one.series]
        elif any(fits):
            parts.append(likeness)
    runs = [one for likeness in parts for one in values_by_likeness(catalogue, [likeness]).get(likeness, [])]
    judged = judge_runs(sorted(selection.select(runs), key=lambda one: one.moment), selection.metric)
    likenesses = {one.series.key: likeness for likeness, one in whole}
    return SelectedSeries(_in_order([*(one for _, one in whole), *judged]), likenesses, valued)


def _search_series(catalogue: Catalogue, kept: Mapping[str, LikenessTrend], selection: RunSelection) -> SelectedSeries:
    """Read all runs, for a word may be anywhere in what is told of a capture."""
    found = selection.found(run_values(catalogue))
    shared = _shared_likenesses(kept)
    known = {
        one.series.key: one.series for likeness, each in kept.items() if likeness not in shared for one in each.series
    }
    judged = judge_runs(select_runs(found, selection.filters), selection.metric, known)
    return SelectedSeries(_in_order(judged), {}, Counter(map(facets_of, found)))


def _shared_likenesses(kept: Mapping[str, LikenessTrend]) -> set[str]:
    """Return the likenesses of whose keys one is in several, as where a hwid is missing in one way and in another."""
    counts = Counter(one.series.key for each in kept.values() for one in each.series)
    several = {key for key, count in counts.items() if count > 1}
    return {likeness for likeness, each in kept.items() if any(one.series.key in several for one in each.series)}


def _in_order(series: Sequence[FirstSeries]) -> tuple[Series, ...]:
    return tuple(one.series for one in sorted(series, key=lambda one: one.first))
