"""Selection of series by filters and search words: stored series if they keep all their runs, else
judged again.
"""

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
    """The runs that have a number for a metric, match FILTERS, and contain all words of a search."""

    metric: Metric
    filters: Mapping[str, str]
    search: str

    def select(self, runs: Iterable[RunValues]) -> list[RunValues]:
        """Return the runs of the selection."""
        return select_runs(self.matching_runs(runs), self.filters)

    def matching_runs(self, runs: Iterable[RunValues]) -> list[RunValues]:
        """Return the runs with a number and all words, whatever their filter values."""
        return search_runs((one for one in runs if self.metric.name in one.values), self.search)


@dataclass(frozen=True)
class SelectedSeries:
    """Series in the order of their first runs.

    `likenesses` has the likeness of each series whose points are not read. `valued` counts the
    observations that match the search per facets.
    """

    series: tuple[Series, ...]
    likenesses: Mapping[SeriesKey, str]
    valued: Mapping[Facets, int]


def select_series(catalogue: Catalogue, kept: Mapping[str, LikenessTrend], selection: RunSelection) -> SelectedSeries:
    """Return the series of a selection, from the stored data by likeness."""
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
    """Return the stored data of likenesses whose observations all have the words, and further runs
    that may have them.
    """
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
    """Return the likenesses with a key that several likenesses share, for example because hwid is
    missing in two different forms.
    """
    counts = Counter(one.series.key for each in kept.values() for one in each.series)
    several = {key for key, count in counts.items() if count > 1}
    return {likeness for likeness, each in kept.items() if any(one.series.key in several for one in each.series)}


def _in_order(series: Sequence[FirstSeries]) -> tuple[Series, ...]:
    return tuple(one.series for one in sorted(series, key=lambda one: one.first))
