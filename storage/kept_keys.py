"""What answers need of the keys of a catalogue, kept by likeness until a run of theirs changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, delete, insert, select, update

from storage.catalogue import Catalogue
from storage.listing import KEPT_BY_LIKENESS
from storage.tables import LISTING, LISTING_STATE
from storage.upsert import transact

Kept = list[Any]
"""What is kept of a likeness, as JSON has it."""


@dataclass(frozen=True)
class KeptAnswers:
    """What is kept under a name by likeness, the likenesses of which nothing is, and the version of the list then."""

    version: str
    by_likeness: Mapping[str, Kept]
    missing: Sequence[str]


class KeptKeys:
    """A table of KEPT_BY_LIKENESS, as a release has it that calls its rules `made_by`.

    Its rows have a name first, of the rule or the metric that they are about.
    """

    def __init__(self, catalogue: Catalogue, table: Table, made_by: str) -> None:
        self._catalogue = catalogue
        self._table = table
        self._name = next(iter(table.primary_key))
        self._made_by = made_by

    def of(self, name: str, filters: Mapping[str, object]) -> KeptAnswers:
        """Return what is kept under a name of the likenesses of runs that have the values of columns of the list."""
        if not self._catalogue.is_created():
            return KeptAnswers("", {}, [])
        # read first: what changes from here on has another version, and nothing is kept of it
        version, is_sound = self._version()
        if not version:
            return KeptAnswers("", {}, [])
        c = self._table.c
        with self._catalogue.connect() as connection:
            kept = select(c.likeness, c["keys"]).where(self._name == name, c.made_by == self._made_by)
            rows = connection.execute(kept).all() if is_sound else []
            alike = select(LISTING.c.likeness).where(LISTING.c.likeness != "", *_filter_conditions(filters)).distinct()
            likenesses = [*connection.scalars(alike)]
        sound = {likeness: keys for likeness, keys in rows if isinstance(keys, list)}
        known = {likeness: sound[likeness] for likeness in likenesses if likeness in sound}
        return KeptAnswers(version, known, [likeness for likeness in likenesses if likeness not in known])

    def version(self) -> str:
        """Return the version of the list, "" where there is none."""
        return self._version()[0] if self._catalogue.is_created() else ""

    def names(self) -> list[str]:
        """Return the names under which anything is kept."""
        if not self._catalogue.is_created():
            return []
        with self._catalogue.connect() as connection:
            return [*connection.scalars(select(self._name).distinct())]

    def missing(self, name: str, filters: Mapping[str, object] | None = None) -> list[str]:
        """Return the likenesses that `of` returns as missing, without reading what is kept."""
        if not self._catalogue.is_created():
            return []
        version, is_sound = self._version()
        c = self._table.c
        kept = select(c.likeness).where(self._name == name, c.made_by == self._made_by)
        asked = [LISTING.c.likeness != "", *_filter_conditions(filters or {})]
        asked += [LISTING.c.likeness.not_in(kept)] if is_sound else []
        with self._catalogue.connect() as connection:
            return [*connection.scalars(select(LISTING.c.likeness).where(*asked).distinct())] if version else []

    def put(self, name: str, version: str, kept: Mapping[str, Kept]) -> None:
        """Keep what was made of the runs as they were at a version of the list, unless they changed since."""
        rows = [
            {self._name.name: name, "likeness": likeness, "made_by": self._made_by, "keys": keys}
            for likeness, keys in kept.items()
        ]

        def write(connection: Connection) -> None:
            # holds the row that every change of a run writes, so that none comes between this and the end
            unchanged = update(LISTING_STATE).where(LISTING_STATE.c.version == version).values(version=version)
            if connection.execute(unchanged).rowcount == 0:
                return
            _forget_unsound(connection, version)
            for begin in range(0, len(rows), _AT_ONCE):
                own = self._table.c.likeness.in_([row["likeness"] for row in rows[begin : begin + _AT_ONCE]])
                connection.execute(delete(self._table).where(self._name == name, own))
            connection.execute(insert(self._table), rows)

        if rows:
            transact(self._catalogue, write)

    def _version(self) -> tuple[str, bool]:
        """Return the version of the list, and whether all that changed the runs took out what was kept of them."""
        with self._catalogue.connect() as connection:
            row = connection.execute(_VERSIONS).first()
        return (row.version, row.version == row.kept_version) if row else ("", False)


def _filter_conditions(filters: Mapping[str, object]) -> list[ColumnElement[bool]]:
    return [LISTING.c[column] == value for column, value in filters.items()]


def _forget_unsound(connection: Connection, version: str) -> None:
    """Take out everything where a release that does not know of it has changed runs since it was kept."""
    stale = update(LISTING_STATE).where(LISTING_STATE.c.kept_version.is_distinct_from(version))
    if connection.execute(stale.values(kept_version=version)).rowcount:
        for table in KEPT_BY_LIKENESS:
            connection.execute(delete(table))


_AT_ONCE = 500
_VERSIONS = select(LISTING_STATE.c.version, LISTING_STATE.c.kept_version)
