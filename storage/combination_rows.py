"""Read and write rows of the tables with counts per combination, by their ids."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from typing import Any, TypeVar

from sqlalchemy import (
    BindParameter,
    Connection,
    Row,
    Table,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from storage.combination_tables import COMBINATION_LABELS, COMBINATIONS

NUMBERS = {COMBINATIONS: ("runs", "rated", "fastest", "best"), COMBINATION_LABELS: ("runs",)}
"""Columns that change."""
_Item = TypeVar("_Item")
_BATCH_SIZE = 5_000
"""Maximum number of rows per statement: SQLite accepts 32,766 parameters."""
_IDS: BindParameter[list[str]] = bindparam("ids", expanding=True)
# Built once: building a statement takes longer than executing it.
_STORED = {table: select(table).where(table.c.id.in_(_IDS)) for table in NUMBERS}
_DELETE = {table: delete(table).where(table.c.id.in_(_IDS)) for table in NUMBERS}
_UPDATE = {
    table: update(table)
    .where(table.c.id == bindparam("of"))
    .values({name: bindparam(f"new_{name}") for name in names})
    for table, names in NUMBERS.items()
}


def row_id(values: Sequence[object]) -> str:
    """Hash the values of a combination or of a label, nulls included."""
    return hashlib.blake2b(json.dumps([*values]).encode(), digest_size=16).hexdigest()


def label_row(label: tuple[str, str, str], runs: int) -> dict[str, Any]:
    """Build the row of a label (combination, kind, value)."""
    combination, kind, value = label
    return {
        "id": row_id(label),
        "combination": combination,
        "kind": kind,
        "value": value,
        "runs": runs,
    }


def read_stored(connection: Connection, table: Table, ids: Sequence[str]) -> dict[str, Row[Any]]:
    """Map those of the ids that the table has to their rows."""
    return {
        row.id: row
        for batch in _batches(ids)
        for row in connection.execute(_STORED[table], {"ids": batch})
    }


def write_rows(
    connection: Connection, table: Table, stored: Collection[str], rows: Sequence[dict[str, Any]]
) -> None:
    """Update, insert or delete (if no run is left) the rows of a table; `stored` are the ids that
    it has.
    """
    left = [row for row in rows if row["runs"] > 0]
    updated = [
        {"of": row["id"], **{f"new_{name}": row[name] for name in NUMBERS[table]}}
        for row in left
        if row["id"] in stored
    ]
    if updated:
        connection.execute(_UPDATE[table], updated)
    insert_rows(connection, table, [row for row in left if row["id"] not in stored])
    for batch in _batches([row["id"] for row in rows if row["runs"] <= 0]):
        connection.execute(_DELETE[table], {"ids": batch})


def insert_rows(connection: Connection, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert any number of rows."""
    for batch in _batches(rows):
        connection.execute(insert(table), batch)


def _batches(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    for begin in range(0, len(items), _BATCH_SIZE):
        yield items[begin : begin + _BATCH_SIZE]
