"""Which runs are older than the newest of their key, asked of the database."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import func, select

from storage.catalogue import Catalogue
from storage.people_tables import ANNOTATIONS
from storage.tables import LISTING


def outdated_runs(catalogue: Catalogue, keep_last: int, by: Sequence[str]) -> list[str]:
    """Return ids, oldest first, of the runs that are not among the `keep_last` newest of those equal in `by`.

    Pinned runs are neither named nor counted. A run's age is that of its capture, else of its ingest.
    """
    if not catalogue.is_created():
        return []
    columns = LISTING.c
    pinned = select(ANNOTATIONS.c.run_id).where(ANNOTATIONS.c.pinned)
    newest_first = [columns.date.desc(), columns.created_at.desc(), columns.run_id.desc()]
    rank = func.row_number().over(partition_by=[columns[name] for name in by] or None, order_by=newest_first)
    ranked = select(columns.run_id, columns.date, columns.created_at, rank.label("rank"))
    ranked_runs = ranked.where(columns.run_id.not_in(pinned)).subquery()
    old = select(ranked_runs.c.run_id).where(ranked_runs.c.rank > keep_last)
    oldest_first = old.order_by(ranked_runs.c.date, ranked_runs.c.created_at, ranked_runs.c.run_id)
    with catalogue.connect() as connection:
        return list(connection.scalars(oldest_first))
