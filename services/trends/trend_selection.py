"""The series of the runs that filters and words leave: as they are kept, where that is all runs of their keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from analysis.comparison.series import Series, SeriesKey
from schema.metrics import Metric
from services.trends.kept_trends import FirstSeries, LikenessTrend
from services.trends.run_filters import Facets, facets_of, search_runs, select_runs
from services.trends.trend_series import judge_runs
from storage.catalogue import Catalogue
from storage.run_list import RunList
from storage.run_query import search_words
from storage.run_values import RunValues, values_by_likeness, values_of_runs


@dataclass(frozen=True)
class RunSelection:
    """The runs that have a number for a metric, the values of FILTERS, and all words of a search."""

    metric: Metric
    filters: Mapping[str, str]
    search: str

    def select(self, runs: Iterable[RunValues]) -> list[RunValues]:
        """Return the runs that are wanted."""
        return select_runs(self.matching_runs(runs), self.filters)

    def matching_runs(self, runs: Iterable[RunValues]) -> list[RunValues]:
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
    shared = _shared_likenesses(kept)
    left, others = _search(catalogue, kept, shared, selection.search)
    found = selection.matching_runs(others)
    valued = Counter(map(facets_of, found))
    whole: list[tuple[str, FirstSeries]] = []
    runs = select_runs(found, selection.filters)
    for likeness, one in left.items():
        valued.update(one.valued)
        fits = [facets.fit(selection.filters) for facets in one.valued]
        if all(fits) and likeness not in shared:
            whole += [(likeness, each) for each in one.series]
        elif any(fits):
            runs += selection.select(values_by_likeness(catalogue, [likeness]).get(likeness, []))
    judged = judge_runs(sorted(runs, key=lambda one: one.moment), selection.metric)
    likenesses = {one.series.key: likeness for likeness, one in whole}
    return SelectedSeries(_in_order([*(one for _, one in whole), *judged]), likenesses, valued)


def _search(
    catalogue: Catalogue, kept: Mapping[str, LikenessTrend], shared: AbstractSet[str], search: str
) -> tuple[Mapping[str, LikenessTrend], list[RunValues]]:
    """Return what is kept of likenesses of which all captures have the words, and other runs that may have them."""
    words = search_words(search)
    if not words:
        return kept, []
    runs = RunList(catalogue)
    found = runs.searched_likenesses(words)
    whole = {
        one.likeness: kept[one.likeness]
        for one in found
        if one.is_sure and one.likeness not in shared and one.likeness in kept and one.runs == kept[one.likeness].runs
    }
    others = runs.searched_run_ids(words, [one.likeness for one in found if one.likeness not in whole])
    return whole, values_of_runs(catalogue, others)


def _shared_likenesses(kept: Mapping[str, LikenessTrend]) -> set[str]:
    """Return the likenesses of whose keys one is in several, as where a hwid is missing in one way and in another."""
    counts = Counter(one.series.key for each in kept.values() for one in each.series)
    several = {key for key, count in counts.items() if count > 1}
    return {likeness for likeness, each in kept.items() if any(one.series.key in several for one in each.series)}


def _in_order(series: Sequence[FirstSeries]) -> tuple[Series, ...]:
    return tuple(one.series for one in sorted(series, key=lambda one: one.first))
