"""Connections to the catalogue's database."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import URL, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry

from storage.errors import StorageError
from storage.sqlite import BUSY_TIMEOUT_S, parsed, text


def open_engine(url: str) -> Engine:
    """Return an engine that has not connected yet; raises StorageError for a URL that cannot be one."""
    try:
        if make_url(url).get_backend_name() != "sqlite":
            return create_engine(url, pool_pre_ping=True, json_deserializer=parsed, hide_parameters=True)
        engine = create_engine(
            url, connect_args={"timeout": BUSY_TIMEOUT_S}, json_deserializer=parsed, hide_parameters=True
        )
    except ArgumentError as error:
        raise StorageError(f"the database URL cannot be used: {error}") from error
    except ImportError as error:
        raise StorageError(f"the database needs a driver that is not installed: {error}") from error
    _watch(engine)
    return engine


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
        cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.close()
