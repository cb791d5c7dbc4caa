"""The list of runs, answered by the database: pages, counts, groups and points of those that fit a filter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, Select, and_, case, func, or_, select

from storage.catalogue import Catalogue
from storage.people_tables import ANNOTATIONS
from storage.run_conditions import (
    L,
    Shape,
    after,
    conditions,
    containing,
    count_with_word,
    order,
    parameters,
    place_values,
    shape_of,
    sorting,
    storable,
)
from storage.run_counts import Counts, count_runs, counts_of
from storage.run_query import FACETS, PagePosition, RunFilter, RunQuery
from storage.search_index import Kind, can_find
from storage.stored_run import StoredRun, stored_run
from storage.tables import LISTING_STATE, RUNS

GROUP = ("hwid", "M", "K", "N", "grid", "mac_dtype")
"""What runs of one group have in common: rates of other sizes, grids and data types are no spread of one thing."""
_TILE = ("m", "k", "n")
"""Their labels have a prefix, for SQLite takes `m` and `M` for one name."""
POINT = ("run_id", "name", "source", "hwid", "M", "K", "N", "size", "gmacs_mean", "gmacs_best", "utilization")
"""What is known of a run that is drawn over its size."""
_AT_ONCE = 200
_RARE = 20_000
"""Runs that have a word and are looked up; reading the texts of all runs finds more of them sooner."""
_TRIED = 4
"""Words of a search that are tried for a rare one."""
_AGAIN = L.observations > 1
_DRAWABLE = (L.size > 0) & L.gmacs_mean.is_not(None)
_WITHIN_PEAK = or_(L.utilization.is_(None), L.utilization <= 1)


@dataclass(frozen=True)
class Page:
    """Runs in the order asked for, and the place after which the next page begins, None on the last."""

    runs: list[StoredRun] = field(default_factory=list)
    last: PagePosition | None = None


class SearchedLikeness(NamedTuple):
    """How many runs of a likeness may fit a search.

    `is_sure` where the list rows of all of them have the texts that a capture is searched by, and no more: they were
    captured once, and have no notes.
    """

    likeness: str
    runs: int
    is_sure: bool


_SOURCES = select(L.source, func.count().label("runs")).group_by(L.source).order_by(L.source)


class RunList:
    """Questions about the runs of a catalogue; one that does not exist yet has none."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def sources(self) -> dict[str, int]:
        """Return source -> its runs."""
        return {str(row.source): int(row.runs) for row in self._rows(_SOURCES)}

    def version(self) -> str:
        """Return what is another after every change of the runs, by whichever process."""
        rows = self._rows(_VERSION)
        return str(rows[0][0]) if rows else ""

    def page(self, query: RunQuery) -> Page:
        """Return the runs of a page; only they are read."""
        shape, values = self._shape_and_values(query.fits)
        values |= place_values(query.sort, query.after) if query.after else {}
        valued = values["after_value"] is not None if query.after else None
        found = self._rows(_page(shape, query.sort, query.limit + 1, valued), values)
        listed, more = found[: query.limit], len(found) > query.limit
        runs = self._runs({row.run_id: row.observations for row in listed})
        last = listed[-1] if more else None
        return Page(runs, PagePosition(_plain(last.value), last.date, last.run_id) if last else None)

    def each(self, fits: RunFilter, limit: int | None = None) -> Iterator[StoredRun]:
        """Give the runs that fit, newest first, at most `limit`; a page is in memory at once."""
        left, place = limit, None
        while left is None or left > 0:
            page = self.page(RunQuery(fits, after=place, limit=_AT_ONCE if left is None else min(left, _AT_ONCE)))
            yield from page.runs
            left, place = (None if left is None else left - len(page.runs)), page.last
            if place is None:
                return

    def counts(self, fits: RunFilter, most: int, found: Mapping[str, str] | None = None) -> Counts:
        """Return counts over the runs that fit, and of each facet the `most` frequent values under the other filters.

        `found` maps facets to a text that their values contain. Chosen values are always among them.
        """
        searched = {facet: text for facet, text in (found or {}).items() if text and facet in FACETS}
        shape, values = self._shape_and_values(fits)
        values |= {f"find_{facet}": containing(text) for facet, text in searched.items()}
        values |= {f"chosen_{facet}": [*map(storable, fits.chosen(facet))] for facet in FACETS if fits.chosen(facet)}
        return counts_of(self._rows(count_runs(shape, most, frozenset(searched)), values))

    def groups(self, fits: RunFilter, most: int) -> tuple[list[dict[str, Any]], int]:
        """Return the first groups of runs that are equal in GROUP, in its order; and how many there are.

        A group has the columns of GROUP, `runs`, `rated` (those with a rate), `best`, `median` and `lowest` of the
        runs' mean GMAC/s, `best_run` with the `m`, `k`, `n` of its tile, and `newest`. A rate above a run's own peak
        counts as none.
        """
        shape, values = self._shape_and_values(fits)
        rows = self._rows(_groups(shape, most), values)
        groups = [
            {name.removeprefix("tile_"): value for name, value in row._mapping.items() if name != "groups"}
            for row in rows
        ]
        return groups, int(rows[0].groups) if rows else 0

    def points(self, fits: RunFilter, most: int) -> list[dict[str, Any]]:
        """Return POINT of at most so many runs that have a GEMM's size and a rate.

        Run ids are hashes, so that those with the lowest are drawn by chance, and a run stays drawn under any filter.
        """
        shape, values = self._shape_and_values(fits)
        rows = self._rows(_points(shape, most), values)
        return [dict(zip(POINT, row, strict=True)) for row in rows]

    def count_without(self, metric: str, sources: Sequence[str]) -> int:
        """Return how many runs of these sources have no number of a listed metric."""
        missing = select(func.count()).where(L.source.in_(sources), L[metric].is_(None))
        rows = self._rows(missing)
        return int(rows[0][0]) if rows else 0

    def hwids(self, most: int) -> list[str]:
        """Return the first hwids that the catalogue had, in that order."""
        return [str(row.hwid) for row in self._rows(_hwids(most))]

    def names(self, fits: RunFilter, sort: str, most: int) -> dict[str, str]:
        """Return run id -> name of the first runs in an order."""
        shape, values = self._shape_and_values(fits)
        ordered = select(L.run_id, L.name).where(*conditions(shape)).order_by(*order(sort)).limit(most)
        return {row.run_id: row.name for row in self._rows(ordered, values)}

    def searched_likenesses(self, words: Sequence[str]) -> list[SearchedLikeness]:
        """Return the likenesses of the runs of which a capture may have all words of a search.

        Those are the ones that have them in the list, and all that were captured again: the list has the texts of the
        newest capture alone.
        """
        has_words, values = self._has_words(words)
        has_notes = L.run_id.in_(select(ANNOTATIONS.c.run_id).where(ANNOTATIONS.c.notes != ""))
        unsure = func.max(case((or_(_AGAIN, has_notes), 1), else_=0)).label("unsure")
        asked = select(L.likeness, func.count().label("runs"), unsure).where(has_words).group_by(L.likeness)
        return [SearchedLikeness(row.likeness, row.runs, not row.unsure) for row in self._rows(asked, values)]

    def searched_run_ids(self, words: Sequence[str], likenesses: Sequence[str]) -> list[str]:
        """Return the runs of some likenesses that `searched_likenesses` counts."""
        has_words, values = self._has_words(words)
        parts = [likenesses[begin : begin + _AT_ONCE] for begin in range(0, len(likenesses), _AT_ONCE)]
        asked = [select(L.run_id).where(L.likeness.in_(part), has_words) for part in parts]
        return [row.run_id for one in asked for row in self._rows(one, values)]

    def _has_words(self, words: Sequence[str]) -> tuple[ColumnElement[bool], dict[str, Any]]:
        shape, values = self._shape_and_values(RunFilter(words=tuple(words)))
        return or_(and_(*conditions(shape)), _AGAIN), values

    def _shape_and_values(self, fits: RunFilter) -> tuple[Shape, dict[str, Any]]:
        """Return the shape and the values of a filter, its words in an order in which an index helps most."""
        if not fits.words or not self._catalogue.is_created():
            return shape_of(fits), parameters(fits)
        index = self._catalogue.index_of_searches()
        rare = next((word for word in _likely_rare(fits.words) if self._is_rare(word, index)), None) if index else None
        if rare is None:
            return shape_of(fits), parameters(fits)
        others = (word for word in fits.words if word != rare)
        fits = replace(fits, words=(rare, *others))
        return shape_of(fits, index), parameters(fits)

    def _is_rare(self, word: str, index: Kind) -> bool:
        """Return whether so few runs have a word that looking them up costs less than reading all texts."""
        rows = self._rows(count_with_word(index, _RARE + 1), parameters(RunFilter(words=(word,))))
        return int(rows[0][0]) <= _RARE

    def _runs(self, observations: Mapping[str, int]) -> list[StoredRun]:
        """Return runs in the order of their ids, with how often each was captured, without those that are gone."""
        rows = self._rows(select(RUNS).where(RUNS.c.run_id.in_(observations))) if observations else ()
        found = {row.run_id: row for row in rows}
        known = [(run_id, number) for run_id, number in observations.items() if run_id in found]
        return [replace(stored_run(found[run_id]), observations=number) for run_id, number in known]

    def _rows(self, statement: Select[Any], values: Mapping[str, Any] | None = None) -> Sequence[Row[Any]]:
        if not self._catalogue.is_created():
            return []
        with self._catalogue.connect() as connection:
            return connection.execute(statement, values or {}).all()


