"""The view state of the list of runs; the declarations of its fields define its address."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from types import MappingProxyType

from app.views.address.codec import Addressed, parse_query, read_state
from app.views.address.fields import param
from app.views.address.kind import Address, Kind, Pair, TextKind
from app.views.address.kinds import Flag, Pattern, Words
from components.runs.runs_grid import COLUMN_NAMES
from schema.digits import real
from services.store.search import bound_date
from storage.run_query import (
    COLUMNS,
    FACETS,
    NEWEST_FIRST,
    CaptureFilter,
    Range,
    RunFilter,
    RunQuery,
    search_words,
)

DEFAULT_SORT = NEWEST_FIRST
CAPTURE = ("commit", "since", "until")
"""Conditions on a run's capture besides its branch: prefix of the commit, first and last day
(inclusive).
"""
_NONE: Mapping[str, str] = MappingProxyType({})
_SORT = re.compile(r"-?[A-Za-z_]{1,40}")
_COMMIT = re.compile(r"[!-~]{1,64}")
_MAX_LENGTH = 200
_MAX_MAGNITUDE = 1e300


class _Facet(Kind[tuple[str, ...]]):
    """The chosen values of a facet, one pair each, sorted without duplicates.

    An empty text is a value too.
    """

    def find(self, name: str, address: Address) -> tuple[str, ...]:
        return tuple(sorted({text[:_MAX_LENGTH] for text in address.texts(name)}))

    def pairs(self, name: str, value: tuple[str, ...]) -> Iterable[Pair]:
        return [(name, text) for text in value]


class _Day(TextKind[str]):
    """A day: `2026-11-23`."""

    def read(self, text: str) -> str | None:
        try:
            # fromisoformat accepts other forms too, such as 20261123.
            return text if date.fromisoformat(text).isoformat() == text else None
        except ValueError:
            return None


class _Columns(TextKind[tuple[str, ...]]):
    """Columns of the grid in its order, separated by commas."""

    def read(self, text: str) -> tuple[str, ...]:
        names = text.split(",")
        return tuple(name for name in COLUMN_NAMES if name in names)

    def write(self, value: tuple[str, ...]) -> str:
        return ",".join(value)


class _Range(TextKind[Range]):
    """A closed range of six significant digits: `100,2e+06`."""

    def read(self, text: str) -> Range | None:
        ends = [real(part) for part in text.split(",")]
        return _canonical((ends[0], ends[1])) if len(ends) == 2 else None

    def write(self, value: Range) -> str:
        # Whole numbers are written without an exponent as long as a float represents them exactly.
        return ",".join(
            str(int(end)) if end.is_integer() and abs(end) < 1e15 else f"{end:g}" for end in value
        )


def _canonical(span: Range | None) -> Range | None:
    """Widen a range to six significant digits, as in its text; None if it is None, infinite, NaN or
    reversed.
    """
    if span is None or not all(abs(end) < _MAX_MAGNITUDE for end in span) or span[0] > span[1]:
        return None
    # Rounded outwards, so that the range still contains all points that were selected.
    return _round(span[0], ROUND_FLOOR), _round(span[1], ROUND_CEILING)


def _round(value: float, rounding: str) -> float:
    return float(Context(prec=6, rounding=rounding).create_decimal(repr(float(value))))


@dataclass(frozen=True)
class RunsState(Addressed):
    """The view state of the list of runs.

    A facet has the chosen values as text, sorted without duplicates; "" is a missing value, and an
    empty facet means all values. `commit` is a prefix of a capture's commit, `since` and `until`
    are days. `sort` is a column of the grid, with `-` for descending order. `size` (M*K*N) and
    `rate` (GMAC/s) are closed ranges. `columns` are the columns of the grid in addition to the
    name, in its order; empty for the default. `grouped` lists groups of runs with one hwid, size,
    grid and data type.
    """

    keeps_blank = True

    source: tuple[str, ...] = param(_Facet(), ())
    hwid: tuple[str, ...] = param(_Facet(), ())
    M: tuple[str, ...] = param(_Facet(), ())
    K: tuple[str, ...] = param(_Facet(), ())
    N: tuple[str, ...] = param(_Facet(), ())
    m: tuple[str, ...] = param(_Facet(), ())
    k: tuple[str, ...] = param(_Facet(), ())
    n: tuple[str, ...] = param(_Facet(), ())
    grid: tuple[str, ...] = param(_Facet(), ())
    mac_dtype: tuple[str, ...] = param(_Facet(), ())
    branch: tuple[str, ...] = param(_Facet(), ())
    tag: tuple[str, ...] = param(_Facet(), ())
    commit: str = param(Pattern(_COMMIT), "")
    since: str = param(_Day(), "")
    until: str = param(_Day(), "")
    q: str = param(Words(_MAX_LENGTH), "")
    sort: str = param(Pattern(_SORT), DEFAULT_SORT)
    size: Range | None = param(_Range())
    rate: Range | None = param(_Range())
    columns: tuple[str, ...] = param(_Columns(), ())
    grouped: bool = param(Flag(), default=False)

    def chosen_values(self, facet: str) -> tuple[str, ...]:
        """Return the chosen values of a facet, sorted; empty for all values."""
        values: tuple[str, ...] = getattr(self, facet)
        return values

    @property
    def fits(self) -> RunFilter:
        """The filter of the listed runs that the state describes."""
        facets = {facet: self.chosen_values(facet) for facet in COLUMNS}
        dates = bound_date("since", self.since), bound_date("until", self.until)
        capture = CaptureFilter(self.branch, self.commit, *dates)
        own = {"tag": self.tag, "capture": capture, "words": search_words(self.q)}
        return RunFilter(**facets, **own, size=self.size, rate=self.rate)  # type: ignore[arg-type]

    @property
    def first_page(self) -> RunQuery:
        """The query for the first page of the list, with the filter and order of the state."""
        return RunQuery(self.fits, self.sort)


def parse(query: str) -> RunsState:
    """Parse a query string, with or without `?`; unknown and malformed fields are ignored."""
    return parse_query(RunsState, query)


def make(
    facets: Mapping[str, Sequence[str]],
    q: str = "",
    sort: str = DEFAULT_SORT,
    size: Range | None = None,
    rate: Range | None = None,
    *,
    capture: Mapping[str, str] = _NONE,
    columns: Sequence[str] = (),
    grouped: bool = False,
) -> RunsState:
    """Build the state from the values of the page's controls; invalid values become the default.

    `capture` has the fields of CAPTURE.
    """
    pairs = [(facet, value) for facet in FACETS for value in facets.get(facet, ())]
    pairs += [(name, str(capture.get(name) or "").strip()) for name in CAPTURE]
    pairs += [
        ("q", q),
        ("sort", sort),
        ("columns", ",".join(columns)),
        ("grouped", "1" if grouped else ""),
    ]
    return replace(read_state(RunsState, pairs), size=_canonical(size), rate=_canonical(rate))
