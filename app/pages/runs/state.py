"""The state of the runs page as a query string, both ways."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from urllib.parse import parse_qsl, urlencode

from components.runs.runs_grid import COLUMN_NAMES
from storage.run_query import FACETS, NEWEST_FIRST, Range, RunFilter, RunQuery

DEFAULT_SORT = NEWEST_FIRST
_SORT = re.compile(r"-?[A-Za-z_]{1,40}")
_LONGEST = 200
_LARGEST = 1e300


@dataclass(frozen=True)
class RunsState:
    """What the runs page shows.

    A facet holds the chosen values as text, sorted and without repeats; "" stands for a missing value and no values
    for all. `sort` is a column of the grid, with `-` for falling. `size` (M*K*N) and `rate` (GMAC/s) are closed
    ranges. `columns` are those of the grid beside the name, in its order, none for the default ones; `grouped` lists
    groups of runs of one hwid and size.
    """

    source: tuple[str, ...] = ()
    hwid: tuple[str, ...] = ()
    M: tuple[str, ...] = ()
    K: tuple[str, ...] = ()
    N: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()
    q: str = ""
    sort: str = DEFAULT_SORT
    size: Range | None = None
    rate: Range | None = None
    columns: tuple[str, ...] = ()
    grouped: bool = False

    def chosen(self, facet: str) -> tuple[str, ...]:
        """Return the chosen values of a facet."""
        values: tuple[str, ...] = getattr(self, facet)
        return values

    @property
    def fits(self) -> RunFilter:
        """Return which runs are listed."""
        facets = {facet: self.chosen(facet) for facet in FACETS}
        return RunFilter(**facets, words=tuple(self.q.lower().split()), size=self.size, rate=self.rate)

    @property
    def first_page(self) -> RunQuery:
        """Return what is asked for first."""
        return RunQuery(self.fits, self.sort)

    def query(self) -> str:
        """Return the canonical query string, without `?`; defaults are left out."""
        pairs = [(facet, value) for facet in FACETS for value in self.chosen(facet)]
        pairs += [("q", self.q)] if self.q else []
        pairs += [("sort", self.sort)] if self.sort != DEFAULT_SORT else []
        pairs += [(name, _range_text(span)) for name, span in (("size", self.size), ("rate", self.rate)) if span]
        pairs += [("columns", ",".join(self.columns))] if self.columns else []
        pairs += [("grouped", "1")] if self.grouped else []
        return urlencode(pairs, safe=",.")


def parse(query: str) -> RunsState:
    """Return the state that a query string (with or without `?`) names; what is unknown or malformed is passed over."""
    text = query.removeprefix("?").encode("utf-8", "replace").decode()
    pairs = parse_qsl(text, keep_blank_values=True)
    return make(
        facets={facet: [value for key, value in pairs if key == facet] for facet in FACETS},
        q=_last(pairs, "q"),
        sort=_last(pairs, "sort"),
        size=_parse_range(_last(pairs, "size")),
        rate=_parse_range(_last(pairs, "rate")),
        columns=_last(pairs, "columns").split(","),
        grouped=_last(pairs, "grouped") == "1",
    )


def make(
    facets: Mapping[str, Sequence[str]],
    q: str = "",
    sort: str = DEFAULT_SORT,
    size: Range | None = None,
    rate: Range | None = None,
    *,
    columns: Sequence[str] = (),
    grouped: bool = False,
) -> RunsState:
    """Return the canonical state of what the page's controls hold."""
    return RunsState(
        **{facet: tuple(sorted({value[:_LONGEST] for value in facets.get(facet, ())})) for facet in FACETS},
        q=" ".join(q.split())[:_LONGEST].strip(),
        sort=sort if _SORT.fullmatch(sort) else DEFAULT_SORT,
        size=_canonical(size),
        rate=_canonical(rate),
        columns=tuple(name for name in COLUMN_NAMES if name in columns),
        grouped=grouped,
    )


def _last(pairs: Iterable[tuple[str, str]], key: str) -> str:
    return dict(pairs).get(key, "")


def _range_text(span: Range) -> str:
    return ",".join(str(int(end)) if end.is_integer() and abs(end) < 1e15 else f"{end:g}" for end in span)


def _parse_range(text: str) -> Range | None:
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        return None
    return low, high


def _canonical(span: Range | None) -> Range | None:
    """Return the range widened to six significant digits, as its text has them; None where it is not one."""
    if span is None or not all(abs(end) < _LARGEST for end in span) or span[0] > span[1]:
        return None
    return _round(span[0], ROUND_FLOOR), _round(span[1], ROUND_CEILING)


def _round(value: float, rounding: str) -> float:
    return float(Context(prec=6, rounding=rounding).create_decimal(repr(float(value))))
