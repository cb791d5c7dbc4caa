"""Rows of the catalogue for a backup: read from a snapshot, checked, and written to an empty
catalogue.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from types import SimpleNamespace
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Connection,
    Float,
    Integer,
    Table,
    bindparam,
    delete,
    select,
)
from sqlalchemy import insert as insert_into
from sqlalchemy.exc import IntegrityError

from storage import listing
from storage.bisection_tables import BISECTIONS
from storage.catalogue import Catalogue
from storage.errors import StorageError
from storage.people_tables import (
    ANNOTATIONS,
    AUDIT,
    SAVED_PLACEMENTS,
    SAVED_QUERIES,
    SAVED_VIEWS,
    TOKENS,
)
from storage.rule_tables import ACKNOWLEDGEMENTS, RULE_VERDICTS, RULES
from storage.sqlite import Unreadable
from storage.stored_run import stored_run
from storage.tables import BASELINES, CHECKS, OBSERVATIONS, PENDING, RUNS
from storage.text import plain_text
from storage.work_tables import WATCHED

Row = dict[str, Any]
_RULE_TABLES = (RULES, RULE_VERDICTS, ACKNOWLEDGEMENTS)
_SAVED_TABLES = (
    RUNS,
    OBSERVATIONS,
    ANNOTATIONS,
    SAVED_PLACEMENTS,
    SAVED_VIEWS,
    SAVED_QUERIES,
    TOKENS,
    AUDIT,
    BASELINES,
    CHECKS,
    *_RULE_TABLES,
    BISECTIONS,
    WATCHED,
)
"""Tables of a backup, in writing order.

