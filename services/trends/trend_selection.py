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
from services.trends.cached_trends import FirstSeries, LikenessTrend, count_left_out
from services.trends.run_filters import Facets, run_facets, search_runs, select_runs
from services.trends.trend_series import judge_runs
from storage.catalogue import Catalogue
from storage.run_list import RunList
from storage.run_query import search_words
from storage.run_values import RunValues, values_by_likeness, values_of_runs


@dataclass(frozen=True)
class RunSelection:
    """The runs that have a number for a metric, match FILTERS, and contain all words of a
    search.
    """

    metric: Metric
    filters: Mapping[str, str]
    search: str

    def select(self, runs: Iterable[RunValues]) -> list[RunValues]:
        """Return the runs of the selection among `runs`, in their order."""
        return select_runs(self.matching_runs(runs), self.filters)

    def matching_runs(self, runs: Iterable[RunValues]) -> list[RunValues]:
        """Return the runs that have a value of the metric and contain all words of the search, in
        their order; the filters are not applied.
        """
        return search_runs((run for run in runs if self.metric.name in run.values), self.search)


@dataclass(frozen=True)
class SelectedSeries:
    """Series in the order of their first runs.

    `likenesses` has the likeness of each series without points, which are read when it is shown.
    `valued` counts the observations that match the search per facets, `left_out` those that have an
    impossible number.
    """

    series: tuple[Series, ...]
    likenesses: Mapping[SeriesKey, str]
    valued: Mapping[Facets, int]
    left_out: Mapping[Facets, int]


def select_series(
    catalogue: Catalogue, stored: Mapping[str, LikenessTrend], selection: RunSelection
) -> SelectedSeries:
    """Return the series of a selection, from the stored data by likeness; a series of which only
    some runs match is judged again from its runs.
    """
    shared = _shared_likenesses(stored)
    left, others = _search(catalogue, stored, shared, selection)
    matching = selection.matching_runs(others)
    valued = Counter(map(run_facets, matching))
    left_out = count_left_out(search_runs(others, selection.search), selection.metric)
    whole: list[tuple[str, FirstSeries]] = []
    runs = select_runs(matching, selection.filters)
    for likeness, likeness_data in left.items():
        valued.update(likeness_data.valued)
        left_out.update(likeness_data.left_out)
        fits = [facets.fit(selection.filters) for facets in likeness_data.valued]
        # Without some of its runs a series has other events, so that it is judged again.
        if all(fits) and likeness not in shared:
            whole += [(likeness, first_series) for first_series in likeness_data.series]
        elif any(fits):
            named = values_by_likeness(catalogue, [likeness], [selection.metric.name])
            runs += selection.select(named.get(likeness, []))
    judged = judge_runs(
        sorted(runs, key=lambda likeness_data: likeness_data.moment), selection.metric
    )
    likenesses = {likeness_data.series.key: likeness for likeness, likeness_data in whole}
    return SelectedSeries(
        _in_order([*(likeness_data for _, likeness_data in whole), *judged]),
        likenesses,
        valued,
        left_out,
    )


def _search(
    catalogue: Catalogue,
    stored: Mapping[str, LikenessTrend],
    shared: AbstractSet[str],
    selection: RunSelection,
) -> tuple[Mapping[str, LikenessTrend], list[RunValues]]:
    """Return (stored data of the likenesses whose observations all contain the words, other runs
    that may contain them); all stored data and no runs if there are no words.
    """
    words = search_words(selection.search)
    if not words:
        return stored, []
    runs = RunList(catalogue)
    matches = runs.searched_likenesses(words)
    whole = {
        match.likeness: stored[match.likeness]
        for match in matches
        if match.is_sure
        and match.likeness not in shared
        and match.likeness in stored
        # If only a part of the runs match, the cached series is another one.
        and match.runs == stored[match.likeness].runs
    }
    others = runs.searched_run_ids(
        words, [match.likeness for match in matches if match.likeness not in whole]
    )
    return whole, values_of_runs(catalogue, others, [selection.metric.name])


def _shared_likenesses(stored: Mapping[str, LikenessTrend]) -> set[str]:
    """Return the likenesses with a key that several likenesses share, for example because hwid is
    missing in two different forms.
    """
    counts = Counter(
        first_series.series.key for data in stored.values() for first_series in data.series
    )
    several = {key for key, count in counts.items() if count > 1}
    return {
        likeness
        for likeness, data in stored.items()
        if any(first_series.series.key in several for first_series in data.series)
    }


def _in_order(series: Sequence[FirstSeries]) -> tuple[Series, ...]:
    return tuple(
        first_series.series
        for first_series in sorted(series, key=lambda first_series: first_series.first)
    )
