"""Count the runs that match a filter, in total and per facet: the statement, and the evaluation of
its rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    CTE,
    ColumnElement,
    Float,
    Row,
    Select,
    String,
    Subquery,
    and_,
    bindparam,
    case,
    cast,
    distinct,
    func,
    literal,
    null,
    select,
    union_all,
)

from storage.combination_tables import COMBINATION_LABELS, COMBINATIONS, GROUPED
from storage.people_tables import RUN_TAGS
from storage.run_conditions import (
    SEEN,
    L,
    Shape,
    capture_conditions,
    combination_conditions,
    conditions,
    is_of_combinations,
)
from storage.run_query import COLUMNS, FACETS
from storage.tables import COUNTED_RATE, LISTING, OBSERVATIONS, VALUED


@dataclass(frozen=True)
class Totals:
    """Counts of the runs that match a filter.

    `best` is the highest rate in GMAC/s of a run at or below its peak. `with_value` maps the columns
    in which any run has a value to their numbers of such runs (`created_at`: runs with a date of
    ingest other than `date`). `sized` runs have the size of a GEMM; `drawable` runs also have a
    rate that counts, of at most `fastest` GMAC/s.
    """

    runs: int = 0
    hwids: int = 0
    best: float | None = None
    with_value: Mapping[str, int] = field(default_factory=dict)
    sized: int = 0
    drawable: int = 0
    fastest: float | None = None


@dataclass(frozen=True)
class FacetCounts:
    """The most frequent values of a facet with their numbers of runs, and the number of all values."""

    runs: dict[str, int] = field(default_factory=dict)
    values: int = 0


@dataclass(frozen=True)
class Counts:
    """Counts of the runs that match a filter: in total and per facet."""

    totals: Totals
    facets: dict[str, FacetCounts]


C = COMBINATIONS.c
_NUMBERS = ("runs", "rated", "fastest", "best")
_CORRELATED = (("source", "hwid", "grid", "mac_dtype"), ("M", "K", "N"), ("m", "k", "n"))
"""Groups of facets that are counted together, because their values are often correlated."""


def parse_counts(rows: Iterable[Row[Any]]) -> Counts:
    """Convert the rows of the statement of `count_runs` to counts; every facet has an entry, and
    all counts are 0 if there are no rows.
    """
    totals = [row for row in rows if row.facet == ""]
    return Counts(
        _sum_totals(totals) if totals else Totals(), _group_counts(row for row in rows if row.facet)
    )


@lru_cache(maxsize=64)
def count_runs(shape: Shape, most: int, searched: frozenset[str]) -> Select[Any]:
    """Build the statement that counts runs in total and by the values of each facet.

    All facets are counted in one pass, except facets with chosen values, each of which is counted
    without its own condition. Besides the `most` frequent values of a facet, the result has its
    chosen values (parameter `chosen_<facet>`). Values of facets in `searched` must match the
    pattern in parameter `find_<facet>`. `parse_counts` reads the result.
    """
    grouped = _counts_by_facet(shape)
    parts = [_totals(grouped["M"], grouped["hwid"])]
    for facet in FACETS:
        chosen = facet in shape.chosen
        counted = _count_values(
            facet, shape.without(facet), None if chosen else grouped.get(facet)
        ).subquery()
        parts.append(_first_values(counted, most, facet if facet in searched else ""))
        if chosen:
            parts.append(
                select(counted).where(
                    counted.c.value.in_(bindparam(f"chosen_{facet}", expanding=True))
                )
            )
    return select(union_all(*(select(part.subquery()) for part in parts)).subquery())


def _count_values(facet: str, shape: Shape, counted: CTE | None) -> Select[Any]:
    """Build the statement that counts the runs of each value of a facet.

    `counted` is a table with counts by the facet and a few other columns, None if there is no such
    table: the runs are then counted directly.
    """
    if facet == "tag":
        return _count_tags(shape)
    if facet == "branch":
        return _count_branches(shape)
    return _select_value_counts(facet, _combinations(shape) if counted is None else counted)


def _counts_by_facet(shape: Shape) -> dict[str, CTE]:
    """Map each facet to a common table expression that counts runs by the facet and a few
    correlated columns; facets of a group of _CORRELATED share it.

    There are far fewer combinations of a few columns than of all columns, and each facet is counted
    from these.
    """
    combinations = _combinations(shape)
    sums: dict[str, Callable[[ColumnElement[Any]], ColumnElement[Any]]] = {
        "runs": func.sum,
        "rated": func.sum,
        "fastest": func.max,
        "best": func.max,
    }
    tables: dict[str, CTE] = {}
    for facets in _CORRELATED:
        names = [*map(_column_name, facets), *(["valued"] if "M" in facets else [])]
        columns = [combinations.c[name] for name in names]
        summed = [add(combinations.c[name]).label(name) for name, add in sums.items()]
        tables |= dict.fromkeys(facets, select(*columns, *summed).group_by(*columns).cte())
    return tables


def _combinations(shape: Shape) -> CTE:
    """Count the runs of each combination of facet values and `valued`: columns of the facets,
    `valued`, `runs`, `rated` (runs with a rate that counts), `fastest` and `best` (GMAC/s).

    The counts are read from table `combinations` unless only some runs of a combination match.
    """
    if is_of_combinations(shape):
        counted = [C[name].label(C[name].name) for name in (*GROUPED, *_NUMBERS)]
        return select(*counted).where(*combination_conditions(shape, C)).cte()
    columns = [*(L[name].label(_column_name(name)) for name in COLUMNS), L.valued]
    return (
        select(
            *columns,
            func.count().label("runs"),
            func.count(COUNTED_RATE).label("rated"),
            func.max(COUNTED_RATE).label("fastest"),
            func.max(L.best_in_peak).label("best"),
        )
        .where(*conditions(shape))
        .group_by(*columns)
        .cte()
    )


def _column_name(facet: str) -> str:
    """Return the name of a facet's column in SQL: the database does not distinguish M from m."""
    return str(L[facet].name)


