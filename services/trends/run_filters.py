"""Filters of the runs of a trend, and the number of runs for each of their values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from storage.listed_run import run_texts
from storage.run_query import search_words
from storage.run_values import RunValues

FILTERS = ("source", "hwid", "M", "K", "N", "tag")
"""Filters by their names in addresses."""


class Facets(NamedTuple):
    """The value of a run for each of FILTERS as text; "" if it is missing, and any number
    of tags.
    """

    source: str
    hwid: str
    M: str
    K: str
    N: str
    tag: frozenset[str]

    def fit(self, filters: Mapping[str, object]) -> bool:
        """Whether the values match `filters`; "" and `None` match any value."""
        return not self.misfits(_given_filters(filters))

    def misfits(self, wanted: Mapping[str, str]) -> list[str]:
        """Return the names of the filters in `wanted` (name -> value) that the values do not match;
        empty if all match.
        """
        return [name for name, value in wanted.items() if value not in self.values_for_filter(name)]

    def values_for_filter(self, name: str) -> Collection[str]:
        """Return the values of a run for the filter `name`: its tags, or a single value; empty if
        the run has no value.
        """
        if name == "tag":
            return self.tag
        value: str = getattr(self, name)
        return (value,) if value else ()


def run_facets(run: RunValues) -> Facets:
    """Return the values of a run for FILTERS as texts, "" if a value is missing."""
    source, hwid, *sizes = (run.run[name] for name in FILTERS if name != "tag")
    M, K, N = ("" if size is None else str(size) for size in sizes)
    return Facets(str(source or ""), str(hwid or ""), M, K, N, run.tags)


def select_runs(runs: Iterable[RunValues], filters: Mapping[str, object]) -> list[RunValues]:
    """Return the runs that match `filters` (name -> value), in their order; "" and `None` match any
    value.
    """
    return (
        [run for run in runs if run_facets(run).fit(filters)]
        if _given_filters(filters)
        else [*runs]
    )


def search_runs(runs: Iterable[RunValues], text: str) -> list[RunValues]:
    """Return the observations that contain all words of a text, in their order, as the search of
    the list of runs does; all if the text has no words.

    A word matches a part of a name, hwid, tag, file, tile, grid and similar texts, or the beginning
    of the commit; case is ignored.
    """
    words = search_words(text)
    return [run for run in runs if _has_words(run, words)] if words else [*runs]


def _has_words(run: RunValues, words: Sequence[str]) -> bool:
    texts = " ".join([*run_texts(run.run), *run.tags]).lower()
    commit = str(run.run["commit"]).lower()
    return all(word in texts or commit.startswith(word) for word in words)


def _given_filters(filters: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in filters.items() if value not in (None, "")}


def count_choices(
    every: Collection[Facets], valued: Mapping[Facets, int], filters: Mapping[str, object]
) -> dict[str, dict[str, int]]:
    """Map each filter to its values, and each value to the number of runs that have it and match
    the other filters (0 if there are none).

    `every` has the facets of all runs, and so all values; `valued` counts the runs per facets
    without any filter.
    """
    active_filters = _given_filters(filters)
    fitting: dict[str, list[tuple[Facets, int]]] = {name: [] for name in FILTERS}
    for facets, runs in valued.items():
        missed = facets.misfits(active_filters) if active_filters else ()
        # a run that only one filter excludes still counts for the values of that filter
        for name in FILTERS if not missed else missed if len(missed) == 1 else ():
            fitting[name].append((facets, runs))
    return {name: _count_values(name, every, fitting[name]) for name in FILTERS}


def _count_values(
    name: str, every: Iterable[Facets], fitting: Iterable[tuple[Facets, int]]
) -> dict[str, int]:
    """Count the runs per value of a filter, 0 for further values of `every`; whole numbers are
    sorted by size, texts alphabetically.
    """
    # Equal attribute values are counted first, as many runs share them: a set for tags, a text for
    # other filters.
    of = attrgetter(name)
    counted: Counter[str | frozenset[str]] = Counter()
    for facets, runs in fitting:
        counted[of(facets)] += runs
    counts: Counter[str] = Counter()
    for own, runs in counted.items():
        for value in own if name == "tag" else [own]:
            counts[str(value)] += runs
    distinct = {*map(of, every)}
    values = {value for tags in distinct for value in tags} if name == "tag" else distinct - {""}
    return {value: counts[value] for value in sorted(values, key=_rank)}


def _rank(value: str) -> tuple[int, str]:
    # Whole numbers of equal length sort like texts, and longer numbers are larger.
    return (len(value) if value.isdecimal() else 0, value)
