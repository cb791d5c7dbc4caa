"""Conditions, order and page position of queries about the list of runs.

A statement depends only on the shape of a filter, and its values are parameters, so that statements
can be cached: SQLAlchemy takes longer to build a statement than a database to execute it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    CompoundSelect,
    Integer,
    Select,
    Text,
    and_,
    bindparam,
    case,
    func,
    or_,
    select,
    union_all,
)
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from schema.peak_rates import RATES
from schema.run_columns import LISTED_COLUMNS
from storage import search_index
from storage.people_tables import RUN_TAGS
from storage.run_query import COLUMNS, FACETS, NEWEST_FIRST, CaptureFilter, PagePosition, RunFilter
from storage.tables import COUNTED_RATE, LISTING, OBSERVATIONS

L = LISTING.c
SEEN = OBSERVATIONS.c
_POSSIBLE_RATES: Mapping[str, ColumnElement[Any]] = {
    name: case((L.best_in_peak.is_not(None), L[name])) for name in RATES if name in L
} | {"gmacs_mean": COUNTED_RATE}
SORTS: Mapping[str, ColumnElement[Any]] = {
    column.name: _POSSIBLE_RATES.get(column.name, L[column.name])
    for column in LISTED_COLUMNS
    if column.sort
}
"""Name of a sort key -> column of table `listing`; rates above the peak sort as missing values."""
_NUMBERS = frozenset("MKNmkn")
_RUN_FACETS = tuple(facet for facet in FACETS if facet != "branch")
"""Facets of runs, without the facet of their captures."""
_INT64_LIMIT = 2**63


@dataclass(frozen=True)
class Shape:
    """The shape of a filter: which facets have chosen values or a chosen missing value, number of
    words, ranges.

    If `index` is set, the first word is looked up in the search index, because few runs have it; if
    `has_ids`, parameter `word0_ids` has the ids of these runs.
    """

    chosen: frozenset[str]
    missing: frozenset[str]
    words: int
    size: bool
    rate: bool
    grid: bool
    capture: frozenset[str]
    index: search_index.Kind = ""
    has_ids: bool = False

    def without(self, facet: str) -> Shape:
        """Return a copy of the filter's shape without its condition on a facet."""
        own = {facet}
        return replace(
            self, chosen=self.chosen - own, missing=self.missing - own, capture=self.capture - own
        )


def compute_shape(fits: RunFilter, index: search_index.Kind = "") -> Shape:
    """Compute the shape of a filter, on which its SQL statement depends.

    If `index` is not "", the first word of the filter is looked up in that search index.
    """
    chosen = frozenset(name for name in FACETS if fits.chosen(name))
    missing = frozenset(name for name in _NUMBERS if "" in fits.chosen(name))
    capture = frozenset(name for name, value in vars(fits.capture).items() if value)
    return Shape(
        chosen,
        missing,
        len(fits.words),
        fits.size is not None,
        fits.rate is not None,
        bool(fits.rows or fits.cols),
        capture,
        index,
    )


def conditions(shape: Shape) -> list[ColumnElement[bool]]:
    """Build the WHERE conditions of a filter's shape, to be joined by AND; empty if it has no
    condition.

    Function `parameters` computes the values of their parameters.
    """
    every = combination_conditions(shape, L)
    every += [_has_tag()] if "tag" in shape.chosen else []
    every += [_has_indexed_word(shape)] if shape.index else []
    every += [_has_word(rank) for rank in range(1 if shape.index else 0, shape.words)]
    every += [_has_capture(shape.capture)] if shape.capture else []
    if not shape.rate:
        return every
    # The plot in which a range is dragged draws only the rates that count.
    return [*every, _is_between(COUNTED_RATE, "rate")]


def is_of_combinations(shape: Shape) -> bool:
    """Whether all runs of a combination (`storage.combinations`) match a filter, or none of them."""
    other = (shape.words, shape.rate, shape.capture, shape.index, "tag" in shape.chosen)
    return not any(other)


def combination_conditions(
    shape: Shape, columns: ReadOnlyColumnCollection[str, Any]
) -> list[ColumnElement[bool]]:
    """Build the WHERE conditions on facets of a single value, grid and size, for the columns of
    table `listing` or `combinations`.
    """
    every = [
        _has_value(columns[name], name, name in shape.missing)
        for name in COLUMNS
        if name in shape.chosen
    ]
    every += [columns.grid.like(bindparam("grid_like"), escape="/")] if shape.grid else []
    return [*every, _is_between(columns.size, "size")] if shape.size else every


