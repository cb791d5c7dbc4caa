"""What is asked of the list of runs, as plain records: filters, order and place. No database, no page."""

from __future__ import annotations

from dataclasses import dataclass, replace

COLUMNS = ("source", "hwid", "M", "K", "N", "m", "k", "n", "grid", "mac_dtype")
"""Columns of the list that runs are filtered by, value by value."""
FACETS = (*COLUMNS, "branch", "tag")
"""What runs are filtered by, value by value: a run has one value of a column, any number of tags, and the branches of
its captures."""

NEWEST_FIRST = "-date"

Range = tuple[float, float]


def search_words(text: str) -> tuple[str, ...]:
    """Return the words of a search as `RunFilter` has them; sizes may be written with × as well."""
    return tuple(text.lower().replace("×", "x").split())


@dataclass(frozen=True)
class CaptureFilter:
    """Which captures of a run: of one of these branches, a commit by its beginning, dates from and to, inclusive.

    Dates are ISO 8601 in UTC; what is empty is any.
    """

    branch: tuple[str, ...] = ()
    commit: str = ""
    since: str = ""
    until: str = ""


ANY_CAPTURE = CaptureFilter()


@dataclass(frozen=True)
class RunFilter:
    """Which runs: those that fit all of it.

    A facet holds the chosen values as text, "" for a missing one, none for all; `words` are parts of the searched
    text, in small letters, or begin a commit or branch; `size` (M*K*N) and `rate` (GMAC/s) are closed ranges. One
    capture of a run fits all of `capture`; `rows` and `cols` are those of its grid.
    """

    source: tuple[str, ...] = ()
    hwid: tuple[str, ...] = ()
    M: tuple[str, ...] = ()
    K: tuple[str, ...] = ()
    N: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    m: tuple[str, ...] = ()
    k: tuple[str, ...] = ()
    n: tuple[str, ...] = ()
    grid: tuple[str, ...] = ()
    mac_dtype: tuple[str, ...] = ()
    rows: str = ""
    cols: str = ""
    capture: CaptureFilter = ANY_CAPTURE
    words: tuple[str, ...] = ()
    size: Range | None = None
    rate: Range | None = None

    def chosen(self, facet: str) -> tuple[str, ...]:
        """Return the chosen values of a facet."""
        if facet == "branch":
            return self.capture.branch
        values: tuple[str, ...] = getattr(self, facet)
        return values

    def without(self, facet: str) -> RunFilter:
        """Return the filter with any value of a facet."""
        if facet == "branch":
            return replace(self, capture=replace(self.capture, branch=()))
        return replace(self, **{facet: ()})  # type: ignore[arg-type]


EVERY_RUN = RunFilter()


@dataclass(frozen=True)
class PagePosition:
    """A run's place in an order: its value of the column that sorts, its date and its id."""

    value: str | float | None
    date: str
    run_id: str


@dataclass(frozen=True)
class RunQuery:
    """A page of runs: at most `limit` of those that fit, in the order of a column (`-` for falling), after a place."""

    fits: RunFilter = EVERY_RUN
    sort: str = NEWEST_FIRST
    after: PagePosition | None = None
    limit: int = 100