def _totals(sizes_counted: CTE, hwids_counted: CTE) -> Select[Any]:
    """Count runs by column `valued`, a bit mask of the columns with values, so that there are few
    rows.

    Columns: facet (""), value (the mask as text), runs, values (number of hwids), best, sized,
    drawable and fastest, see `Totals`.
    """
    c = sizes_counted.c
    hwid = hwids_counted.c.hwid
    sizes = [c[_column_name(name)] for name in "MKN"]
    sized = and_(*(size.is_not(None) for size in sizes))
    drawable = and_(*(size > 0 for size in sizes), c.fastest.is_not(None))
    return select(
        literal("").label("facet"),
        cast(c.valued, String).label("value"),
        func.sum(c.runs).label("runs"),
        select(func.count(distinct(hwid))).where(hwid != "").scalar_subquery().label("values"),
        func.max(c.best).label("best"),
        func.sum(case((sized, c.runs), else_=0)).label("sized"),
        func.sum(case((drawable, c.rated), else_=0)).label("drawable"),
        func.max(case((drawable, c.fastest))).label("fastest"),
    ).group_by(c.valued)


def _select_value_counts(facet: str, combinations: CTE) -> Select[Any]:
    """Count the runs of each value of a facet, with the columns of `_totals`: `value` is the value
    as text ("" if missing), `values` the number of all values, and the last four are null.
    """
    column = combinations.c[_column_name(facet)]
    columns = [
        literal(facet).label("facet"),
        func.coalesce(cast(column, String), "").label("value"),
        func.sum(combinations.c.runs).label("runs"),
        func.count().over().label("values"),
    ]
    return select(*columns, *_null_columns()).group_by(column)


def _count_tags(shape: Shape) -> Select[Any]:
    """Count the runs of each tag, with the columns of `_totals`.

    If not all runs of a combination match, they are counted by their set of tags; then a single run
    per set is joined with its tags.
    """
    if is_of_combinations(shape):
        return _count_labels(shape, "tag")
    same = select(func.min(L.run_id).label("run_id"), func.count().label("runs"))
    alike = same.where(L.tags != "", *conditions(shape)).group_by(L.tags).subquery()
    columns = [
        literal("tag").label("facet"),
        RUN_TAGS.c.tag.label("value"),
        func.sum(alike.c.runs).label("runs"),
        func.count().over().label("values"),
    ]
    listed = RUN_TAGS.join(alike, alike.c.run_id == RUN_TAGS.c.run_id)
    return select(*columns, *_null_columns()).select_from(listed).group_by(RUN_TAGS.c.tag)


