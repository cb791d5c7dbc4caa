"""Add many rows to a table of PostgreSQL without its indexes, which are built again afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, text

# The rows need no durability, and an index is built faster if its entries fit into memory.
_SETTINGS = (
    "synchronous_commit = off",
    "maintenance_work_mem = '1GB'",
    "max_parallel_maintenance_workers = 2",
)
_INDEXES = """SELECT indexname, indexdef FROM pg_indexes
WHERE schemaname = current_schema() AND tablename = :table ORDER BY indexname"""
_KEYS = """SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint
WHERE conrelid = to_regclass(:table) AND contype = 'p'"""


@contextmanager
def without_indexes(connection: Connection, table: str) -> Iterator[None]:
    """Drop the primary key and all indexes of a table in the transaction of the caller, and build
    them when the block ends: to build an index is several times faster than to add rows to it.

    Raises RuntimeError if the table has other indexes afterwards than before.
    """
    for setting in _SETTINGS:
        connection.execute(text(f"SET LOCAL {setting}"))
    indexes = _read(connection, _INDEXES, table)
    keys = _read(connection, _KEYS, table)
    others = [name for name in indexes if name not in keys]
    for name in keys:
        connection.execute(text(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"'))
    for name in others:
        connection.execute(text(f'DROP INDEX "{name}"'))
    yield
    for name, definition in keys.items():
        connection.execute(text(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}'))
    for name in others:
        connection.exec_driver_sql(indexes[name])
    if (_read(connection, _INDEXES, table), _read(connection, _KEYS, table)) != (indexes, keys):
        raise RuntimeError(f"table {table} has other indexes than before")


def _read(connection: Connection, query: str, table: str) -> dict[str, str]:
    """Map the names of indexes or keys of a table to their definitions in SQL."""
    rows = connection.execute(text(query), {"table": table})
    return {row[0]: row[1] for row in rows}
