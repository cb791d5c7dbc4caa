"""The run catalogue: one row per run, and the file prefixes that no run owns yet or any more.

A run is there when its row is: the row names the prefix that its frames were written under. Prefixes are put down
in `pending` before the first byte is written and taken off in the transaction that inserts the row, so that what a
killed process leaves behind is known without listing a file system. SQLAlchemy Core only, no dialect's own features.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    ColumnElement,
    Connection,
    Engine,
    Float,
    Integer,
    MetaData,
    Row,
    String,
    Table,
    create_engine,
    delete,
    event,
    func,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError
from sqlalchemy.schema import CreateIndex, CreateTable

from storage.errors import StorageError

BUSY_TIMEOUT_S = 30
"""How long a writer waits for another process's transaction on SQLite."""

_METADATA = MetaData()

RUNS = Table(
    "runs",
    _METADATA,
    Column("run_id", String(64), primary_key=True),
    Column("source", String(64), nullable=False, index=True),
    Column("hwid", String(255), nullable=False, index=True),
    # SQLite does not tell M from m, so the GEMM's sizes have names of their own
    Column("gemm_m", BigInteger, key="M"),
    Column("gemm_k", BigInteger, key="K"),
    Column("gemm_n", BigInteger, key="N"),
    Column("created_at", String(40), nullable=False, index=True),
    Column("prefix", String(255), nullable=False),
    Column("run", JSON, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("headline", JSON, nullable=False),
    Column("frames", JSON, nullable=False),
    Column("derived", JSON, nullable=False),
    Column("findings", JSON, nullable=False),
    Column("errors", Integer, nullable=False),
    Column("warnings", Integer, nullable=False),
)

PENDING = Table(
    "pending",
    _METADATA,
    Column("prefix", String(255), primary_key=True),
    Column("host", String(255), nullable=False),
    Column("process", String(64), nullable=False),
    Column("since", Float, nullable=False),
)


@dataclass(frozen=True)
class StoredRun:
    """A run's row.

    `run` is frame `run`, `settings` what the user set, `headline` the metrics; `frames` and `derived` map the names
    of the stored and of the derived frames to their rows; `findings` are the loader's and the analysis' diagnostics.
    """

    prefix: str
    run: dict[str, Any]
    settings: dict[str, str]
    headline: dict[str, float | None]
    frames: dict[str, int]
    derived: dict[str, int]
    findings: list[dict[str, Any]]
    errors: int
    warnings: int

    @property
    def run_id(self) -> str:
        return str(self.run["run_id"])

    def record(self) -> dict[str, Any]:
        """Return the columns of frame `run`, the headline metrics and the counts as one flat record."""
        return self.run | self.headline | {"errors": self.errors, "warnings": self.warnings}


@dataclass(frozen=True)
class Pending:
    """A prefix that belongs to no run: an ingest in progress, or what is left of one."""

    prefix: str
    host: str
    process: str
    since: float


class Catalogue:
    """The two tables in the database at `url`; nothing is connected or created before it is needed."""

    def __init__(self, url: str) -> None:
        self._engine = _engine(url)
        self._url = self._engine.url
        self._created = False

    @property
    def address(self) -> str:
        """Return the URL without its password."""
        return self._url.render_as_string(hide_password=True)

    def create(self) -> None:
        """Make the database and its tables where they are missing; safe when several processes do it at once."""
        for wait_s in (0.05, 0.2, 0.8, 0.0):
            try:
                if self.created():
                    return
                self._create_tables()
            except StorageError:  # another process may be creating them at this moment
                if not wait_s:
                    raise
                time.sleep(wait_s)

    def created(self) -> bool:
        """Return whether there is a catalogue to read."""
        if not self._created:
            path = self._sqlite_file()
            present = path is None or path.exists()
            self._created = present and self._has_tables()
        return self._created

    def get(self, run_id: str) -> StoredRun | None:
        """Return the run, None where there is none."""
        rows = self._rows(RUNS.c.run_id == run_id)
        return rows[0] if rows else None

    def runs(self, filters: Mapping[str, object] | None = None) -> list[StoredRun]:
        """Return the runs, newest first; `filters` maps source, hwid, M, K, N to the value asked for, None for any."""
        conditions = [RUNS.c[key] == value for key, value in (filters or {}).items() if value is not None]
        return self._rows(*conditions)

    def count(self) -> int:
        """Return the number of runs."""
        if not self.created():
            return 0
        with self._connect() as connection:
            return connection.scalar(select(func.count()).select_from(RUNS)) or 0

    def ids(self, prefix: str, limit: int = 10) -> list[str]:
        """Return up to `limit` run ids that begin with `prefix`."""
        if not self.created():
            return []
        query = select(RUNS.c.run_id).where(RUNS.c.run_id.startswith(prefix, autoescape=True)).limit(limit)
        with self._connect() as connection:
            return list(connection.scalars(query.order_by(RUNS.c.run_id)))

    def reserve(self, pending: Pending) -> None:
        """Put a prefix down before anything is written under it."""
        with self._begin() as connection:
            connection.execute(insert(PENDING).values(vars(pending)))

    def insert(self, stored: StoredRun) -> bool:
        """Insert the run and take its prefix off the pending ones; return False where the run is there already."""
        try:
            with self._begin() as connection:
                connection.execute(insert(RUNS).values(_values(stored)))
                connection.execute(delete(PENDING).where(PENDING.c.prefix == stored.prefix))
        except IntegrityError:
            return False
        return True

    def replace(self, old: StoredRun, new: StoredRun, garbage: Pending) -> bool:
        """Let `new` take the place of `old`, whose prefix becomes `garbage`; return False where `old` is gone."""
        here = (RUNS.c.run_id == old.run_id) & (RUNS.c.prefix == old.prefix)
        with self._begin() as connection:
            if connection.execute(update(RUNS).where(here).values(_values(new))).rowcount == 0:
                return False
            connection.execute(delete(PENDING).where(PENDING.c.prefix == new.prefix))
            connection.execute(insert(PENDING).values(vars(garbage)))
        return True

    def delete(self, stored: StoredRun, garbage: Pending) -> bool:
        """Take the run out, its prefix becomes `garbage`; return False where it is gone already."""
        here = (RUNS.c.run_id == stored.run_id) & (RUNS.c.prefix == stored.prefix)
        with self._begin() as connection:
            if connection.execute(delete(RUNS).where(here)).rowcount == 0:
                return False
            connection.execute(insert(PENDING).values(vars(garbage)))
        return True

    def pending(self) -> list[Pending]:
        """Return the prefixes that no run owns."""
        with self._connect() as connection:
            return [Pending(**row._mapping) for row in connection.execute(select(PENDING))]

    def forget(self, prefix: str) -> None:
        """Take a prefix off the pending ones once nothing is under it."""
        with self._begin() as connection:
            connection.execute(delete(PENDING).where(PENDING.c.prefix == prefix))

    def close(self) -> None:
        """Give the connections back."""
        self._engine.dispose()

    def _rows(self, *conditions: ColumnElement[bool]) -> list[StoredRun]:
        if not self.created():
            return []
        query = select(RUNS).where(*conditions).order_by(RUNS.c.created_at.desc(), RUNS.c.run_id)
        with self._connect() as connection:
            return [_stored(row) for row in connection.execute(query)]

    def _has_tables(self) -> bool:
        with self._connect() as connection:
            return set(_METADATA.tables) <= set(inspect(connection).get_table_names())

    def _create_tables(self) -> None:
        if path := self._sqlite_file():
            self._make_folder(path.parent)
        with self._begin() as connection:
            for table in _METADATA.sorted_tables:
                connection.execute(CreateTable(table, if_not_exists=True))
                for index in table.indexes:
                    connection.execute(CreateIndex(index, if_not_exists=True))

    def _make_folder(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"the folder {folder} cannot be made: {error.strerror or error}") from error

    @contextmanager
    def _connect(self) -> Iterator[Connection]:
        with self._sentences(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _begin(self) -> Iterator[Connection]:
        with self._sentences(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """Turn what the database complains of into one sentence; a key that is taken is the caller's to handle."""
        try:
            yield
        except IntegrityError:
            raise
        except SQLAlchemyError as error:
            reason = " ".join(str(getattr(error, "orig", None) or error).split())
            raise StorageError(f"the catalogue {self.address} cannot be used: {reason}") from error

    def _sqlite_file(self) -> Path | None:
        """Return the database's file where it is an SQLite file."""
        name = self._url.database
        return Path(name) if self._url.get_backend_name() == "sqlite" and name else None


def _engine(url: str) -> Engine:
    """Return an engine that has not connected yet; raises StorageError for a URL that cannot be one."""
    try:
        if make_url(url).get_backend_name() != "sqlite":
            return create_engine(url, pool_pre_ping=True)
        engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S})
    except ArgumentError as error:
        raise StorageError(f"the database URL cannot be used: {error}") from error
    except ImportError as error:
        raise StorageError(f"the database needs a driver that is not installed: {error}") from error
    event.listen(engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: DBAPIConnection, _record: object) -> None:
    """Let readers and one writer work at once, across processes."""
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode")
    if cursor.fetchall() != [("wal",)]:
        cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.close()


def _values(stored: StoredRun) -> dict[str, Any]:
    """Return the row's columns, the ones to filter by copied out of the metadata."""
    copied = {key: stored.run[key] for key in ("run_id", "source", "hwid", "M", "K", "N", "created_at")}
    return vars(stored) | copied


def _stored(row: Row[Any]) -> StoredRun:
    return StoredRun(**{name: getattr(row, name) for name in StoredRun.__dataclass_fields__})
