"""Likenesses (hashes of keys) of the runs in the list, read without reading every run."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import CTE, ColumnElement, Connection, func, literal, select

from storage.catalogue import Catalogue
from storage.tables import LISTING

_MAX_STEPS = 2_000
"""Maximum number of likenesses that are looked up one after another: a step costs as much as
reading 20 to 100 runs.
"""
_BATCH_SIZE = 500
"""Maximum number of likenesses per query."""


def distinct_likenesses(
    connection: Connection, conditions: Sequence[ColumnElement[bool]], expected: int
) -> list[str]:
    """List the likenesses of the runs that meet all conditions about table `listing`, each once;
    damaged runs have none.

    If few likenesses are `expected`, each is looked up in the index as the next after the one
    before, so that the time grows with their number and not with the number of runs.
    """
    if expected > _MAX_STEPS:
        fits = (LISTING.c.likeness != "", *conditions)
        return [*connection.scalars(select(LISTING.c.likeness).where(*fits).distinct())]
    steps = _likeness_steps()
    query = select(steps.c.likeness).where(steps.c.likeness.is_not(None))
    if conditions:
        # A subquery with a limit and not EXISTS, which PostgreSQL may turn into a join that reads
        # every run.
        fitting = select(literal(1)).where(LISTING.c.likeness == steps.c.likeness, *conditions)
        query = query.where(fitting.limit(1).correlate(steps).scalar_subquery().is_not(None))
    return [*connection.scalars(query)]


def _likeness_steps() -> CTE:
    """Build a table of all likenesses, the last row null, each looked up in the index as the next
    after the one before.
    """
    first = select(func.min(LISTING.c.likeness).label("likeness")).where(LISTING.c.likeness > "")
    steps = first.cte("steps", recursive=True)
    following = select(func.min(LISTING.c.likeness)).where(LISTING.c.likeness > steps.c.likeness)
    # The last step finds no further likeness: null.
    later = select(following.scalar_subquery()).where(steps.c.likeness.is_not(None))
    return steps.union_all(later)


def count_runs_up_to(catalogue: Catalogue, likenesses: Sequence[str], most: int) -> dict[str, int]:
    """Map the likenesses, in their order, to the number of their runs, `most` if there are more;
    likenesses without runs are left out.

    If there are few likenesses, the time does not grow with the number of runs.
    """
    if len(likenesses) > _MAX_STEPS:
        counts = count_runs(catalogue, likenesses)
        return {likeness: min(count, most) for likeness, count in counts.items()}
    steps = _likeness_steps()
    alike = select(literal(1)).where(LISTING.c.likeness == steps.c.likeness).correlate(steps)
    some = alike.limit(most).subquery()
    count = select(func.count()).select_from(some).scalar_subquery()
    query = select(steps.c.likeness, count).where(steps.c.likeness.is_not(None))
    with catalogue.connect() as connection:
        found = {likeness: runs for likeness, runs in connection.execute(query)}  # noqa: C416 - rows are no pairs to mypy
    return {likeness: found[likeness] for likeness in likenesses if likeness in found}


def count_runs(catalogue: Catalogue, likenesses: Sequence[str]) -> dict[str, int]:
    """Map the likenesses, in their order, to the number of their runs; likenesses without runs are
    left out.
    """
    c = LISTING.c
    query = select(c.likeness, func.count()).group_by(c.likeness)
    is_many = len(likenesses) > _BATCH_SIZE
    query = query.where(c.likeness != "" if is_many else c.likeness.in_(likenesses))
    with catalogue.connect() as connection:
        counts = {likeness: count for likeness, count in connection.execute(query)}  # noqa: C416 - rows are no pairs to mypy
    return {likeness: counts[likeness] for likeness in likenesses if likeness in counts}
