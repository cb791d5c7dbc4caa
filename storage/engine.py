"""Connections to the catalogue's database."""

from __future__ import annotations

import json
import math
import sqlite3
import time
from pathlib import Path

from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
from sqlalchemy.exc import ArgumentError, DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry

from schema.command import HOSTING
from storage.errors import StorageError
from storage.sqlite import BUSY_TIMEOUT_S, parse_json, text

CONNECTIONS = 4
"""Connections to a database server that a process of few threads may have."""
_PATIENCE_S = 20
"""How long a thread waits for another one's connection."""
_OF_POSTGRESQL = {
    "connect_timeout": 5,
    "tcp_user_timeout": 20_000,
    "application_name": "tilescope",
}
"""What psycopg hands to libpq, so that a server that is gone is noticed in seconds."""


def open_engine(url: str, connections: int = CONNECTIONS) -> Engine:
    """Return an engine that has not connected yet; raises StorageError for a URL that cannot be one.

    `connections` is the most that a server gets from this process, one for each thread; an SQLite file has no limit.
    """
    shared = {"json_deserializer": parse_json, "json_serializer": _json, "hide_parameters": True}
    try:
        parsed_url = make_url(url)
        if parsed_url.get_backend_name() != "sqlite":
            given = _OF_POSTGRESQL if parsed_url.get_driver_name().startswith("psycopg") else {}
            pool = {"pool_pre_ping": True, "pool_size": connections, "max_overflow": 0, "pool_timeout": _PATIENCE_S}
            return create_engine(url, connect_args=given, **pool, **shared)
        engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S}, **shared)
    except ArgumentError as error:
        raise StorageError(f"the database URL cannot be used: {error}") from error
    except ImportError as error:
        needs = f"the database needs a driver that is not installed: {error}"
        raise StorageError(f"{needs} ({HOSTING} has that of PostgreSQL)") from error
    _watch(engine)
    return engine


def _json(value: object) -> str:
    """Return JSON as every database takes it: it has no infinity and no NaN."""
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value))


def _finite(value: object) -> object:
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list):
        return [*map(_finite, value)]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def sqlite_file(url: URL) -> Path | None:
    """Return the database's file where it is an SQLite file."""
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def _watch(engine: Engine) -> None:
    """Prepare connections to SQLite, and use none whose file was removed or replaced."""
    path = sqlite_file(engine.url)

    @event.listens_for(engine, "connect")
    def prepare(connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:
        _prepare_sqlite(connection)
        record.info["file"] = _identity(path)

    @event.listens_for(engine, "checkout")
    def check(_connection: DBAPIConnection, record: ConnectionPoolEntry, _proxy: object) -> None:
        if record.info.get("file") != _identity(path):
            raise DisconnectionError


def _identity(path: Path | None) -> tuple[int, int] | None:
    """Return what distinguishes a file from another one of the same name; None without a file."""
    try:
        stat = path.stat() if path else None
    except OSError:
        return None
    return (stat.st_dev, stat.st_ino) if stat else None


def _prepare_sqlite(connection: DBAPIConnection) -> None:
    """Let readers and one writer work at once, across processes."""
    connection.text_factory = text
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode")
    if cursor.fetchall() != [("wal",)]:
        _write_ahead(cursor)
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.execute("PRAGMA temp_store = MEMORY")  # else a read that sorts fails if TMPDIR is full
    cursor.close()


def _write_ahead(cursor: DBAPICursor) -> None:
    """Set the journal of a file, which may take as long as another process's transaction.

    The switch reads and then writes, and SQLite refuses that at once while another one writes, whatever the timeout
    is. It cannot be within a transaction, so one that only waits for the write lock comes before the next try.
    """
    end = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
        else:
            return
        cursor.execute("BEGIN IMMEDIATE")
        cursor.execute("ROLLBACK")
