"""SQLAlchemy engines for the catalogue's database."""

from __future__ import annotations

import json
import math
import select
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
"""Default for the maximum number of connections of a process to a database server."""
_POOL_TIMEOUT_S = 20
"""Seconds that a thread waits for a connection while all connections are in use."""
_TRUSTED_S = 10.0
"""Seconds for which a pooled connection is used again without asking the server whether it lives."""
_POSTGRESQL_OPTIONS = {
    "connect_timeout": 5,
    "tcp_user_timeout": 20_000,
    "application_name": "tilescope",
}
"""Options that psycopg passes to libpq; with them a lost server is noticed within seconds."""


def open_engine(url: str, connections: int = CONNECTIONS) -> Engine:
    """Create an engine for the database at a URL; it does not connect yet.

    `connections` is the maximum number of connections of this process to a server. An SQLite file
    has no limit. Raises StorageError if the URL is invalid or its driver is not installed.
    """
    # Parameters may be secrets, and SQLAlchemy's errors, which are logged, would contain them.
    shared = {"json_deserializer": parse_json, "json_serializer": _json, "hide_parameters": True}
    try:
        parsed_url = make_url(url)
        if parsed_url.get_backend_name() != "sqlite":
            options = (
                _POSTGRESQL_OPTIONS if parsed_url.get_driver_name().startswith("psycopg") else {}
            )
            pool = {
                "pool_size": connections,
                "max_overflow": 0,
                "pool_timeout": _POOL_TIMEOUT_S,
            }
            engine = create_engine(url, connect_args=options, **pool, **shared)
            _check_reused(engine)
            return engine
        engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S}, **shared)
    except ArgumentError as error:
        raise StorageError(f"the database URL cannot be used: {error}") from error
    except ImportError as error:
        needs = f"the database needs a driver that is not installed: {error}"
        raise StorageError(f"{needs} (for PostgreSQL install {HOSTING})") from error
    _watch(engine)
    return engine


def _json(value: object) -> str:
    """Serialise to a JSON text, with null for infinity and NaN, which databases reject."""
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(value))


def _finite(value: object) -> object:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [*map(_finite, value)]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def sqlite_file(url: URL) -> Path | None:
    """Return the path of an SQLite database; None for a database server or an SQLite database in
    memory.
    """
    return Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None


def reading_engine(engine: Engine) -> Engine:
    """Return an engine with the same connections whose statements need no transaction.

    A statement then takes a single round trip to a server instead of three. SQLite begins no
    transaction for reads anyway.
    """
    if engine.dialect.name == "sqlite":
        return engine
    return engine.execution_options(isolation_level="AUTOCOMMIT")


def _check_reused(engine: Engine) -> None:
    """Replace a pooled connection that is closed, as a server does with all when it restarts.

    A request uses a connection about ten times. To ask the server before each use, as SQLAlchemy's
    `pool_pre_ping` does, would be a round trip more each time.
    """

    @event.listens_for(engine, "connect")
    @event.listens_for(engine, "checkin")
    def note_use(_connection: DBAPIConnection | None, record: ConnectionPoolEntry) -> None:
        record.info["used"] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def check(connection: DBAPIConnection, record: ConnectionPoolEntry, _proxy: object) -> None:
        is_recent = time.monotonic() - record.info["used"] < _TRUSTED_S
        try:
            if not is_recent or _has_unread(connection):
                engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as error:
            raise DisconnectionError from error


def _has_unread(connection: DBAPIConnection) -> bool:
    """Whether the server has sent something since the last statement, such as the end of the
    connection. Raises the driver's error if the connection is closed.
    """
    socket = select.poll()
    socket.register(connection.fileno(), select.POLLIN)
    return bool(socket.poll(0))


def _watch(engine: Engine) -> None:
    """Prepare each new connection of an engine to SQLite, and replace a pooled connection when its
    file was removed or replaced.
    """
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
    """Return device and inode number of a file, which change if another file replaces it.

    None if there is no file.
    """
    try:
        stat = path.stat() if path else None
    except OSError:
        return None
    return (stat.st_dev, stat.st_ino) if stat else None


def _prepare_sqlite(connection: DBAPIConnection) -> None:
    """Configure a connection so that readers and one writer can work at the same time, across
    processes.
    """
    connection.text_factory = text
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode")
    # The mode is stored in the file: only the first connection to a new file has to switch it.
    if cursor.fetchall() != [("wal",)]:
        _write_ahead(cursor)
    # With a WAL, a loss of power may undo the last commits, but damages nothing.
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.execute(
        "PRAGMA temp_store = MEMORY"
    )  # otherwise a read that sorts fails if TMPDIR is full
    cursor.close()


def _write_ahead(cursor: DBAPICursor) -> None:
    """Switch a file's journal to WAL; while another process writes, try again for BUSY_TIMEOUT_S
    and then raise sqlite3.OperationalError.

    The switch reads and then writes, and SQLite refuses that immediately while another process
    writes, whatever the timeout is. The switch is not possible within a transaction, so a
    transaction that only waits for the write lock precedes the next attempt.
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
