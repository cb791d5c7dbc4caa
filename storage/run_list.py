"""Query the list of runs: pages, counts, groups and points of the runs that match a filter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Row, Select, and_, case, func, or_, select

from storage.catalogue import Catalogue
from storage.combination_tables import COMBINATIONS
from storage.parsed_runs import SELECT_TEXTS, ParsedRuns
from storage.people_tables import ANNOTATIONS
from storage.read_once import read_once
from storage.run_conditions import (
    L,
    Shape,
    compute_shape,
    conditions,
    containing,
    count_with_word,
    order,
    parameters,
    position_values,
    select_with_word,
    storable,
)
from storage.run_counts import Counts, count_runs, parse_counts
from storage.run_list_statements import (
    select_groups,
    select_hwids,
    select_page,
    select_points,
)
from storage.run_query import FACETS, PagePosition, RunFilter, RunPoint, RunQuery
from storage.search_index import Kind, can_find
from storage.stored_run import StoredRun
from storage.tables import LISTING_STATE, RUNS

_BATCH_SIZE = 200
"""Number of runs per page of an iteration, and of likenesses per query."""
_MAX_RARE_RUNS = 20_000
"""Maximum number of runs with a word for which the index is used; with more, scanning all texts is
faster.
"""
_MAX_LISTED_RUNS = 200
"""Up to this number of runs with a word, a search reads their ids before its other statements: these may
need the runs six times, and each time the index reads all runs with a trigram of the word.
"""
_MAX_TRIED_WORDS = 4
"""Number of words of a search that are checked for being rare."""
_HAS_SEVERAL_CAPTURES = L.observations > 1


@dataclass(frozen=True)
class Page:
    """Runs of a page in the requested order, and the position of its last run, None on the last
    page.
    """

    runs: list[StoredRun] = field(default_factory=list)
    last: PagePosition | None = None


class SearchedLikeness(NamedTuple):
    """Number of runs of a likeness that may match a search.

    `is_sure`: all of these runs were captured once and have no notes, so that their rows of table
    `listing` have exactly the texts that a search of captures reads.
    """

    likeness: str
    runs: int
    is_sure: bool


_C = COMBINATIONS.c
_SOURCES = (
    select(_C.source, func.sum(_C.runs).label("runs")).group_by(_C.source).order_by(_C.source)
)


class RunList:
    """Queries about the runs of a catalogue; empty if the catalogue does not exist."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._parsed = ParsedRuns()

    def sources(self) -> dict[str, int]:
        """Map each source to its number of runs, in alphabetical order; empty if there is no
        catalogue.
        """
        return {str(row.source): int(row.runs) for row in self._rows(_SOURCES)}

    def version(self) -> str:
        """Return a token that changes when any process changes a run; "" if there is no catalogue.

        Inside of `reading_once` it is read once.
        """
        rows = read_once(("version", self._catalogue.address), partial(self._rows, _VERSION))
        return str(rows[0][0]) if rows else ""

    def page(self, query: RunQuery) -> Page:
        """Read the runs of a page in the requested order, with the position at which the next page
        begins.

        No runs, and no position, if the filter matches no run or there is no catalogue.
        """
        shape, values = self._shape_and_values(query.fits)
        values |= position_values(query.sort, query.after) if query.after else {}
        valued = values["after_value"] is not None if query.after else None
        # One row more than the page has tells whether another page follows.
        rows = self._rows(select_page(shape, query.sort, query.limit + 1, valued), values)
        listed = rows[: query.limit]
        runs = self._runs({row.run_id: row.observations for row in listed})
        last = listed[-1] if len(rows) > query.limit else None
        return Page(
            runs, PagePosition(_plain_value(last.value), last.date, last.run_id) if last else None
        )

    def each(self, fits: RunFilter, limit: int | None = None) -> Iterator[StoredRun]:
        """Yield the runs that match, newest first, at most `limit` (None: all).

        At most 200 of them (_BATCH_SIZE) are in memory at a time.
        """
        left, place = limit, None
        while left is None or left > 0:
            page = self.page(
                RunQuery(
                    fits, after=place, limit=_BATCH_SIZE if left is None else min(left, _BATCH_SIZE)
                )
            )
            yield from page.runs
            left = None if left is None else left - len(page.runs)
            place = page.last
            if place is None:
                return

    def counts(self, fits: RunFilter, most: int, found: Mapping[str, str] | None = None) -> Counts:
        """Count the runs that match, and the `most` frequent values of each facet under the
        conditions on the other facets.

        `found` maps facets to a text that their values must contain. Chosen values are always
        included. All counts are 0 if there is no catalogue.
        """
        searched = {
            facet: text for facet, text in (found or {}).items() if text and facet in FACETS
        }
        shape, values = self._shape_and_values(fits)
        values |= {f"find_{facet}": containing(text) for facet, text in searched.items()}
        values |= {
            f"chosen_{facet}": [*map(storable, fits.chosen(facet))]
            for facet in FACETS
            if fits.chosen(facet)
        }
        return parse_counts(self._rows(count_runs(shape, most, frozenset(searched)), values))

    def groups(self, fits: RunFilter, most: int) -> tuple[list[dict[str, Any]], int]:
        """List the first groups, in the order of the columns GROUP, of the runs of known size that
        match the filter and are equal in these columns, and the number of all groups.

        A group has the columns of GROUP; `runs`; `rated`, the number of runs with a rate; `best`,
        `median` and `lowest` of their mean GMAC/s; `best_run` with the `m`, `k`, `n` of its tile;
        and `newest`, its latest date. A rate above the run's own peak counts as no rate; numbers
        and tile are None if no run has a rate.
        """
        shape, values = self._shape_and_values(fits)
        rows = self._rows(select_groups(shape, most), values)
        groups = [
            {
                name.removeprefix("tile_"): value
                for name, value in row._mapping.items()
                if name != "groups"
            }
            for row in rows
        ]
        return groups, int(rows[0].groups) if rows else 0

    def points(self, fits: RunFilter, most: int) -> tuple[RunPoint, ...]:
        """Read at most `most` matching runs that have the size of a GEMM above 0 and a rate, ordered
        by run id.

        Run ids are hashes, so the runs with the lowest ids are a random sample, and a run stays in
        it under any filter.
        """
        shape, values = self._shape_and_values(fits)
        rows = self._rows(select_points(shape, most), values)
        return tuple(map(RunPoint._make, rows))

    def count_without(self, metric: str, sources: Sequence[str]) -> int:
        """Count the runs of these sources that have no value of a metric of LISTED_METRICS; 0 if
        there is no catalogue.
        """
        missing = select(func.count()).where(L.source.in_(sources), L[metric].is_(None))
        rows = self._rows(missing)
        return int(rows[0][0]) if rows else 0

    def count_alike(self, fits: RunFilter, likenesses: Sequence[str]) -> int:
        """Count the runs that match the filter and have one of these likenesses."""
        shape, values = self._shape_and_values(fits)
        count = select(func.count()).where(*conditions(shape))
        runs = 0
        for begin in range(0, len(likenesses), _BATCH_SIZE):
            is_alike = L.likeness.in_(likenesses[begin : begin + _BATCH_SIZE])
            rows = self._rows(count.where(is_alike), values)
            runs += int(rows[0][0]) if rows else 0
        return runs

    def hwids(self, most: int) -> list[str]:
        """List the first `most` hwids of the runs, in the order of their first ingest; an empty
        hwid is left out.
        """
        return [str(row.hwid) for row in self._rows(select_hwids(most))]

    def names(self, fits: RunFilter, sort: str, most: int) -> dict[str, str]:
        """Map run ids to names, for the first `most` matching runs in the order of sort key `sort`."""
        shape, values = self._shape_and_values(fits)
        ordered = (
            select(L.run_id, L.name).where(*conditions(shape)).order_by(*order(sort)).limit(most)
        )
        return {row.run_id: row.name for row in self._rows(ordered, values)}

    def searched_likenesses(self, words: Sequence[str]) -> list[SearchedLikeness]:
        """List the likenesses of runs of which a capture may contain all words of a search.

        These are the runs whose row of table `listing` matches, and all runs that were captured
        several times, as that row has only the texts of the newest capture.
        """
        has_words, values = self._has_words(words)
        has_notes = L.run_id.in_(select(ANNOTATIONS.c.run_id).where(ANNOTATIONS.c.notes != ""))
        unsure = func.max(case((or_(_HAS_SEVERAL_CAPTURES, has_notes), 1), else_=0)).label("unsure")
        query = (
            select(L.likeness, func.count().label("runs"), unsure)
            .where(has_words)
            .group_by(L.likeness)
        )
        return [
            SearchedLikeness(row.likeness, row.runs, not row.unsure)
            for row in self._rows(query, values)
        ]

    def searched_run_ids(self, words: Sequence[str], likenesses: Sequence[str]) -> list[str]:
        """List the ids of the runs that `searched_likenesses` counts for these likenesses, in no
        particular order.
        """
        has_words, values = self._has_words(words)
        ids: list[str] = []
        for begin in range(0, len(likenesses), _BATCH_SIZE):
            is_alike = L.likeness.in_(likenesses[begin : begin + _BATCH_SIZE])
            rows = self._rows(select(L.run_id).where(is_alike, has_words), values)
            ids += [row.run_id for row in rows]
        return ids

    def _has_words(self, words: Sequence[str]) -> tuple[ColumnElement[bool], dict[str, Any]]:
        shape, values = self._shape_and_values(RunFilter(words=tuple(words)))
        return or_(and_(*conditions(shape)), _HAS_SEVERAL_CAPTURES), values

    def _shape_and_values(self, fits: RunFilter) -> tuple[Shape, dict[str, Any]]:
        """Compute the shape of a filter and the values of its parameters by name.

        If one of its words is rare, the word becomes the first. It is looked up here if very few
        runs have it, otherwise by the statement, by means of the search index.
        """
        if not fits.words or not self._catalogue.is_created():
            return compute_shape(fits), parameters(fits)
        index = self._catalogue.search_index_kind()
        for word in _likely_rare(fits.words) if index else []:
            ids = self._ids_with_word(word, index)
            if ids is not None or self._is_rare(word, index):
                others = (other for other in fits.words if other != word)
                fits = replace(fits, words=(word, *others))
                shape = replace(compute_shape(fits, index), has_ids=ids is not None)
                return shape, parameters(fits) | {"word0_ids": ids}
        return compute_shape(fits), parameters(fits)

    def _ids_with_word(self, word: str, index: Kind) -> list[str] | None:
        """List the ids of the runs with a word; None if there are more than 200 (_MAX_LISTED_RUNS)."""
        rows = self._rows(
            select_with_word(index, _MAX_LISTED_RUNS + 1), parameters(RunFilter(words=(word,)))
        )
        if len(rows) > _MAX_LISTED_RUNS:
            return None
        return [*dict.fromkeys(row.run_id for row in rows)]

    def _is_rare(self, word: str, index: Kind) -> bool:
        """Whether at most 20,000 runs (_MAX_RARE_RUNS) have a word, so that looking them up is
        faster than scanning all texts.
        """
        rows = self._rows(
            count_with_word(index, _MAX_RARE_RUNS + 1), parameters(RunFilter(words=(word,)))
        )
        return int(rows[0][0]) <= _MAX_RARE_RUNS

    def conditions_of(self, fits: RunFilter) -> tuple[list[ColumnElement[bool]], dict[str, Any]]:
        """Build the WHERE conditions of a filter on table `listing`, with the values of their
        parameters.
        """
        shape, values = self._shape_and_values(fits)
        return conditions(shape), values

    def runs(self, run_ids: Sequence[str]) -> list[StoredRun]:
        """Read runs by their ids, at most some hundred, in this order; deleted runs are left out."""
        query = select(L.run_id, L.observations).where(L.run_id.in_(run_ids))
        counts = {row.run_id: row.observations for row in self._rows(query)}
        return self._runs({run_id: counts[run_id] for run_id in run_ids if run_id in counts})

    def _runs(self, observations: Mapping[str, int]) -> list[StoredRun]:
        """Read runs in the order of `observations` (run id -> number of captures); deleted runs are
        left out.
        """
        rows = (
            self._rows(SELECT_TEXTS.where(RUNS.c.run_id.in_(observations))) if observations else ()
        )
        by_id = {row.run_id: row for row in rows}
        existing = [(run_id, number) for run_id, number in observations.items() if run_id in by_id]
        return [self._parsed.find(by_id[run_id], number) for run_id, number in existing]

    def _rows(
        self, statement: Select[Any], values: Mapping[str, Any] | None = None
    ) -> Sequence[Row[Any]]:
        if not self._catalogue.is_created():
            return []
        with self._catalogue.connect() as connection:
            return connection.execute(statement, values or {}).all()


_VERSION = select(LISTING_STATE.c.version)


def _likely_rare(words: Sequence[str]) -> list[str]:
    """List the words that the search index can find, longest first, at most 4 (_MAX_TRIED_WORDS)."""
    return sorted(filter(can_find, map(storable, words)), key=len, reverse=True)[:_MAX_TRIED_WORDS]


def _plain_value(value: object) -> str | float | None:
    """Convert a value of the sort column to text, a number or None, as `PagePosition` has it."""
    return value if value is None or isinstance(value, (str, int, float)) else str(value)