_VERSION = select(LISTING_STATE.c.version)


def _likely_rare(words: Sequence[str]) -> list[str]:
    """Return the words that an index can have, at most so many as are tried, the longest first."""
    return sorted(filter(can_find, map(storable, words)), key=len, reverse=True)[:_TRIED]


@lru_cache(maxsize=256)
def _page(shape: Shape, sort: str, most: int, valued: bool | None) -> Select[Any]:
    """Ask for a page: the first, or one after a place with a value or without."""
    column, _ = sorting(sort)
    beyond = [] if valued is None else [after(sort, valued)]
    chosen = select(L.run_id, L.date, L.observations, column.label("value")).where(*conditions(shape), *beyond)
    return chosen.order_by(*order(sort)).limit(most)


def _plain(value: object) -> str | float | None:
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


@lru_cache(maxsize=64)
def _groups(shape: Shape, most: int) -> Select[Any]:
    keys = [L[key].label(key) for key in GROUP]
    rate = case((_WITHIN_PEAK, L.gmacs_mean))
    fastest_first = [rate.desc().nulls_last(), L.created_at.desc(), L.run_id]
    ranked = (
        select(
            *keys,
            *(L[name].label(f"tile_{name}") for name in _TILE),
            L.run_id,
            L.date,
            rate.label("rate"),
            func.row_number().over(partition_by=keys, order_by=fastest_first).label("rank"),
            func.count(rate).over(partition_by=keys).label("rated"),
        )
        .where(L.size.is_not(None), *conditions(shape))
        .subquery()
    )
    c = ranked.c
    middle = or_(2 * c.rank == c.rated, 2 * c.rank == c.rated + 1, 2 * c.rank == c.rated + 2)
    grouped = [c[key] for key in GROUP]
    is_best = and_(c.rank == 1, c.rated > 0)
    return (
        select(
            *grouped,
            func.count().label("runs"),
            func.max(c.rated).label("rated"),
            func.max(c.rate).label("best"),
            func.avg(case((middle, c.rate))).label("median"),
            func.min(c.rate).label("lowest"),
            func.max(case((is_best, c.run_id))).label("best_run"),
            *(func.max(case((is_best, c[f"tile_{name}"]))).label(f"tile_{name}") for name in _TILE),
            func.max(c.date).label("newest"),
            func.count().over().label("groups"),
        )
        .group_by(*grouped)
        .order_by(*grouped)
        .limit(most)
    )


@lru_cache(maxsize=64)
def _points(shape: Shape, most: int) -> Select[Any]:
    drawn = [L[name].label(name) for name in POINT]
    return select(*drawn).where(_DRAWABLE, *conditions(shape)).order_by(L.run_id).limit(most)


def _hwids(most: int) -> Select[Any]:
    known = select(L.hwid).where(L.hwid != "").group_by(L.hwid)
    return known.order_by(func.min(L.created_at), L.hwid).limit(most)
