"""Sizes of a store in bytes: files of runs by source, day and user, and the database."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Executable, Row, func, select, text

from storage.catalogue import Catalogue
from storage.tables import LISTING, OBSERVATIONS
from storage.versions import read_revision

_LISTING = LISTING.c
_BYTES = func.coalesce(func.sum(_LISTING.stored_bytes), 0).label("bytes")
_UNKNOWN = (func.count() - func.count(_LISTING.stored_bytes)).label("unknown")
# ISO 8601 in UTC begins with the date, so that every database can cut it out.
_DAY = func.substr(_LISTING.created_at, 1, 10)
_DATABASE_BYTES: dict[str, Executable] = {
    "postgresql": select(func.pg_database_size(func.current_database())),
    "sqlite": text("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"),
}


@dataclass(frozen=True)
class StoredRuns:
    """Number of runs of a source and bytes of their files; the bytes of `unknown` runs were never
    recorded.

    `day` is the day of their ingest (UTC, ISO 8601), "" for all days.
    """

    source: str
    runs: int
    bytes: int
    unknown: int
    day: str = ""


@dataclass(frozen=True)
class AuthorRuns:
    """Number of runs that a user ingested first; `user` is "" if the release that stored them
    recorded no user.

    `last_at` is ISO 8601 in UTC.
    """

    user: str
    runs: int
    bytes: int
    last_at: str


def stored_by_source(catalogue: Catalogue) -> list[StoredRuns]:
    """Sum up runs and bytes by source, in alphabetical order; empty if there is no catalogue."""
    query = select(_LISTING.source, func.count().label("runs"), _BYTES, _UNKNOWN).group_by(
        _LISTING.source
    )
    return [_stored_runs(row) for row in catalogue.rows(query.order_by(_LISTING.source))]


def stored_by_day(catalogue: Catalogue) -> list[StoredRuns]:
    """Sum up runs and bytes by day of the ingest (UTC) and source, oldest day first; days without
    runs are left out. Empty if there is no catalogue.
    """
    query = select(_LISTING.source, func.count().label("runs"), _BYTES, _UNKNOWN, _DAY.label("day"))
    rows = catalogue.rows(query.group_by(_LISTING.source, _DAY).order_by(_DAY, _LISTING.source))
    return [_stored_runs(row, row.day) for row in rows]


def stored_by_author(catalogue: Catalogue, limit: int) -> list[AuthorRuns]:
    """Sum up runs and bytes by the user who ingested them first, most runs first.

    At most `limit` users; empty if there is no catalogue.
    """
    o = OBSERVATIONS.c
    runs = func.count().label("runs")
    last = func.max(o.observed_at).label("last")
    joined = OBSERVATIONS.join(LISTING, _LISTING.run_id == o.run_id)
    query = (
        select(o.observed_by, runs, _BYTES, last)
        .select_from(joined)
        .where(o.number == 1)
        .group_by(o.observed_by)
    )
    rows = catalogue.rows(query.order_by(runs.desc(), o.observed_by).limit(limit))
    return [AuthorRuns(row.observed_by, row.runs, int(row.bytes), row.last) for row in rows]


def count_damaged(catalogue: Catalogue) -> int:
    """Count the damaged runs, whose rows cannot be read; 0 if there is no catalogue."""
    if not catalogue.is_created():
        return 0
    with catalogue.connect() as connection:
        return (
            connection.scalar(
                select(func.count()).select_from(LISTING).where(_LISTING.likeness == "")
            )
            or 0
        )


def database_bytes(catalogue: Catalogue) -> int | None:
    """Return the size of the database in bytes; None if there is no catalogue, or if it is neither
    SQLite nor PostgreSQL.
    """
    if not catalogue.is_created():
        return None
    with catalogue.connect() as connection:
        query = _DATABASE_BYTES.get(connection.dialect.name)
        return None if query is None else connection.scalar(query)


def catalogue_revision(catalogue: Catalogue) -> str | None:
    """Return the revision of the catalogue's tables, such as "0018"; None if there are no tables."""
    if not catalogue.is_created():
        return None
    with catalogue.connect() as connection:
        return read_revision(connection)


def _stored_runs(row: Row[tuple[object, ...]], day: str = "") -> StoredRuns:
    return StoredRuns(row.source, row.runs, int(row.bytes), int(row.unknown), day)