def _count_branches(shape: Shape) -> Select[Any]:
    """Count the runs captured on each branch, with the columns of `_totals`."""
    if is_of_combinations(shape):
        return _count_labels(shape, "branch")
    of_runs = conditions(replace(shape, capture=frozenset()))
    if shape.capture:
        captures = _select_capture_counts().select_from(
            OBSERVATIONS.join(LISTING, L.run_id == SEEN.run_id)
        )
        counted = captures.where(*of_runs, *capture_conditions(shape.capture)).subquery()
    else:  # most runs have a single capture, whose branch is in table `listing`
        once = select(L.branch.label("branch"), func.count().label("runs"))
        once = once.where(L.observations == 1, *of_runs).group_by(L.branch)
        again = select(L.run_id).where(L.observations > 1, *of_runs)
        counted = union_all(once, _select_capture_counts().where(SEEN.run_id.in_(again))).subquery()
    columns = [
        literal("branch").label("facet"),
        counted.c.branch.label("value"),
        func.sum(counted.c.runs).label("runs"),
        func.count().over().label("values"),
    ]
    return select(*columns, *_null_columns()).group_by(counted.c.branch)


def _count_labels(shape: Shape, kind: str) -> Select[Any]:
    """Count the runs of each tag or branch from the combinations, with the columns of `_totals`."""
    labels = COMBINATION_LABELS.c
    columns = [
        literal(kind).label("facet"),
        labels.value.label("value"),
        func.sum(labels.runs).label("runs"),
        func.count().over().label("values"),
    ]
    counted = select(*columns, *_null_columns()).where(labels.kind == kind).group_by(labels.value)
    if conditions := combination_conditions(shape, C):
        counted = counted.where(labels.combination.in_(select(C.id).where(*conditions)))
    return counted


def _select_capture_counts() -> Select[Any]:
    columns = [SEEN.branch.label("branch"), func.count(distinct(SEEN.run_id)).label("runs")]
    return select(*columns).group_by(SEEN.branch)


def _null_columns() -> list[ColumnElement[float]]:
    """Build the columns of `_totals` that counts of values do not have, as nulls."""
    return [cast(null(), Float).label(name) for name in ("best", "sized", "drawable", "fastest")]


def _first_values(counted: Subquery, most: int, searched: str) -> Select[Any]:
    """Select the rows of the `most` frequent values of a facet, most runs first.

    If `searched`, the name of the facet, is not "", only values that match parameter
    `find_<searched>` are selected.
    """
    first = select(counted).order_by(counted.c.runs.desc(), counted.c.value).limit(most)
    return (
        first.where(counted.c.value.like(bindparam(f"find_{searched}"), escape="/"))
        if searched
        else first
    )


def _sum_totals(rows: Sequence[Row[Any]]) -> Totals:
    """Sum up the rows of `_totals`, of which there is a row per combination of columns with values.

    Rates are None if no run has a rate.
    """
    runs_by_mask = [(int(row.value), int(row.runs)) for row in rows]
    with_value = {
        name: sum(runs for mask, runs in runs_by_mask if mask >> bit & 1)
        for name, bit in VALUED.items()
    }
    return Totals(
        runs=int(sum(row.runs for row in rows)),
        hwids=int(rows[0].values),
        best=_highest(row.best for row in rows),
        with_value={name: runs for name, runs in with_value.items() if runs},
        sized=int(sum(row.sized for row in rows)),
        drawable=int(sum(row.drawable for row in rows)),
        fastest=_highest(row.fastest for row in rows),
    )


def _highest(values: Iterable[object]) -> float | None:
    return max((float(value) for value in values if isinstance(value, (int, float))), default=None)


def _group_counts(rows: Iterable[Row[Any]]) -> dict[str, FacetCounts]:
    """Map every facet to its counts, from the rows about values; a facet without rows has no
    values.
    """
    counts = {facet: FacetCounts() for facet in FACETS}
    for row in rows:
        before = counts[row.facet]
        counts[row.facet] = FacetCounts(
            before.runs | {row.value: int(row.runs)}, max(before.values, int(row.values))
        )
    return counts
