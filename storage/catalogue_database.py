"""The catalogue's database: connections, creation and upgrade of the tables, and errors as sentences."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Row, Select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from schema.command import COMMAND
from storage import listing, search_index, versions
from storage.engine import CONNECTIONS, open_engine, reading_engine, sqlite_file
from storage.errors import StorageError
from storage.failures import catalogue_failed, catalogue_gone, disk_sentence
from storage.read_once import read_again
from storage.reserve import Reserve
from storage.revisions import HEAD, REVISIONS, describe_writer
from storage.sqlite import check_sqlite

_CREATING_S = 1.0
"""Maximum seconds to wait while another process creates the tables of a new database."""
_SOUND_FOR_S = 60.0
"""Seconds for which an unchanged SQLite file counts as sound after it was read completely."""


class CatalogueDatabase:
    """The database at `url`; connections and tables are made when they are first needed.

    An embedded SQLite file is upgraded to the current revision when it is opened; any other
    database of an older revision is refused until `upgrade` was called. `connections` is the
    maximum number of connections of this process to a database server.
    """

    def __init__(self, url: str, connections: int = CONNECTIONS) -> None:
        self._engine = open_engine(url, connections)
        self._reading = reading_engine(self._engine)
        self._url = self._engine.url
        self._file = sqlite_file(self._url)
        self._reserve = Reserve(self._file) if self._file is not None else None
        self._created = False
        self._checked_state: tuple[object, float] = (None, 0.0)
        self._search_index: search_index.Kind | None = None

    @property
    def is_embedded(self) -> bool:
        """Whether the database is an SQLite file, and not a database server."""
        return self._file is not None

    @property
    def address(self) -> str:
        """URL of the database, with *** in place of the password."""
        return self._url.render_as_string(hide_password=True)

    def create(self) -> None:
        """Create the database and its tables if they are missing; several processes may do so at
        the same time. Raises StorageError if that fails for longer than 1 s (_CREATING_S).
        """
        end = time.monotonic() + _CREATING_S
        while not self._created:
            try:
                if not self.is_created():
                    self._create_tables()
            except StorageError:  # another process may be creating the tables at this moment
                if time.monotonic() > end:
                    raise
                time.sleep(_CREATING_S / 20)

    def is_created(self) -> bool:
        """Whether the tables of the catalogue exist; an SQLite file of an older release is upgraded
        first.

        Raises StorageError if a database server has tables of an older release, or if a newer
        release wrote them.
        """
        if not self._created:
            self._created = (self._file is None or self._file.exists()) and self._open()
        return self._created

    def upgrade(self) -> tuple[str, str] | None:
        """Upgrade the catalogue to the current revision; return the revisions before and after,
        which are equal if it was current already. None if there are no tables.

        All migrations run in one transaction. If several processes call it at the same time, only
        one migrates. Raises StorageError if the revision is unknown to this release.
        """
        if self._file is not None and not self._file.exists():
            return None
        with self._convert_errors(), versions.alone(self._engine) as connection:
            before = versions.read_revision(connection)
            if before is not None and before != HEAD:
                self._check_known(before)
                versions.upgrade(connection)
                listing.fill(connection)
            elif before is not None:
                search_index.make(connection)
        return (before, HEAD) if before else None

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Yield a connection for reading, for modules of this package; errors of the database
        become StorageError.

        Each statement sees what is committed when it begins.
        """
        with self._convert_errors(), self._reading.connect() as connection:
            yield connection

    def rows(self, query: Select[*tuple[Any, ...]]) -> Sequence[Row[*tuple[Any, ...]]]:
        """Read all rows of a query; empty if there is no catalogue yet.

        Large results are better read one by one, with `connect`.
        """
        if not self.is_created():
            return []
        with self.connect() as connection:
            return connection.execute(query).all()

    @contextmanager
    def connect_snapshot(self) -> Iterator[Connection]:
        """Yield a connection for reading whose statements all see the state of one moment."""
        with self._convert_errors(), self._engine.connect() as connection:
            if connection.dialect.name == "sqlite":
                # Python's driver does not begin a transaction for reads.
                connection.exec_driver_sql("BEGIN")
            else:
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Yield the connection of a transaction, which is committed when the block ends without an
        error and rolled back otherwise.

        Errors of the database become StorageError, except IntegrityError.
        """
        try:
            with self._convert_errors(), self._engine.begin() as connection:
                yield connection
        finally:
            # This request may have changed rows that it has read before.
            read_again()

    @contextmanager
    def begin_removal(self) -> Iterator[Connection]:
        """Yield the connection of a transaction for a removal, or for a sign-in before it, that
        also succeeds on a full disk. Errors as by `begin`.
        """
        with (
            self._reserve.spend() if self._reserve is not None else nullcontext(),
            self.begin() as connection,
        ):
            yield connection

    def hold_space(self) -> None:
        """Allocate the disk space that `begin_removal` needs on a full disk; without effect for a
        database server.
        """
        if self._reserve is not None:
            self._reserve.hold()

    def search_index_kind(self) -> search_index.Kind:
        """Return the kind of search index ("fts5", "pg_trgm" or "" for none), read once per
        process; the catalogue must exist.
        """
        if self._search_index is None:
            with self.connect() as connection:
                self._search_index = search_index.find_kind(connection)
        return self._search_index

    def _open(self) -> bool:
        with self.connect() as connection:
            version = versions.read_revision(connection)
            is_ours = version in (None, HEAD) or (
                version not in REVISIONS and versions.permits_revision(connection, HEAD)
            )
        # Servers of an older release may still use a shared database, so only `db upgrade` migrates it.
        if version is not None and not is_ours:
            self._check_known(version)
            if not self.is_embedded:
                raise StorageError(
                    f"the catalogue {self.address} is from an older release: run `{COMMAND} db upgrade`",
                    f"The server's storage is from an older release: run `{COMMAND} db upgrade` there.",
                )
            self.upgrade()
        if version is not None:
            self._list_runs()
        return version is not None

    def _list_runs(self) -> None:
        """Update table `listing` after changes by an older release that does not know the table."""
        with self.connect() as connection:
            behind = listing.is_behind(connection)
        if behind:
            with self._convert_errors(), versions.alone(self._engine) as connection:
                listing.fill(connection)

    def _check_known(self, version: str) -> None:
        if version not in REVISIONS:
            writer = describe_writer(version)
            raise StorageError(
                f"the catalogue {self.address} was written by {writer}: its revision is {version}, "
                f"and this release can upgrade {', '.join(REVISIONS[:-1])} to {HEAD}",
                f"The server's storage was written by {writer}.",
            )

    def _create_tables(self) -> None:
        if self._file is not None:
            self._make_folder(self._file.parent)
        with self._convert_errors(), versions.alone(self._engine) as connection:
            is_new = versions.create(connection)
            if is_new:
                listing.begin(connection)
            else:
                listing.fill(connection)
        # Tables of another process are checked first: they may be of another release.
        self._created = is_new

    def _make_folder(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            sentence = f"the folder {folder} cannot be created: {error.strerror or error}"
            raise StorageError(sentence, disk_sentence(error)) from error

    @contextmanager
    def _convert_errors(self) -> Iterator[None]:
        """Convert errors of the database to StorageError; IntegrityError is left to the caller.

        Raises StorageError before the block runs if the SQLite file was removed.
        """
        if self._created and self._file is not None and not self._file.exists():
            raise catalogue_gone(self.address)  # connecting would create an empty database
        try:
            yield
        except IntegrityError:
            raise
        except SQLAlchemyError as error:
            raise catalogue_failed(self.address, error) from error

    def _check_file(self, path: Path) -> None:
        """Read the whole SQLite file, unless it is unchanged and was read in the last 60 s
        (_SOUND_FOR_S).

        Raises StorageError if the file is damaged or cannot be read.
        """
        try:
            # Recent changes are only in the WAL file, so that both files are compared.
            state = [
                file.stat() for file in (path, path.with_name(f"{path.name}-wal")) if file.exists()
            ]
            now = [(stat.st_ino, stat.st_size, stat.st_mtime_ns) for stat in state]
            before, since = self._checked_state
            if now != before or time.monotonic() - since > _SOUND_FOR_S:
                check_sqlite(path)
                self._checked_state = now, time.monotonic()
        except (OSError, sqlite3.Error) as error:
            raise catalogue_failed(self.address, error) from error
