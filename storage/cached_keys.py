"""Cached results per key in the catalogue; the results of a key are deleted when one of its runs
changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, delete, insert, select, update

from storage.catalogue import Catalogue
from storage.likenesses import distinct_likenesses
from storage.listing import CACHED_BY_LIKENESS
from storage.tables import LISTING, LISTING_STATE
from storage.upsert import transact

KNOWN = object()
"""Required value of a filter: the runs have any value in the column."""
Kept = list[Any]
"""Cached result for one likeness (the hash of a key), as JSON."""


@dataclass(frozen=True)
class CachedRows:
    """Cached results by likeness, the likenesses without a cached result, and the version of the
    list of runs.
    """

    version: str
    by_likeness: Mapping[str, Kept]
    missing: Sequence[str]


class CachedKeys:
    """Access to a table of CACHED_BY_LIKENESS; rows with another `made_by` are ignored.

    `made_by` is the version of the code that computes the results. The first column of the table's
    key is the name of the rule or metric.
    """

    def __init__(self, catalogue: Catalogue, table: Table, made_by: str) -> None:
        self._catalogue = catalogue
        self._table = table
        self._name = next(iter(table.primary_key))
        self._made_by = made_by

    def of(self, name: str, filters: Mapping[str, object]) -> CachedRows:
        """Read the cached results of rule or metric `name` for the likenesses of the runs that
        match.

        `filters` maps columns of the list of runs to required values, or KNOWN. Version "" and no likenesses
        if there is no catalogue. All likenesses count as missing if an older release has changed
        runs.
        """
        if not self._catalogue.is_created():
            return CachedRows("", {}, [])
        # Read before the rows: if a run changes from here on, `put` finds another version and caches nothing.
        version, is_sound = self._version()
        if not version:
            return CachedRows("", {}, [])
        c = self._table.c
        with self._catalogue.connect() as connection:
            kept = select(c.likeness, c["keys"]).where(
                self._name == name, c.made_by == self._made_by
            )
            # A release that does not know this table changes runs without deleting their results.
            rows = connection.execute(kept).all() if is_sound else []
            likenesses = distinct_likenesses(connection, _filter_conditions(filters), len(rows))
        sound = {likeness: keys for likeness, keys in rows if isinstance(keys, list)}
        cached = {likeness: sound[likeness] for likeness in likenesses if likeness in sound}
        return CachedRows(
            version, cached, [likeness for likeness in likenesses if likeness not in cached]
        )

    def version(self) -> str:
        """Read the version of the list of runs, a text that every change of a run replaces; "" if
        there is no catalogue.
        """
        return self._version()[0] if self._catalogue.is_created() else ""

    def names(self) -> list[str]:
        """List the names of the rules or metrics with cached results, in no particular order and of
        any `made_by`; empty if there is no catalogue.
        """
        if not self._catalogue.is_created():
            return []
        with self._catalogue.connect() as connection:
            return [*connection.scalars(select(self._name).distinct())]

    def missing(self, name: str, filters: Mapping[str, object] | None = None) -> list[str]:
        """List the likenesses of the matching runs that have no cached result of rule or metric
        `name`.

        As `missing` of the result of `of`, but without reading the cached results.
        """
        if not self._catalogue.is_created():
            return []
        version, is_sound = self._version()
        if not version:
            return []
        c = self._table.c
        kept = select(c.likeness).where(self._name == name, c.made_by == self._made_by)
        with self._catalogue.connect() as connection:
            cached = {*connection.scalars(kept)} if is_sound else set[str]()
            likenesses = distinct_likenesses(
                connection, _filter_conditions(filters or {}), len(cached)
            )
        return [likeness for likeness in likenesses if likeness not in cached]

    def put(self, name: str, version: str, kept: Mapping[str, Kept]) -> None:
        """Cache the results of rule or metric `name` by likeness, in place of earlier results.

        `version` is that of the list of runs when they were computed: if the list has changed
        since, the results are not cached.
        """
        rows = [
            {self._name.name: name, "likeness": likeness, "made_by": self._made_by, "keys": keys}
            for likeness, keys in kept.items()
        ]

        def write(connection: Connection) -> None:
            # Every change of a run writes this row, so it is locked against changes until the end.
            unchanged = (
                update(LISTING_STATE)
                .where(LISTING_STATE.c.version == version)
                .values(version=version)
            )
            if connection.execute(unchanged).rowcount == 0:
                return
            _forget_unsound(connection, version)
            for begin in range(0, len(rows), _BATCH_SIZE):
                own = self._table.c.likeness.in_(
                    [row["likeness"] for row in rows[begin : begin + _BATCH_SIZE]]
                )
                connection.execute(delete(self._table).where(self._name == name, own))
            connection.execute(insert(self._table), rows)

        if rows:
            transact(self._catalogue, write)

    def _version(self) -> tuple[str, bool]:
        """Read the version of the list of runs, and whether all changes of runs have deleted
        outdated results: False after an older release has changed runs. ("", False) if the list has
        no version.
        """
        with self._catalogue.connect() as connection:
            row = connection.execute(_VERSIONS).first()
        return (row.version, row.version == row.kept_version) if row else ("", False)


def _filter_conditions(filters: Mapping[str, object]) -> list[ColumnElement[bool]]:
    return [
        LISTING.c[column].is_not(None) if value is KNOWN else LISTING.c[column] == value
        for column, value in filters.items()
    ]


def _forget_unsound(connection: Connection, version: str) -> None:
    """Delete all cached results if an older release, which does not maintain them, has changed
    runs.

    `version` is that of the list of runs, up to which the results are valid afterwards.
    """
    stale = update(LISTING_STATE).where(LISTING_STATE.c.kept_version.is_distinct_from(version))
    if connection.execute(stale.values(kept_version=version)).rowcount:
        for table in CACHED_BY_LIKENESS:
            connection.execute(delete(table))


_BATCH_SIZE = 500
"""Maximum number of likenesses per statement."""
_VERSIONS = select(LISTING_STATE.c.version, LISTING_STATE.c.kept_version)
