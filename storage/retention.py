"""Find the runs that are older than the newest runs of their key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select

from storage.catalogue import Catalogue
from storage.people_tables import ANNOTATIONS
from storage.tables import LISTING

KEY_COLUMNS = ("source", "hwid", "M", "K", "N")
"""Columns of the key of retention."""
_BATCH_SIZE = 500
"""Maximum number of run ids per query."""


@dataclass(frozen=True)
class OutdatedRun:
    """A run that is older than the newest runs of its key.

    `stored_bytes` is the size of its files, None if an older release stored the run.
    """

    run_id: str
    name: str
    source: str
    date: str
    stored_bytes: int | None


def listed_runs(catalogue: Catalogue, ids: Sequence[str]) -> Iterator[OutdatedRun]:
    """Yield the records of runs `ids` in that order; runs that are not in table `listing`, because
    they were deleted, are left out.
    """
    c = LISTING.c
    query = select(c.run_id, c.name, c.source, c.date, c.stored_bytes)
    for begin in range(0, len(ids), _BATCH_SIZE):
        batch = ids[begin : begin + _BATCH_SIZE]
        with catalogue.connect() as connection:
            rows = {row.run_id: row for row in connection.execute(query.where(c.run_id.in_(batch)))}
        yield from (OutdatedRun(**rows[run_id]._mapping) for run_id in batch if run_id in rows)


def outdated_runs(catalogue: Catalogue, keep_last: int, by: Sequence[str]) -> dict[str, int]:
    """Map the ids of runs that are older than the `keep_last` newest runs with equal columns `by`
    to the bytes of their files, oldest run first.

    Pinned runs are left out and do not count. A run's age is that of its capture, else of its
    ingest. The bytes of a run that an older release stored are 0. Empty if there is no catalogue.
    """
    if not catalogue.is_created():
        return {}
    columns = LISTING.c
    pinned = select(ANNOTATIONS.c.run_id).where(ANNOTATIONS.c.pinned)
    # Ties are broken by ingest and id, so that every call selects the same runs.
    newest_first = [columns.date.desc(), columns.created_at.desc(), columns.run_id.desc()]
    rank = func.row_number().over(
        partition_by=[columns[name] for name in by] or None, order_by=newest_first
    )
    ranked = select(
        columns.run_id, columns.date, columns.created_at, columns.stored_bytes, rank.label("rank")
    )
    ranked_runs = ranked.where(columns.run_id.not_in(pinned)).subquery()
    old = select(
        ranked_runs.c.run_id, func.coalesce(ranked_runs.c.stored_bytes, 0).label("bytes")
    ).where(ranked_runs.c.rank > keep_last)
    oldest_first = old.order_by(ranked_runs.c.date, ranked_runs.c.created_at, ranked_runs.c.run_id)
    with catalogue.connect() as connection:
        return {row.run_id: row.bytes for row in connection.execute(oldest_first)}