def _is_between(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    return column.between(bindparam(f"{name}_from"), bindparam(f"{name}_to"))


def parameters(fits: RunFilter) -> dict[str, Any]:
    """Map the names of the parameters of `conditions` to their values, for a filter."""
    values: dict[str, Any] = {
        name: _facet_values(name, fits.chosen(name)) for name in _RUN_FACETS if fits.chosen(name)
    }
    for rank, word in enumerate(fits.words):
        values |= _word_values(rank, word)
    values |= _capture_values(fits.capture)
    if fits.rows or fits.cols:
        values |= {
            "grid_like": "x".join(
                _escape_like(side) if side else "%" for side in (fits.rows, fits.cols)
            )
        }
    for name, span in (("size", fits.size), ("rate", fits.rate)):
        values |= {f"{name}_from": span[0], f"{name}_to": span[1]} if span else {}
    return values


def _word_values(rank: int, word: str) -> dict[str, str]:
    """Map parameter names to values for the word of index `rank`: the LIKE pattern, the first and
    last text that begin with the word, and the phrase of the search index.
    """
    name = f"word{rank}"
    looked_up = {f"{name}_phrase": search_index.phrase(storable(word))}
    return {name: containing(word), **_beginning(name, word), **looked_up}


def _has_word(rank: int) -> ColumnElement[bool]:
    """Build the condition that a run's texts contain the word of index `rank`, or that a commit or
    branch of the run begins with it.
    """
    captured = [L.run_id.in_(captures) for captures in _captures_with_word(f"word{rank}")]
    return or_(L.searched.like(bindparam(f"word{rank}"), escape="/"), *captured)


def _captures_with_word(name: str) -> list[Select[Any]]:
    return [
        select(SEEN.run_id).where(_begins(column, name)) for column in (SEEN.commit, SEEN.branch)
    ]


def _has_indexed_word(shape: Shape) -> ColumnElement[bool]:
    """Build the condition of `_has_word` for the first word of a search, by means of the search
    index.
    """
    if shape.has_ids:
        return L.run_id.in_(bindparam("word0_ids", expanding=True))
    return L.run_id.in_(_runs_with_word(shape.index))


def _runs_with_word(index: search_index.Kind) -> CompoundSelect[Any]:
    """Select the ids of the runs with the first word of a search by the search index; an id may
    occur several times.
    """
    texts = LISTING.alias("texts").c
    is_part = _contains_word(texts.searched)
    if index == "fts5":
        queries = [
            select(texts.run_id).where(
                texts.search_id.in_(search_index.ids_matching("word0_phrase"))
            ),
            select(texts.run_id).where(texts.search_id.is_(None), is_part),
        ]
    else:
        queries = [select(texts.run_id).where(is_part)]
    return union_all(*queries, *_captures_with_word("word0"))


def _contains_word(searched: ColumnElement[str]) -> ColumnElement[bool]:
    return searched.like(bindparam("word0"), escape="/")


@lru_cache(maxsize=4)
def select_with_word(index: search_index.Kind, most: int) -> Select[Any]:
    """Select the ids of at most `most` runs with the first word of a search by a search index; an
    id may occur several times.
    """
    return select(_runs_with_word(index).limit(most).subquery())


@lru_cache(maxsize=4)
def count_with_word(index: search_index.Kind, most: int) -> Select[Any]:
    """Select the number of runs with the first word of a search, at most `most`; a run may count
    several times. `index` is the search index to use, "" for a scan of all texts.
    """
    texts = LISTING.alias("texts").c
    fts5 = index == "fts5"
    matching = (
        search_index.ids_matching("word0_phrase")
        if fts5
        else select(texts.run_id).where(_contains_word(texts.searched))
    )
    limited = union_all(matching, *_captures_with_word("word0")).limit(most)
    return select(func.count()).select_from(limited.subquery())


def _begins(column: ColumnElement[str], name: str) -> ColumnElement[bool]:
    """Build the condition that a column's text begins with a text, as a range of the parameters
    `<name>_first` and `<name>_last`, for which a database can use an index.
    """
    # PostgreSQL accepts no BETWEEN whose limits have a collation.
    return and_(column >= bindparam(f"{name}_first"), column <= bindparam(f"{name}_last"))


def _beginning(name: str, text: str) -> dict[str, str]:
    """Map `<name>_first` and `<name>_last` to the first and the last text that begin with `text`."""
    # U+10FFFF is the last code point, so that every longer text with this beginning is in the
    # range.
    return {f"{name}_first": storable(text), f"{name}_last": storable(text) + chr(0x10FFFF)}


def _has_capture(names: frozenset[str]) -> ColumnElement[bool]:
    """Build the condition that a single capture of a run meets all conditions in `names` (branch,
    commit, since, until).
    """
    return L.run_id.in_(select(SEEN.run_id).where(*capture_conditions(names)))


def capture_conditions(names: frozenset[str]) -> list[ColumnElement[bool]]:
    """Build the WHERE conditions on captures that are in `names`: branch, commit, since, until."""
    every: dict[str, ColumnElement[bool]] = {
        "branch": SEEN.branch.in_(bindparam("capture_branch", expanding=True)),
        "commit": _begins(SEEN.commit, "capture_commit"),
        "since": SEEN.date >= bindparam("capture_since"),
        "until": SEEN.date <= bindparam("capture_until"),
    }
    return [every[name] for name in every if name in names]


def _capture_values(capture: CaptureFilter) -> dict[str, Any]:
    values: dict[str, Any] = (
        {"capture_branch": [*map(storable, capture.branch)]} if capture.branch else {}
    )
    values |= _beginning("capture_commit", capture.commit) if capture.commit else {}
    dates = {"capture_since": capture.since, "capture_until": capture.until}
    return values | {name: storable(date) for name, date in dates.items() if date}


def containing(text: str) -> str:
    """Build the LIKE pattern `%text%`, in which `%`, `_` and `/` of the text are escaped by `/`."""
    return f"%{_escape_like(text)}%"


def _escape_like(text: str) -> str:
    return storable(text).replace("/", "//").replace("%", "/%").replace("_", "/_")


def storable(text: str) -> str:
    """Remove NUL characters, which no database stores."""
    return text.replace("\0", "")


def sorting(sort: str) -> tuple[ColumnElement[Any], bool]:
    """Look up the column of a sort key, and whether it sorts in descending order (`-` before the
    key).

    The date, descending, if the key is unknown.
    """
    key = sort if sort.removeprefix("-") in SORTS else NEWEST_FIRST
    return SORTS[key.removeprefix("-")], key.startswith("-")


def order(sort: str) -> list[ColumnElement[Any]]:
    """Build the ORDER BY columns of a sort key, which is descending if it begins with `-`; an
    unknown key gives the newest first.

    Missing values sort lowest; runs with equal values are ordered newest first.
    """
    column, falls = sorting(sort)
    if column is L.date:
        return [L.date.desc(), L.run_id.desc()] if falls else [L.date, L.run_id]
    # Databases order missing values differently by default.
    first = column.desc().nulls_last() if falls else column.asc().nulls_first()
    return [first, L.date.desc(), L.run_id.desc()]


def after(sort: str, valued: bool) -> ColumnElement[bool]:
    """Build the condition for the runs after a page position in the order of `order`.

    `valued` is whether the position has a value in the sort column. The parameters are those of
    `position_values`. The first comparison of an AND is implied by the second; it lets the database
    begin at that place of an index.
    """
    column, falls = sorting(sort)
    value: BindParameter[Any] = bindparam("after_value")
    date: BindParameter[str] = bindparam("after_date")
    run_id: BindParameter[str] = bindparam("after_run_id")
    if column is L.date and not falls:
        return and_(L.date >= date, or_(L.date > date, L.run_id > run_id))
    # A place instead of an offset: runs that come or go between two pages neither repeat nor hide a
    # run.
    older = and_(L.date <= date, or_(L.date < date, L.run_id < run_id))
    if column is L.date:
        return older
    if not valued:
        same = and_(column.is_(None), older)
        return same if falls else or_(same, column.is_not(None))
    beyond = or_(column < value, column.is_(None)) if falls else column > value
    return or_(beyond, and_(column == value, older))


def position_values(sort: str, place: PagePosition) -> dict[str, Any]:
    """Map `after_value`, `after_date` and `after_run_id`, the parameters of `after`, to their
    values.

    `after_value` has the type of the sort column, None if the position has no value. A text in a
    column of numbers is damage or comes from a browser, and becomes infinity: SQLite sorts it above
    every number.
    """
    value = place.value
    kind = sorting(sort)[0].type
    if isinstance(kind, Text):
        value = storable(str(value or ""))
    elif isinstance(value, str):
        value = math.inf
    if isinstance(kind, Integer) and value is not None:
        # An address may contain any number, but drivers raise beyond 64 bits.
        value = int(max(-_INT64_LIMIT, min(value, _INT64_LIMIT - 1)))
    return {
        "after_value": value,
        "after_date": storable(place.date),
        "after_run_id": storable(place.run_id),
    }


def _has_tag() -> ColumnElement[bool]:
    tagged = select(RUN_TAGS.c.run_id).where(RUN_TAGS.c.tag.in_(bindparam("tag", expanding=True)))
    return L.run_id.in_(tagged)


def _has_value(column: ColumnElement[Any], facet: str, missing: bool) -> ColumnElement[bool]:
    has_chosen = column.in_(bindparam(facet, expanding=True))
    return or_(has_chosen, column.is_(None)) if missing else has_chosen


def _facet_values(facet: str, chosen: tuple[str, ...]) -> list[str] | list[int]:
    """Convert the chosen values of a facet to the type of its column; texts that are not integers
    are dropped.
    """
    if facet in _NUMBERS:
        return [int(value) for value in chosen if _is_integer(value)]
    return [storable(value) for value in chosen]


def _is_integer(text: str) -> bool:
    """Whether a text is a non-negative integer below 2^63 without leading zeros."""
    return (
        text.isdecimal() and len(text) < 20 and str(int(text)) == text and int(text) < _INT64_LIMIT
    )
