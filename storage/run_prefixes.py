"""Prefixes of the stored files of runs, many at a time."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import bindparam, select

from storage.catalogue import Catalogue
from storage.tables import RUNS
from storage.text import is_plain

_BATCH_SIZE = 500
"""Maximum number of run ids per query: SQLite limits the parameters of a statement."""
_PREFIX = select(RUNS.c.prefix).where(RUNS.c.run_id == bindparam("id"))


def read_prefix(catalogue: Catalogue, run_id: str) -> str | None:
    """Return the prefix of the stored files of a run; None if there is no such run.

    It is a fifth of the work of reading and checking the run's whole row.
    """
    # PostgreSQL refuses a text with NUL, which an address may contain.
    if not catalogue.is_created() or not is_plain(run_id):
        return None
    with catalogue.connect() as connection:
        prefix = connection.execute(_PREFIX, {"id": run_id}).scalar()
    return None if prefix is None else str(prefix)


def read_prefixes(catalogue: Catalogue, run_ids: Collection[str]) -> dict[str, str]:
    """Map the ids of these runs to their prefixes; runs that do not exist are left out.

    A prefix changes when the stored content of its run changes.
    """
    if not catalogue.is_created():
        return {}
    prefixes: dict[str, str] = {}
    ids = sorted(run_ids)
    with catalogue.connect() as connection:
        for begin in range(0, len(ids), _BATCH_SIZE):
            batch = ids[begin : begin + _BATCH_SIZE]
            query = select(RUNS.c.run_id, RUNS.c.prefix).where(RUNS.c.run_id.in_(batch))
            prefixes.update({row.run_id: row.prefix for row in connection.execute(query)})
    return prefixes