Sessions, limits and running work end with a store, and table `listing` is derived from the runs on
a restore.
"""
_TABLES_BY_NAME = {table.name: table for table in _SAVED_TABLES}
TABLES = tuple(_TABLES_BY_NAME)
"""Names of the tables that a backup contains."""
RUN_TABLES = (
    ANNOTATIONS.name,
    CHECKS.name,
    SAVED_PLACEMENTS.name,
    OBSERVATIONS.name,
    RULE_VERDICTS.name,
)
"""Tables whose rows belong to a run."""
_BATCH_SIZE = 500
"""Number of rows that are read or inserted together."""
_SAFE_NAME = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Moved:
    """The prefix of a run in the backup, the prefix under which a restore has written its frames,
    and their checksums and offsets for the row of the run.
    """

    before: str
    now: str
    checksums: dict[str, list[int]] = field(default_factory=dict)
    offsets: dict[str, int] = field(default_factory=dict)


@contextmanager
def snapshot(catalogue: Catalogue) -> Iterator[Callable[[str], Iterator[Row]]]:
    """Yield a function that maps the name of a table to an iterator of its rows, by primary key.

    A row is a dict of column name -> value. All tables are read as of the same moment.
    """
    with catalogue.connect_snapshot() as connection:
        yield partial(_rows, connection)


def _rows(connection: Connection, name: str) -> Iterator[Row]:
    table = _TABLES_BY_NAME[name]
    result = connection.execute(
        # Without `yield_per`, the driver of PostgreSQL would hold the whole table in memory.
        select(table).order_by(*table.primary_key),
        execution_options={"yield_per": _BATCH_SIZE},
    )
    for row in result.mappings():
        values = {column.key: row[column] for column in table.columns}
        yield {
            key: plain_text(value) if isinstance(value, str) else value
            for key, value in values.items()
        }


def fitting(name: str, given: object) -> Row:
    """Check a row of table `name` of a backup and return a copy with every column of the table.

    Columns that the row lacks, because an older release did not have them, are None. Raises
    ValueError with the problem as the end of a sentence, such as "has a row of runs with ...".
    """
    columns = _TABLES_BY_NAME[name].columns
    if not isinstance(given, dict) or given.keys() - columns.keys():
        raise ValueError(f"has a row of {name} with columns that this release does not know")
    row = {column.key: given.get(column.key) for column in columns}
    for column in columns:
        if not _fits(column, row[column.key]):
            raise ValueError(f"has a row of {name} with an invalid {column.key}")
    if name == RUNS.name and not _is_whole(row):
        raise ValueError(f"has an invalid run: {row['run_id']}")
    return row


def _fits(column: Column[Any], value: object) -> bool:
    if value is None:
        return bool(column.nullable)
    kind = column.type
    shape = _SHAPES.get(column)
    if isinstance(kind, JSON):
        return not isinstance(value, Unreadable) and (shape is None or shape(value))
    if isinstance(kind, Boolean):
        return isinstance(value, bool)
    if isinstance(kind, Float):
        return (
            isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        )
    if isinstance(kind, Integer):
        most = 2 ** (63 if isinstance(kind, BigInteger) else 31)
        return isinstance(value, int) and not isinstance(value, bool) and -most <= value < most
    length = getattr(kind, "length", None)
    return (
        isinstance(value, str)
        and value == plain_text(value)
        and (length is None or len(value) <= length)
    )


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_key(value: object) -> bool:
    return isinstance(value, dict) and _is_texts([*value.values()])


def _is_object(value: object) -> bool:
    return isinstance(value, dict)


def _is_numbers(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, int) and not isinstance(item, bool) for item in value
    )


_SHAPES: Mapping[Column[Any], Callable[[object], bool]] = {
    ANNOTATIONS.c.tags: _is_texts,
    BASELINES.c.runs: _is_texts,
    BASELINES.c.key: _is_key,
    RULE_VERDICTS.c.cause: _is_object,
    SAVED_PLACEMENTS.c.question: _is_object,
    SAVED_PLACEMENTS.c.answer: _is_object,
    SAVED_PLACEMENTS.c.addresses: _is_numbers,
}


def _is_whole(row: Row) -> bool:
    """Whether a row of table `runs` is not damaged, and its id and the names of its frames consist
    of letters, digits, `_` and `-`, so that they are safe as names of files.
    """
    stored = stored_run(SimpleNamespace(**row))
    return not stored.damaged and all(map(_SAFE_NAME.fullmatch, (stored.run_id, *stored.frames)))


def refuse_unless_empty(catalogue: Catalogue) -> None:
    """Raise StorageError if a table of the catalogue that belongs to backups has a row.

    A catalogue that does not exist counts as empty.
    """
    if catalogue.is_created():
        with catalogue.connect() as connection:
            _refuse_unless_empty(connection, catalogue.address)


def _refuse_unless_empty(connection: Connection, address: str) -> None:
    for name, table in _TABLES_BY_NAME.items():
        if connection.execute(select(table).limit(1)).first() is not None:
            raise StorageError(
                f"a backup can only be restored into an empty store: {address} has rows in table {name}"
            )


def write(
    catalogue: Catalogue, rows: Callable[[str], Iterable[Row]], moved: Mapping[str, Moved]
) -> None:
    """Write the rows of all tables of a backup in a single transaction, and make the list of runs.

    `rows` reads the rows of a table by name. `moved` has the prefixes of each run's frames by run
    id; the new prefixes are pending until this transaction ends. Raises StorageError if rows have
    equal primary keys, or if the catalogue has rows already.
    """
    try:
        with catalogue.begin() as connection:
            _refuse_unless_empty(connection, catalogue.address)
            for name, table in _TABLES_BY_NAME.items():
                _insert(connection, table, (_move_row(table, row, moved) for row in rows(name)))
            if moved:
                taken = delete(PENDING).where(PENDING.c.prefix == bindparam("taken"))
                connection.execute(taken, [{"taken": run.now} for run in moved.values()])
            # Within the transaction, so that no reader sees runs that the list lacks.
            listing.fill(connection)
    except IntegrityError as error:
        raise StorageError(f"{catalogue.address} rejected the rows: duplicate key") from error


def _insert(connection: Connection, table: Table, rows: Iterator[Row]) -> None:
    """Insert rows in their order; the database assigns new values to an autoincrement column."""
    # PostgreSQL would not move its sequence past explicit values, and a later insert would collide.
    counted = table.autoincrement_column
    while some := list(islice(rows, _BATCH_SIZE)):
        values = [
            {key: value for key, value in row.items() if table.c[key] is not counted}
            for row in some
        ]
        connection.execute(insert_into(table), values)


def _move_row(table: Table, row: Row, moved: Mapping[str, Moved]) -> Row:
    """Return a copy of a row with the run's new prefix, a run's with the places of its frames.

    The row itself is returned if it belongs to no run of `moved`, or if its prefix is not that of
    the run in the backup: it was written about older content.
    """
    run = moved.get(row.get("run_id", ""))
    if run is None or row.get("prefix") != run.before:
        return row
    places = {"checksums": run.checksums, "offsets": run.offsets} if table is RUNS else {}
    return row | {"prefix": run.now} | places
