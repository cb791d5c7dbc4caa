"""Keep table `listing` consistent with table `runs`, within the transaction of each change of a
run.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Select,
    bindparam,
    case,
    delete,
    func,
    insert,
    or_,
    select,
    text,
    update,
)

from schema.likeness import likeness, run_key
from storage import combinations, observation, search_index
from storage.annotation import Annotation, ingest_tags, parse_annotation
from storage.listed_run import listing_row
from storage.people_tables import ANNOTATIONS, RUN_TAGS
from storage.rule_tables import KEY_STATUS
from storage.stored_run import StoredRun, stored_run
from storage.tables import KEY_TRENDS, LISTING, LISTING_STATE, OBSERVATIONS, RUNS

CACHED_BY_LIKENESS = (KEY_STATUS, KEY_TRENDS)
"""Tables with cached results per likeness, which are deleted when a run with the likeness changes.
"""
MANY = 1000
"""Number of inserted runs after which the database's statistics of its tables are updated."""
_BATCH_SIZE = 500
"""Number of runs that are read and listed at the same time."""
_IDS: BindParameter[list[str]] = bindparam("ids", expanding=True)
# Built once: building a statement takes longer than executing it.
_UNLIST = [delete(table).where(table.c.run_id.in_(_IDS)) for table in (LISTING, RUN_TAGS)]
_WERE_ALIKE = select(LISTING.c.likeness).where(LISTING.c.run_id.in_(_IDS))
_NEW: BindParameter[list[str]] = bindparam("new", expanding=True)
_FORGET_KEYS = [
    delete(table).where(or_(table.c.likeness.in_(_WERE_ALIKE), table.c.likeness.in_(_NEW)))
    for table in CACHED_BY_LIKENESS
]
_CHANGED: BindParameter[str] = bindparam("changed")
# An older release changes only `version`; then both columns must stay different.
_IN_STEP = case(
    (LISTING_STATE.c.kept_version == LISTING_STATE.c.version, _CHANGED),
    else_=LISTING_STATE.c.kept_version,
)
_MARK_CHANGED = update(LISTING_STATE).values(version=_CHANGED, kept_version=_IN_STEP)
_LATER_COLUMNS = (LISTING.c.likeness, LISTING.c.headline)
"""Columns that are null in rows that an older release wrote, which are then computed again."""
_BRANCHES = select(OBSERVATIONS.c.run_id, OBSERVATIONS.c.branch).where(
    OBSERVATIONS.c.run_id.in_(_IDS)
)
_ANNOTATIONS = select(ANNOTATIONS).where(ANNOTATIONS.c.run_id.in_(_IDS))


def put(connection: Connection, stored: StoredRun) -> None:
    """Insert or replace the `listing` row of a run, within the caller's transaction."""
    put_all(connection, [stored])


def put_all(connection: Connection, runs: Sequence[StoredRun]) -> None:
    """Insert or replace the `listing` rows of up to 500 runs, within the caller's transaction.

    Their tags, their rows in the search index and the counts of their combinations are replaced
    too, and cached results of their likenesses are deleted.
    """
    ids = [run.run_id for run in runs]
    mark_changed(connection)
    _forget_keys(connection, ids, {likeness(run_key(run.run)) for run in runs})
    before = combinations.read_runs(connection, ids)
    _unlist(connection, ids)
    _list(connection, runs)
    after = combinations.read_runs(connection, ids)
    combinations.count_changed(connection, before, after)


def remove(connection: Connection, run_id: str) -> None:
    """Delete the `listing` row of a run with its tags, its row in the search index, and the cached
    results of its likeness; an unknown id is ignored.
    """
    mark_changed(connection)
    _forget_keys(connection, [run_id])
    before = combinations.read_runs(connection, [run_id])
    _unlist(connection, [run_id])
    combinations.count_changed(connection, before, [])


def _forget_keys(connection: Connection, ids: Sequence[str], new: Collection[str] = ()) -> None:
    """Delete the cached results of the likenesses that the runs `ids` have in the list, and of
    `new`.

    It must follow `mark_changed`, so that no process caches results of the old runs in between.
    """
    for statement in _FORGET_KEYS:
        connection.execute(statement, {"ids": ids, "new": [*new]})


def _unlist(connection: Connection, ids: Sequence[str]) -> None:
    search_index.forget(connection, ids)
    for statement in _UNLIST:
        connection.execute(statement, {"ids": ids})


def _list(connection: Connection, runs: Sequence[StoredRun]) -> None:
    """Insert the `listing` rows of runs that have no row, with their annotations.

    If a run has no observation, it gets an observation from its frame `run`.
    """
    ids = [run.run_id for run in runs]
    counts = observation.count_each(connection, [run.run for run in runs])
    runs = [replace(run, observations=counts[run.run_id]) for run in runs]
    added = select_annotations(connection, ids)
    annotations = {run.run_id: added.get(run.run_id, Annotation()) for run in runs}
    branches = _select_branches(connection, [run_id for run_id in ids if counts[run_id] > 1])
    rows = [
        listing_row(run, annotations[run.run_id]) | {"branches": branches.get(run.run_id)}
        for run in runs
    ]
    connection.execute(insert(LISTING), rows)
    search_index.add_missing(connection)
    tags = [
        {"run_id": run.run_id, "tag": tag}
        for run in runs
        for tag in annotations[run.run_id].with_tags(ingest_tags(run.run)).tags or ()
    ]
    if tags:
        connection.execute(insert(RUN_TAGS), tags)


