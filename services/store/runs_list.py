"""The list of runs as every door asks for it, each answer made once as long as no run changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from storage.byte_cache import ByteCache
from storage.catalogue import Catalogue
from storage.run_counts import Counts, FacetCounts
from storage.run_list import Page, RunList
from storage.run_query import EVERY_RUN, FACETS, RunFilter, RunQuery

MOST_VALUES = 40
"""Values of a facet that are listed at once; where there are more, a search finds the others."""
MOST_POINTS = 2_000
"""Runs that are drawn over their size; of more a part is drawn by chance, the same each time."""
MOST_GROUPS = 2_000
MOST_NAMED = 1_000
"""Runs that can be selected at once."""
_MOST_HWIDS = 1_000
_MOST_ANSWERS = 64

Answer = TypeVar("Answer")
Values = list[tuple[str, int]]


@dataclass(frozen=True)
class Facet:
    """Values of a facet with their runs under the other filters, in the order of display, and how many there are."""

    values: Values
    known: int

    @property
    def partial(self) -> bool:
        """Return whether there are values that are not listed."""
        return self.known > MOST_VALUES


class RunsList:
    """The answers asked for last, of the catalogue as it is."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._list = RunList(catalogue)
        self._answers = ByteCache[object](_MOST_ANSWERS, lambda _: 1)

    def now(self) -> RunsAnswers:
        """Return the answers for the catalogue as it is at this moment."""
        return RunsAnswers(self._list, self._list.version(), self._answers)


class RunsAnswers:
    """Answers about one version of the catalogue."""

    def __init__(self, runs: RunList, version: str, answers: ByteCache[object]) -> None:
        self._list = runs
        self._version = version
        self._answers = answers

    def once(self, key: Hashable, make: Callable[[], Answer]) -> Answer:
        """Return what belongs to a key as long as no run changes, made once."""
        return self._answers.get((self._version, key), make)  # type: ignore[return-value]

    def page(self, query: RunQuery) -> Page:
        """Return the runs of a page."""
        return self.once(query, lambda: self._list.page(query))

    def counts(self, fits: RunFilter) -> Counts:
        """Return counts over the runs that fit, and by facet."""
        return self.once(("counts", fits), lambda: self._list.counts(fits, MOST_VALUES))

    def facets(self, fits: RunFilter, found: Mapping[str, str] | None = None) -> dict[str, Facet]:
        """Return the facets; `found` maps facets to a text that their values contain."""
        every, counts = self.counts(EVERY_RUN).facets, self.counts(fits).facets
        if any((found or {}).values()):
            counts = self._list.counts(fits, MOST_VALUES, found).facets
        return {facet: _facet(every[facet], counts[facet], fits.chosen(facet)) for facet in FACETS}

    def groups(self, fits: RunFilter) -> tuple[list[dict[str, Any]], int]:
        """Return the first groups of runs of one hwid, size, grid and data type, and how many there are."""
        return self.once(("groups", fits), lambda: self._list.groups(fits, MOST_GROUPS))

    def points(self, fits: RunFilter) -> list[dict[str, Any]]:
        """Return the runs that are drawn over their size."""
        return self._list.points(fits, MOST_POINTS)

    def hwids(self) -> list[str]:
        """Return the hwids in the order of their first appearance."""
        return self.once("hwids", lambda: self._list.hwids(_MOST_HWIDS))

    def names(self, query: RunQuery) -> dict[str, str]:
        """Return run id -> name of the first runs that fit."""
        return self._list.names(query.fits, query.sort, MOST_NAMED)


def _facet(every: FacetCounts, counted: FacetCounts, chosen: tuple[str, ...]) -> Facet:
    """Return a facet: every value of the catalogue where these are few, else the most frequent; and the chosen ones."""
    few = every.runs if every.values <= MOST_VALUES else {}
    values = {*few, *counted.runs, *chosen}
    return Facet([(value, counted.runs.get(value, 0)) for value in sorted(values, key=_rank)], every.values)


def _rank(value: str) -> tuple[bool, int, str]:
    """Sort numbers by size, then text, then the missing value."""
    return (not value, int(value) if value.isdecimal() and len(value) < 20 else 2**63, value)
