"""Cached queries of the list of runs, for page, command and API."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from storage.byte_cache import ByteCache
from storage.catalogue import Catalogue
from storage.latest_values import LatestValues
from storage.parsed_runs import MAX_RUNS
from storage.run_counts import Counts, FacetCounts
from storage.run_list import Page, RunList
from storage.run_query import EVERY_RUN, FACETS, RunFilter, RunPoint, RunQuery
from storage.stored_run import StoredRun

MAX_FACET_VALUES = 40
"""Maximum number of values of a facet that are listed; a search finds further values."""
MAX_POINTS = 2_000
"""Maximum number of runs in the plot over their size; of more runs a sample is drawn, the same each
time."""
MAX_GROUPS = 2_000
"""Maximum number of groups that are listed."""
MAX_SELECTED_RUNS = 1_000
"""Maximum number of runs that can be selected together."""
_MAX_HWIDS = 1_000
"""Maximum number of hwids that are listed."""
_MAX_CACHED_RESULTS = 64
"""Maximum number of query results that are cached."""
_MAX_DRAWN = 8
"""Maximum number of drawings that are cached."""

Result = TypeVar("Result")
"""Type of a query result."""
Values = list[tuple[str, int]]
"""(value, number of runs) of a facet."""


@dataclass(frozen=True)
class Facet:
    """Values of a facet with their numbers of runs under the other filters, in display order.

    `known` is the number of all values.
    """

    values: Values
    known: int

    @property
    def partial(self) -> bool:
        """Whether the facet has more than MAX_FACET_VALUES (40) values, so that some are not
        listed.
        """
        return self.known > MAX_FACET_VALUES


class RunsList:
    """Cache of the query results used last."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._list = RunList(catalogue)
        self._results = ByteCache[object](_MAX_CACHED_RESULTS, lambda _: 1)
        self._of_runs: LatestValues[object] = LatestValues(MAX_RUNS)
        self._drawn = ByteCache[object](_MAX_DRAWN, lambda _: 1)

    def now(self) -> RunQueries:
        """Return the queries for the current version of the catalogue."""
        caches = self._results, self._of_runs, self._drawn
        return RunQueries(self._list, self._list.version(), *caches)


class RunQueries:
    """Queries on a version of the catalogue; their results are cached.

    `version` is a text that changes whenever a run does, "" without a catalogue.
    """

    def __init__(
        self,
        runs: RunList,
        version: str,
        results: ByteCache[object],
        of_runs: LatestValues[object],
        drawn: ByteCache[object],
    ) -> None:
        self._list = runs
        self.version = version
        self._results = results
        self._of_runs = of_runs
        self._drawn = drawn

    def once(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """Return the cached result for a key and this version of the catalogue; if it is missing,
        compute it with `make`.
        """
        return self._results.get((self.version, key), make)  # type: ignore[return-value]

    def of_run(self, stored: StoredRun, make: Callable[[StoredRun], Result]) -> Result:
        """Return the result of `make` for a run of a page, cached while its row is the same: an
        ingest changes the version of the catalogue, but hardly any row. Nobody may change it.
        """
        return self._of_runs.get((make, stored.run_id), stored, lambda: make(stored))  # type: ignore[return-value]

    def find_drawing(self, key: Hashable, draw: Callable[[], Result]) -> Result:
        """Return the cached result of `draw` for a key that names all that is drawn, whatever the
        version of the catalogue.
        """
        return self._drawn.get(key, draw)  # type: ignore[return-value]

    def page(self, query: RunQuery) -> Page:
        """Return the runs of a page of the list, see `RunList.page`."""
        return self.once(query, lambda: self._list.page(query))

    def counts(self, fits: RunFilter) -> Counts:
        """Count the runs that match the filter, in total and by facet."""
        return self.once(("counts", fits), lambda: self._list.counts(fits, MAX_FACET_VALUES))

    def facets(self, fits: RunFilter, found: Mapping[str, str] | None = None) -> dict[str, Facet]:
        """Map each facet to its values with their numbers of runs that match the filter.

        `found` maps a facet to a text; only values that contain it are listed, and selected values.
        """
        every = self.counts(EVERY_RUN).facets
        counts = self.counts(fits).facets
        if any((found or {}).values()):
            counts = self._list.counts(fits, MAX_FACET_VALUES, found).facets
        return {facet: _facet(every[facet], counts[facet], fits.chosen(facet)) for facet in FACETS}

    def groups(self, fits: RunFilter) -> tuple[list[dict[str, Any]], int]:
        """Return (the first MAX_GROUPS (2,000) groups of runs with equal hwid, size, grid and data
        type, a dict each, see `RunList.groups`; number of all groups).
        """
        return self.once(("groups", fits), lambda: self._list.groups(fits, MAX_GROUPS))

    def points(self, fits: RunFilter) -> tuple[RunPoint, ...]:
        """Return at most MAX_POINTS (2,000) matching runs that have the size of a GEMM and a rate,
        for the plot over their size; of more runs a sample that is the same each time.
        """
        return self.once(("points", fits), lambda: self._list.points(fits, MAX_POINTS))

    def count_alike(self, fits: RunFilter, likenesses: Sequence[str]) -> int:
        """Count the runs that match the filter and have one of these likenesses."""
        return self._list.count_alike(fits, likenesses)

    def hwids(self) -> list[str]:
        """Return at most _MAX_HWIDS (1,000) hwids of the catalogue in the order of their first
        appearance.
        """
        return self.once("hwids", lambda: self._list.hwids(_MAX_HWIDS))

    def names(self, query: RunQuery) -> dict[str, str]:
        """Map run id to name for the first MAX_SELECTED_RUNS (1,000) runs that match, in the order
        of the query.
        """
        return self._list.names(query.fits, query.sort, MAX_SELECTED_RUNS)


def _facet(every: FacetCounts, counted: FacetCounts, chosen: tuple[str, ...]) -> Facet:
    """Build a facet: all values of the catalogue if there are at most MAX_FACET_VALUES (40), else
    the most frequent that match; the selected values always.
    """
    # of a facet with more values, `runs` has only the most frequent values
    few = every.runs if every.values <= MAX_FACET_VALUES else {}
    values = {*few, *counted.runs, *chosen}
    return Facet(
        [(value, counted.runs.get(value, 0)) for value in sorted(values, key=_rank)], every.values
    )


def _rank(value: str) -> tuple[bool, int, str]:
    """Sort key of facet values: whole numbers by size, then text, then the missing value ""."""
    # 64-bit numbers have at most 19 digits, and int() refuses texts of more than 4,300 digits
    return (not value, int(value) if value.isdecimal() and len(value) < 20 else 2**63, value)
