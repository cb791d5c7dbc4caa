"""Which runs, in which order, from which place on: what the questions about the list of runs have in common.

A statement depends on the shape of a filter alone, its values are parameters: SQLAlchemy takes longer to make a
statement than a database to answer it.
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
    func,
    or_,
    select,
    union_all,
)

from schema.run_columns import LISTED_COLUMNS
from storage import search_index
from storage.people_tables import RUN_TAGS
from storage.run_query import FACETS, NEWEST_FIRST, CaptureFilter, PagePosition, RunFilter
from storage.tables import LISTING, OBSERVATIONS

L = LISTING.c
SEEN = OBSERVATIONS.c
SORTS: Mapping[str, ColumnElement[Any]] = {column.name: L[column.name] for column in LISTED_COLUMNS if column.sort}
"""What runs are sorted by -> its column."""
_NUMBERS = frozenset("MKNmkn")
_OF_RUNS = tuple(facet for facet in FACETS if facet != "branch")
"""Facets that are of runs, not of their captures."""
_LARGEST = 2**63


@dataclass(frozen=True)
class Shape:
    """What a filter filters by: facets with chosen values, those whose missing value is chosen, words, ranges.

    With an `index` the first word is looked up there, as few runs have it.
    """

    chosen: frozenset[str]
    missing: frozenset[str]
    words: int
    size: bool
    rate: bool
    grid: bool
    capture: frozenset[str]
    index: search_index.Kind = ""

    def without(self, facet: str) -> Shape:
        """Return the shape of a filter that takes any value of a facet."""
        own = {facet}
        return replace(self, chosen=self.chosen - own, missing=self.missing - own, capture=self.capture - own)


def shape_of(fits: RunFilter, index: search_index.Kind = "") -> Shape:
    """Return the shape of a filter, whose first word is looked up in an `index` if one is given."""
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
    """Return what holds of the runs that fit; `parameters` has the values."""
    every = [_is_one_of(name, name in shape.missing) for name in _OF_RUNS if name in shape.chosen]
    every += [_is_found(shape.index)] if shape.index else []
    every += [_has_word(rank) for rank in range(1 if shape.index else 0, shape.words)]
    every += [_has_capture(shape.capture)] if shape.capture else []
    every += [L.grid.like(bindparam("grid_like"), escape="/")] if shape.grid else []
    spans = (("size", L.size, shape.size), ("rate", L.gmacs_mean, shape.rate))
    return every + [
        column.between(bindparam(f"{name}_from"), bindparam(f"{name}_to")) for name, column, asked in spans if asked
    ]


def parameters(fits: RunFilter) -> dict[str, Any]:
    """Return the values of the conditions of a filter."""
    values: dict[str, Any] = {name: _values(name, fits.chosen(name)) for name in _OF_RUNS if fits.chosen(name)}
    for rank, word in enumerate(fits.words):
        values |= _word_values(rank, word)
    values |= _capture_values(fits.capture)
    if fits.rows or fits.cols:
        values |= {"grid_like": "x".join(_escape_like(side) if side else "%" for side in (fits.rows, fits.cols))}
    for name, span in (("size", fits.size), ("rate", fits.rate)):
        values |= {f"{name}_from": span[0], f"{name}_to": span[1]} if span else {}
    return values


def _word_values(rank: int, word: str) -> dict[str, str]:
    name = f"word{rank}"
    looked_up = {f"{name}_phrase": search_index.phrase(storable(word))}
    return {name: containing(word), **_beginning(name, word), **looked_up}


def _has_word(rank: int) -> ColumnElement[bool]:
    """Return the condition that a run has a word anywhere, or one of its commits or branches begins with it."""
    captured = [L.run_id.in_(captures) for captures in _captures_with_word(f"word{rank}")]
    return or_(L.searched.like(bindparam(f"word{rank}"), escape="/"), *captured)


def _captures_with_word(name: str) -> list[Select[Any]]:
    return [select(SEEN.run_id).where(_begins(column, name)) for column in (SEEN.commit, SEEN.branch)]


def _is_found(index: search_index.Kind) -> ColumnElement[bool]:
    """Return the condition of `_has_word` for the first word, as an index answers it."""
    return L.run_id.in_(_runs_with_word(index))


def _runs_with_word(index: search_index.Kind) -> CompoundSelect[Any]:
    """Return the question for the runs that have the first word, some of them several times."""
    texts = LISTING.alias("texts").c
    is_part = _is_part(texts.searched)
    if index == "fts5":
        found = [
            select(texts.run_id).where(texts.search_id.in_(search_index.ids_matching("word0_phrase"))),
            select(texts.run_id).where(texts.search_id.is_(None), is_part),
        ]
    else:
        found = [select(texts.run_id).where(is_part)]
    return union_all(*found, *_captures_with_word("word0"))


def _is_part(searched: ColumnElement[str]) -> ColumnElement[bool]:
    return searched.like(bindparam("word0"), escape="/")


@lru_cache(maxsize=4)
def count_with_word(index: search_index.Kind, most: int) -> Select[Any]:
    """Count the runs that have the first word, some of them several times, up to `most`."""
    texts = LISTING.alias("texts").c
    fts5 = index == "fts5"
    found = search_index.ids_matching("word0_phrase") if fts5 else select(texts.run_id).where(_is_part(texts.searched))
    limited = union_all(found, *_captures_with_word("word0")).limit(most)
    return select(func.count()).select_from(limited.subquery())


def _begins(column: ColumnElement[str], name: str) -> ColumnElement[bool]:
    """Return the condition that a text begins with another one, as a range, which an index answers."""
    # PostgreSQL takes no BETWEEN whose limits have a collation
    return and_(column >= bindparam(f"{name}_first"), column <= bindparam(f"{name}_last"))


def _beginning(name: str, text: str) -> dict[str, str]:
    return {f"{name}_first": storable(text), f"{name}_last": storable(text) + chr(0x10FFFF)}


def _has_capture(asked: frozenset[str]) -> ColumnElement[bool]:
    """Return the condition that one capture of a run fits all that is asked of it."""
    return L.run_id.in_(select(SEEN.run_id).where(*capture_conditions(asked)))


def capture_conditions(asked: frozenset[str]) -> list[ColumnElement[bool]]:
    """Return what holds of the captures that fit what is asked of them."""
    every: dict[str, ColumnElement[bool]] = {
        "branch": SEEN.branch.in_(bindparam("capture_branch", expanding=True)),
        "commit": _begins(SEEN.commit, "capture_commit"),
        "since": SEEN.date >= bindparam("capture_since"),
        "until": SEEN.date <= bindparam("capture_until"),
    }
    return [every[name] for name in every if name in asked]


def _capture_values(asked: CaptureFilter) -> dict[str, Any]:
    values: dict[str, Any] = {"capture_branch": [*map(storable, asked.branch)]} if asked.branch else {}
    values |= _beginning("capture_commit", asked.commit) if asked.commit else {}
    dates = {"capture_since": asked.since, "capture_until": asked.until}
    return values | {name: storable(date) for name, date in dates.items() if date}


def containing(text: str) -> str:
    """Return the pattern of what contains a text, `/` being its escape."""
    return f"%{_escape_like(text)}%"


def _escape_like(text: str) -> str:
    return storable(text).replace("/", "//").replace("%", "/%").replace("_", "/_")


def storable(text: str) -> str:
    """Return a text without what no database takes."""
    return text.replace("\0", "")


def sorting(sort: str) -> tuple[ColumnElement[Any], bool]:
    """Return the column that sorts and whether it falls; newest first where there is none of this name."""
    known = sort if sort.removeprefix("-") in SORTS else NEWEST_FIRST
    return SORTS[known.removeprefix("-")], known.startswith("-")


def order(sort: str) -> list[ColumnElement[Any]]:
    """Sort by the column, missing values below all others; what is equal by date and id, newest first."""
    column, falls = sorting(sort)
    if column is L.date:
        return [L.date.desc(), L.run_id.desc()] if falls else [L.date, L.run_id]
    first = column.desc().nulls_last() if falls else column.asc().nulls_first()
    return [first, L.date.desc(), L.run_id.desc()]


def after(sort: str, valued: bool) -> ColumnElement[bool]:
    """Return the condition for what comes after a place in the order of `order`, of a run with a value or without.

    The first half of a comparison says what the second implies: a database begins there in an index.
    """
    column, falls = sorting(sort)
    value: BindParameter[Any] = bindparam("after_value")
    date: BindParameter[str] = bindparam("after_date")
    run_id: BindParameter[str] = bindparam("after_run_id")
    if column is L.date and not falls:
        return and_(L.date >= date, or_(L.date > date, L.run_id > run_id))
    older = and_(L.date <= date, or_(L.date < date, L.run_id < run_id))
    if column is L.date:
        return older
    if not valued:
        same = and_(column.is_(None), older)
        return same if falls else or_(same, column.is_not(None))
    beyond = or_(column < value, column.is_(None)) if falls else column > value
    return or_(beyond, and_(column == value, older))


def place_values(sort: str, place: PagePosition) -> dict[str, Any]:
    """Return the values of `after`.

    Text among the numbers is damage, or a browser's: SQLite has it above every number.
    """
    value, kind = place.value, sorting(sort)[0].type
    if isinstance(kind, Text):
        value = storable(str(value or ""))
    elif isinstance(value, str):
        value = math.inf
    if isinstance(kind, Integer) and value is not None:
        value = int(max(-_LARGEST, min(value, _LARGEST - 1)))
    return {"after_value": value, "after_date": storable(place.date), "after_run_id": storable(place.run_id)}


def _is_one_of(facet: str, missing: bool) -> ColumnElement[bool]:
    if facet == "tag":
        tagged = select(RUN_TAGS.c.run_id).where(RUN_TAGS.c.tag.in_(bindparam("tag", expanding=True)))
        return L.run_id.in_(tagged)
    known = L[facet].in_(bindparam(facet, expanding=True))
    return or_(known, L[facet].is_(None)) if missing else known


def _values(facet: str, chosen: tuple[str, ...]) -> list[str] | list[int]:
    if facet in _NUMBERS:
        return [int(value) for value in chosen if _is_integer(value)]
    return [storable(value) for value in chosen]


def _is_integer(text: str) -> bool:
    """Return whether a text is how a stored integer is written."""
    return text.isdecimal() and len(text) < 20 and str(int(text)) == text and int(text) < _LARGEST