def _select_branches(connection: Connection, ids: Sequence[str]) -> dict[str, str]:
    """Map the ids of runs to the encoded branches of their captures."""
    if not ids:
        return {}
    branches = defaultdict(set)
    for row in connection.execute(_BRANCHES, {"ids": ids}):
        branches[row.run_id].add(row.branch)
    return {run_id: combinations.encode_branches(names) for run_id, names in branches.items()}


def select_annotations(connection: Connection, ids: Sequence[str]) -> dict[str, Annotation]:
    """Map run ids to annotations as they are stored, for up to 500 runs; runs without an annotation
    are left out.
    """
    return {
        row.run_id: parse_annotation(row) for row in connection.execute(_ANNOTATIONS, {"ids": ids})
    }


def mark_changed(connection: Connection) -> None:
    """Replace the version of the list of runs by a new random text of 16 hexadecimal digits.

    Other writers wait until the transaction ends.
    """
    # A random token and not a counter, because a restored backup continues another history.
    version = secrets.token_hex(8)
    if connection.execute(_MARK_CHANGED, {"changed": version}).rowcount == 0:
        connection.execute(insert(LISTING_STATE).values(version=version, kept_version=version))


def is_behind(connection: Connection) -> bool:
    """Whether the list of runs needs `fill`: an older release, which does not maintain it, may have
    changed the runs, or the counts of combinations have another sum.
    """
    counts = (
        select(func.count()).select_from(table).scalar_subquery() for table in (RUNS, LISTING)
    )
    # One statement, because other processes may change runs between two.
    statement: Select[Any] = select(*counts, combinations.SUM_OF_RUNS)
    runs, rows, counted = connection.execute(statement).one()
    # Two queries, because each has an index and their disjunction has none.
    older = [
        connection.scalar(select(LISTING.c.run_id).where(column.is_(None)).limit(1))
        for column in _LATER_COLUMNS
    ]
    unversioned = connection.scalar(select(LISTING_STATE.c.version)) is None
    return (
        runs != rows
        or counted != rows
        or any(older)
        or unversioned
        or search_index.is_behind(connection)
    )


def begin(connection: Connection) -> None:
    """Prepare the empty tables of a new catalogue, as `fill` would: the version of the list of runs
    and the search index.
    """
    mark_changed(connection)
    search_index.make(connection)


def fill(connection: Connection) -> None:
    """Make the rows of table `listing` equal to the current runs: add, replace and delete rows.

    All cached results are deleted, the search index is made if it is missing, and the combinations
    are counted again.
    """
    mark_changed(connection)
    for table in CACHED_BY_LIKENESS:
        connection.execute(delete(table))
    # No cached result is left, so that none can be outdated.
    connection.execute(update(LISTING_STATE).values(kept_version=LISTING_STATE.c.version))
    search_index.make(connection)
    search_index.add_missing(connection)
    stale = select(LISTING.c.run_id).outerjoin(RUNS, _same_run()).where(RUNS.c.run_id.is_(None))
    older = or_(*(column.is_(None) for column in _LATER_COLUMNS))
    unlisted = list(
        connection.scalars(select(LISTING.c.run_id).where(LISTING.c.run_id.in_(stale) | older))
    )
    for begin in range(0, len(unlisted), _BATCH_SIZE):
        _unlist(connection, unlisted[begin : begin + _BATCH_SIZE])
    missing = (
        select(RUNS.c.run_id).outerjoin(LISTING, _same_run()).where(LISTING.c.run_id.is_(None))
    )
    ids = list(connection.scalars(missing))
    for begin in range(0, len(ids), _BATCH_SIZE):
        batch = ids[begin : begin + _BATCH_SIZE]
        _unlist(connection, batch)
        rows = connection.execute(select(RUNS).where(RUNS.c.run_id.in_(batch)))
        _list(connection, [*map(stored_run, rows)])
    combinations.count_all(connection)
    if len(ids) >= MANY:
        gather_statistics(connection)


def gather_statistics(connection: Connection) -> None:
    """Run ANALYZE in PostgreSQL after many inserts; SQLite needs no statistics.

    Until autovacuum does so, within a minute, PostgreSQL scans whole tables although an index would
    do.
    """
    if connection.dialect.name == "postgresql":
        for table in (RUNS, OBSERVATIONS, LISTING):
            connection.execute(text(f"ANALYZE {table.name}"))


def _same_run() -> ColumnElement[bool]:
    return (LISTING.c.run_id == RUNS.c.run_id) & (LISTING.c.prefix == RUNS.c.prefix)
