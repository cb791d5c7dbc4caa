"""What is asked of the list of runs, as plain records: filters, order and place. No database, no page."""

from __future__ import annotations

from dataclasses import dataclass, replace

COLUMNS = ("source", "hwid", "M", "K", "N")
"""Columns of frame `run` that runs are filtered by, value by value."""
FACETS = (*COLUMNS, "tag")
"""What runs are filtered by, value by value: a run has one value of a column and any number of tags."""

NEWEST_FIRST = "-date"

Range = tuple[float, float]


@dataclass(frozen=True)
class RunFilter:
    """Which runs: those that fit all of it.

    A facet holds the chosen values as text, "" for a missing one, none for all; `words` are parts of the searched
    text, in small letters; `size` (M*K*N) and `rate` (GMAC/s) are closed ranges.
    """

    source: tuple[str, ...] = ()
    hwid: tuple[str, ...] = ()
    M: tuple[str, ...] = ()
    K: tuple[str, ...] = ()
    N: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    size: Range | None = None
    rate: Range | None = None

    def chosen(self, facet: str) -> tuple[str, ...]:
        """Return the chosen values of a facet."""
        values: tuple[str, ...] = getattr(self, facet)
        return values

    def without(self, facet: str) -> RunFilter:
        """Return the filter with any value of a facet."""
        return replace(self, **{facet: ()})  # type: ignore[arg-type]


EVERY_RUN = RunFilter()


@dataclass(frozen=True)
class Place:
    """A run's place in an order: its value of the column that sorts, its date and its id."""

    value: str | float | None
    date: str
    run_id: str


@dataclass(frozen=True)
class RunQuery:
    """A page of runs: at most `limit` of those that fit, in the order of a column (`-` for falling), after a place."""

    fits: RunFilter = EVERY_RUN
    sort: str = NEWEST_FIRST
    after: Place | None = None
    limit: int = 100
