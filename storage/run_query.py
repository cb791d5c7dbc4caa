"""Records for queries about the list of runs: filter, order and position, independent of database
and page.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

COLUMNS = ("source", "hwid", "M", "K", "N", "m", "k", "n", "grid", "mac_dtype")
"""Columns of the list of runs with a facet: users choose among their values."""
FACETS = (*COLUMNS, "branch", "tag")
"""Facets: a run has one value in each column, any number of tags, and the branches of all of its
captures.
"""

NEWEST_FIRST = "-date"

Range = tuple[float, float]


def search_words(text: str) -> tuple[str, ...]:
    """Split the text of a search at spaces into lower-case words for `RunFilter`; `×` becomes `x`,
    so that sizes are found. Empty for an empty text.
    """
    return tuple(text.lower().replace("×", "x").split())


@dataclass(frozen=True)
class CaptureFilter:
    """Conditions on a capture of a run: list of branches, beginning of the commit, first and last
    date.

    Dates are ISO 8601 in UTC; an empty field is no condition.
    """

    branch: tuple[str, ...] = ()
    commit: str = ""
    since: str = ""
    until: str = ""


ANY_CAPTURE = CaptureFilter()


@dataclass(frozen=True)
class RunFilter:
    """Conditions on runs, all of which must hold.

    A facet has the chosen values as text, "" for a missing value; an empty tuple is no condition.
    `words`, in lower case, occur in the searched text or begin a commit or branch. `size` (M*K*N)
    and `rate` (GMAC/s) are closed ranges. `capture` must match a single capture of the run. `rows`
    and `cols` are those of its grid.
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
        """Return the chosen values of a facet as text, "" for a missing value; empty if the filter
        has no condition on the facet.
        """
        if facet == "branch":
            return self.capture.branch
        values: tuple[str, ...] = getattr(self, facet)
        return values

    def without(self, facet: str) -> RunFilter:
        """Return a copy of the filter without its condition on a facet."""
        if facet == "branch":
            return replace(self, capture=replace(self.capture, branch=()))
        return replace(self, **{facet: ()})  # type: ignore[arg-type]


EVERY_RUN = RunFilter()


@dataclass(frozen=True)
class PagePosition:
    """Position of a run in an order: its value of the sort column, its date and its id."""

    value: str | float | None
    date: str
    run_id: str


class RunPoint(NamedTuple):
    """A run that is drawn over the size of its GEMM, the product of M, K and N; rates in GMAC/s."""

    run_id: str
    name: str
    source: str
    hwid: str
    M: int
    K: int
    N: int
    size: int
    gmacs_mean: float
    gmacs_best: float | None
    utilization: float | None


@dataclass(frozen=True)
class RunQuery:
    """A page of runs: at most `limit` matching runs after a position; `sort` is a column, with `-`
    if descending.
    """

    fits: RunFilter = EVERY_RUN
    sort: str = NEWEST_FIRST
    after: PagePosition | None = None
    limit: int = 100
