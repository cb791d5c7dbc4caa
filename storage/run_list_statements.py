"""The SQL statements of the list of runs: a page, groups of equal GEMMs, points, hwids."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sqlalchemy import Select, and_, case, func, or_, select

from storage.run_conditions import L, Shape, after, conditions, order, sorting
from storage.run_query import RunPoint
from storage.tables import COUNTED_RATE

GROUP = ("hwid", "M", "K", "N", "grid", "mac_dtype")
"""Columns that the runs of a group share: rates of other sizes, grids and data types are not
comparable.
"""
_TILE = ("m", "k", "n")
"""Columns of the tile; their SQL labels get a prefix, because SQLite does not distinguish m from M.
"""
_DRAWABLE = (L.size > 0) & COUNTED_RATE.is_not(None)


# Statements are cached by the shape of the filter: building a statement takes longer than executing
# it.
@lru_cache(maxsize=256)
def select_page(shape: Shape, sort: str, most: int, valued: bool | None) -> Select[Any]:
    """Build the statement for the first `most` runs of a page: columns run_id, date, observations,
    value.

    `valued` is None for the first page; otherwise it is whether the position after which the page
    begins has a value in the sort column.
    """
    column, _ = sorting(sort)
    beyond = [] if valued is None else [after(sort, valued)]
    chosen = select(L.run_id, L.date, L.observations, column.label("value")).where(
        *conditions(shape), *beyond
    )
    return chosen.order_by(*order(sort)).limit(most)


@lru_cache(maxsize=64)
def select_groups(shape: Shape, most: int) -> Select[Any]:
    """Build the statement for the first `most` groups of `RunList.groups`, and the number of all groups in
    column `groups`.
    """
    keys = [L[key].label(key) for key in GROUP]
    fastest_first = [COUNTED_RATE.desc().nulls_last(), L.created_at.desc(), L.run_id]
    ranked = (
        select(
            *keys,
            *(L[name].label(f"tile_{name}") for name in _TILE),
            L.run_id,
            L.date,
            COUNTED_RATE.label("rate"),
            func.row_number().over(partition_by=keys, order_by=fastest_first).label("rank"),
            func.count(COUNTED_RATE).over(partition_by=keys).label("rated"),
        )
        .where(L.size.is_not(None), *conditions(shape))
        .subquery()
    )
    c = ranked.c
    # The middle rank, or both middle ranks if the number of rates is even.
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
def select_points(shape: Shape, most: int) -> Select[Any]:
    """Build the statement for the points of at most `most` runs with a size and a rate."""
    drawn = [L[name].label(name) for name in RunPoint._fields]
    return select(*drawn).where(_DRAWABLE, *conditions(shape)).order_by(L.run_id).limit(most)


def select_hwids(most: int) -> Select[Any]:
    """Build the statement for the first `most` hwids in the order of their first ingest."""
    first = select(L.hwid).where(L.hwid != "").group_by(L.hwid)
    return first.order_by(func.min(L.created_at), L.hwid).limit(most)
