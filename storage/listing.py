"""Table `listing` kept in step with table `runs`: every change of a run goes through here, in its transaction."""

from __future__ import annotations

import secrets

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update

from storage.listed_run import listed
from storage.stored_run import StoredRun, stored_run
from storage.tables import LISTING, LISTING_STATE, RUNS

_AT_ONCE = 500
"""Runs that are read and listed at once."""


def put(connection: Connection, stored: StoredRun) -> None:
    """List a run, in place of what was listed of it."""
    connection.execute(delete(LISTING).where(LISTING.c.run_id == stored.run_id))
    connection.execute(insert(LISTING).values(listed(stored)))
    mark_changed(connection)


def remove(connection: Connection, run_id: str) -> None:
    """List a run no more."""
    connection.execute(delete(LISTING).where(LISTING.c.run_id == run_id))
    mark_changed(connection)


def mark_changed(connection: Connection) -> None:
    """Give the list another version, one that it never had.

    It is the last statement of a transaction: other writers wait for its row until the transaction ends.
    """
    version = secrets.token_hex(8)
    if connection.execute(update(LISTING_STATE).values(version=version)).rowcount == 0:
        connection.execute(insert(LISTING_STATE).values(version=version))


def is_behind(connection: Connection) -> bool:
    """Return whether a release that does not know the list may have changed the runs."""
    runs, rows = (connection.scalar(select(func.count()).select_from(table)) for table in (RUNS, LISTING))
    older = connection.scalar(select(LISTING.c.run_id).where(LISTING.c.likeness.is_(None)).limit(1))
    return runs != rows or older is not None or connection.scalar(select(LISTING_STATE.c.version)) is None


def fill(connection: Connection) -> None:
    """List every run that is not listed as it is, and none that is gone."""
    stale = select(LISTING.c.run_id).outerjoin(RUNS, _same_run()).where(RUNS.c.run_id.is_(None))
    older = LISTING.c.likeness.is_(None)
    connection.execute(delete(LISTING).where(LISTING.c.run_id.in_(stale.scalar_subquery()) | older))
    missing = select(RUNS.c.run_id).outerjoin(LISTING, _same_run()).where(LISTING.c.run_id.is_(None))
    ids = list(connection.scalars(missing))
    for begin in range(0, len(ids), _AT_ONCE):
        rows = connection.execute(select(RUNS).where(RUNS.c.run_id.in_(ids[begin : begin + _AT_ONCE])))
        connection.execute(insert(LISTING), [listed(stored_run(row)) for row in rows])
    mark_changed(connection)


def _same_run() -> ColumnElement[bool]:
    return (LISTING.c.run_id == RUNS.c.run_id) & (LISTING.c.prefix == RUNS.c.prefix)
