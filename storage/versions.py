"""Revision of a catalogue's tables, their creation, and the upgrade of older catalogues."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, delete, func, insert, inspect, select
from sqlalchemy.schema import CreateIndex, CreateTable

from storage import (
    alert_tables,
    bisection_tables,
    combination_tables,
    monthly_tables,
    people_tables,
    revisions,
    rule_tables,
    work_tables,
)
from storage.revisions import FIRST, HEAD
from storage.tables import METADATA, PENDING, RUNS, VERSION, WORKS_BESIDE

_TABLE_MODULES = (
    alert_tables,
    bisection_tables,
    combination_tables,
    monthly_tables,
    people_tables,
    rule_tables,
    work_tables,
)
"""Modules that add tables to METADATA when they are imported."""
_LOCK_KEY = 0x7469_6C65_7363
_ONE_AT_ONCE = threading.Lock()
"""Lock for migrations: Alembic stores the running migration in variables of its modules."""


def read_revision(connection: Connection) -> str | None:
    """Read the catalogue's revision, such as "0018"; None if there are no tables.

    The first revision ("0001") if there are tables without a version.
    """
    names = set(inspect(connection).get_table_names())
    if not {RUNS.name, PENDING.name} <= names:
        return None
    return (
        connection.scalar(select(VERSION.c.version_num)) if VERSION.name in names else None
    ) or FIRST


@contextmanager
def alone(engine: Engine) -> Iterator[Connection]:
    """Yield the connection of a transaction in which no other process changes tables; other
    processes wait until it ends.
    """
    with engine.begin() as connection:
        if connection.dialect.name == "sqlite":
            # IMMEDIATE takes the write lock now; a plain BEGIN takes it with the first write.
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        elif connection.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(_LOCK_KEY)))
        yield connection


def create(connection: Connection) -> bool:
    """Create the tables and indexes of the current revision, and return True; without effect if
    there are tables already, and then return False.
    """
    if read_revision(connection) is not None:
        return False
    for table in METADATA.sorted_tables:
        connection.execute(CreateTable(table, if_not_exists=True))
        for index in table.indexes:
            connection.execute(CreateIndex(index, if_not_exists=True))
    connection.execute(insert(VERSION).values(version_num=HEAD))
    _record_compatible_revisions(connection)
    return True


def upgrade(connection: Connection) -> None:
    """Run the missing migrations up to the current revision; a catalogue without a version is first
    marked as the first revision. The caller holds the lock of `alone`.
    """
    from alembic import command  # noqa: PLC0415 - a store of today needs no Alembic
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option(
        "script_location", str(Path(__file__).parent / "migrations").replace("%", "%%")
    )
    config.attributes["connection"] = connection
    with _ONE_AT_ONCE:
        if not inspect(connection).has_table(VERSION.name):
            command.stamp(config, FIRST)
        command.upgrade(config, "head")
    _record_compatible_revisions(connection)


def permits_revision(connection: Connection, revision: str) -> bool:
    """Whether a later release, which wrote these tables, permits releases of `revision` to use
    them; False if the tables do not record that.
    """
    if not inspect(connection).has_table(WORKS_BESIDE.name):
        return False
    own = WORKS_BESIDE.c.revision == revision
    return connection.scalar(select(WORKS_BESIDE.c.revision).where(own)) is not None


def _record_compatible_revisions(connection: Connection) -> None:
    connection.execute(delete(WORKS_BESIDE))
    if revisions.WORKS_BESIDE:
        connection.execute(
            insert(WORKS_BESIDE), [{"revision": revision} for revision in revisions.WORKS_BESIDE]
        )
