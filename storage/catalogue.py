"""The run catalogue: a row per run, and the file prefixes that belong to no run.

A run exists once its row does; the row names the prefix of the run's frames. A prefix is recorded
in `pending` before the first byte is written, and removed in the transaction that inserts the row,
so that the remains of a killed process are found without listing a file system. Only SQLAlchemy
Core is used, without features of a single dialect.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from schema.command import COMMAND
from storage import listing, observation, search_index, versions
from storage.clock import seconds
from storage.engine import CONNECTIONS, open_engine, sqlite_file
from storage.errors import RunPinned, StorageError
from storage.failures import catalogue_failed, catalogue_gone, disk_sentence
from storage.observation import Observation
from storage.people_tables import ANNOTATIONS, KEPT_ANSWERS
from storage.reserve import Reserve
from storage.revisions import HEAD, REVISIONS
from storage.rule_tables import RULE_VERDICTS
from storage.sqlite import check_sqlite
from storage.stored_run import StoredRun, column_value, stored_run
from storage.tables import CHECKS, OBSERVATIONS, PENDING, RUNS
from storage.text import is_plain

_CREATING_S = 1.0
"""Maximum seconds to wait while another process creates the tables of a new database."""
_SOUND_FOR_S = 60.0
"""Seconds for which an unchanged SQLite file counts as sound after it was read completely."""
_OBSERVED = select(func.count()).where(OBSERVATIONS.c.run_id == RUNS.c.run_id).scalar_subquery().label("observations")
"""Number of captures of a run's content, as a subquery."""
# Built once: every request executes it, and building takes longer than executing it.
_RUN = select(RUNS, _OBSERVED).where(RUNS.c.run_id == bindparam("id"))
_DELETE_PENDING = delete(PENDING).where(PENDING.c.prefix.in_(bindparam("prefixes", expanding=True)))
_INSERT_BATCH_SIZE = 500
"""Runs per transaction when many are inserted: readers do not wait, other writers of SQLite wait
0.3 s.
"""
_READ_BATCH_SIZE = 200
"""Maximum number of rows in memory when runs are iterated."""


@dataclass(frozen=True)
class Pending:
    """A prefix that belongs to no run: of an ingest in progress, or remains of an ingest.

    `quiet_s` is the time in seconds since the last heartbeat of its process.
    """

    prefix: str
    host: str
    process: str
    quiet_s: float = 0.0


class Catalogue:
    """The run catalogue in the database at `url`; connections and tables are made when they are
    first needed.

    An embedded SQLite file is upgraded to the current revision when it is opened; any other
    database of an older revision is refused until `upgrade` was called. `connections` is the
    maximum number of connections of this process to a database server.
    """

    def __init__(self, url: str, connections: int = CONNECTIONS) -> None:
        self._engine = open_engine(url, connections)
        self._url = self._engine.url
        self._file = sqlite_file(self._url)
        self._space = Reserve(self._file) if self._file is not None else None
        self._created = False
        self._sound: tuple[object, float] = (None, 0.0)
        self._search_index: search_index.Kind | None = None

    @property
    def is_embedded(self) -> bool:
        """Whether the database is an SQLite file of the application."""
        return self._file is not None

    @property
    def address(self) -> str:
        """The URL without its password."""
        return self._url.render_as_string(hide_password=True)

    def create(self) -> None:
        """Create the database and its tables if they are missing; several processes may do so at
        the same time.
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
        """Whether the tables exist; raises StorageError if they cannot be brought to the current
        revision.
        """
        if not self._created:
            self._created = (self._file is None or self._file.exists()) and self._open()
        return self._created

    def upgrade(self) -> tuple[str, str] | None:
        """Upgrade the catalogue to the current revision; return the revisions before and after,
        None without tables.

        All migrations run in one transaction. If several processes call it at the same time, only
        one migrates.
        """
        if self._file is not None and not self._file.exists():
            return None
        with self._sentences(), versions.alone(self._engine) as connection:
            before = versions.read_revision(connection)
            if before is not None and before != HEAD:
                self._check_known(before)
                versions.upgrade(connection)
                listing.fill(connection)
            elif before is not None:
                search_index.make(connection)
        return (before, HEAD) if before else None

    def check(self) -> int:
        """Check the catalogue and count its runs; raises StorageError if it does not exist or is
        damaged.
        """
        if not self.is_created():
            raise catalogue_gone(self.address)
        count = self.count()
        if self._file is not None:
            self._check_file(self._file)
        return count

    def get(self, run_id: str) -> StoredRun | None:
        """Read a run's row; None if there is no such run."""
        if not self.is_created() or not is_plain(run_id):
            return None
        with self.connect() as connection:
            row = connection.execute(_RUN, {"id": run_id}).first()
        return stored_run(row) if row else None

    def runs(self, filters: Mapping[str, object] | None = None) -> list[StoredRun]:
        """Read the rows of runs, newest first.

        `filters` maps source, hwid, M, K or N to the required value; None accepts any value.
        """
        return list(self.each(filters))

    def each(self, filters: Mapping[str, object] | None = None, limit: int | None = None) -> Iterator[StoredRun]:
        """Yield the rows of `runs`, at most `limit`, with few of them in memory at the same time."""
        if not self.is_created():
            return
        conditions = [
            RUNS.c[key] == column_value(key, value) for key, value in (filters or {}).items() if value is not None
        ]
        query = (
            select(RUNS, _OBSERVED).where(*conditions).order_by(RUNS.c.created_at.desc(), RUNS.c.run_id).limit(limit)
        )
        with self.connect() as connection:
            for row in connection.execution_options(yield_per=_READ_BATCH_SIZE).execute(query):
                yield stored_run(row)

    def count(self) -> int:
        """Count the runs."""
        if not self.is_created():
            return 0
        with self.connect() as connection:
            return connection.scalar(select(func.count()).select_from(RUNS)) or 0

    def ids(self, prefix: str, limit: int = 10) -> list[str]:
        """List up to `limit` run ids that begin with `prefix`."""
        if not self.is_created() or not is_plain(prefix):
            return []
        query = select(RUNS.c.run_id).where(RUNS.c.run_id.startswith(prefix, autoescape=True)).limit(limit)
        with self.connect() as connection:
            return list(connection.scalars(query.order_by(RUNS.c.run_id)))

    def search_index_kind(self) -> search_index.Kind:
        """Return the kind of search index, read once per process; the catalogue must exist."""
        if self._search_index is None:
            with self.connect() as connection:
                self._search_index = search_index.find_kind(connection)
        return self._search_index

    def reserve(self, pending: Pending) -> None:
        """Record a prefix as pending before the first file is written under it."""
        with self.begin() as connection:
            _insert_pending(connection, pending)

    def insert(self, stored: StoredRun, by: str = "") -> bool:
        """Insert a run and remove its prefix from the pending prefixes; return False if the run
        exists already.

        `by` is the name of the user who ingested it.
        """
        return self._insert_all([stored], by)

    def insert_many(self, runs: Iterable[StoredRun], by: str = "") -> int:
        """Insert runs like `insert`, many per transaction; return how many did not exist before.

        If an error ends the insertion, the runs of completed transactions remain.
        """
        rest = iter(runs)
        inserted = 0
        while batch := list(islice(rest, _INSERT_BATCH_SIZE)):
            if self._insert_all(batch, by):
                inserted += len(batch)
            else:
                inserted += sum(self.insert(stored, by) for stored in batch)
        if inserted >= listing.MANY:
            with self.begin() as connection:
                listing.gather_statistics(connection)
        return inserted

    def _insert_all(self, runs: Sequence[StoredRun], by: str) -> bool:
        """Insert runs in one transaction; if any of them exists already, insert no run and return
        False.
        """
        try:
            with self.begin() as connection:
                connection.execute(insert(RUNS), [stored.values() for stored in runs])
                connection.execute(_DELETE_PENDING, {"prefixes": [stored.prefix for stored in runs]})
                observation.add_first(connection, [stored.run for stored in runs], by)
                listing.put_all(connection, runs)
        except IntegrityError:
            return False
        return True

    def replace(self, old: StoredRun, new: StoredRun, garbage: Pending, observed: Observation | None = None) -> bool:
        """Replace the row of `old` by `new`; the prefix of `old` becomes pending as `garbage`.

        Returns False if `old` was deleted or replaced meanwhile. `observed` is recorded as an
        observation, if given.
        """
        with self.begin() as connection:
            if not _hold(connection, old):
                return False
            new = _apply_newest(connection, new, observed)
            connection.execute(update(RUNS).where(RUNS.c.run_id == old.run_id).values(new.values()))
            connection.execute(delete(PENDING).where(PENDING.c.prefix == new.prefix))
            _insert_pending(connection, garbage)
            listing.put(connection, new)
        return True

    def observe(self, stored: StoredRun, settings: Mapping[str, str], observed: Observation) -> StoredRun | None:
        """Record another observation of a run's content, and the `settings` of the user; nothing
        else is changed.

        Returns the row afterwards, or None if the run was deleted or replaced meanwhile.
        """
        with self.begin() as connection:
            if not _hold(connection, stored):
                return None
            here = RUNS.c.run_id == stored.run_id
            row = stored_run(connection.execute(select(RUNS).where(here)).one())
            new = _apply_newest(connection, replace(row, settings=dict(settings)), observed)
            connection.execute(update(RUNS).where(here).values(new.values()))
            listing.put(connection, new)
        return new

    def amend(self, old: StoredRun, new: StoredRun) -> bool:
        """Replace the numbers of a run whose frames stay; return False if it was deleted or
        replaced meanwhile.
        """
        here = (RUNS.c.run_id == old.run_id) & (RUNS.c.prefix == old.prefix)
        with self.begin() as connection:
            if connection.execute(update(RUNS).where(here).values(new.values())).rowcount == 0:
                return False
            listing.put(connection, new)
        return True

    def delete(self, stored: StoredRun, garbage: Pending) -> bool:
        """Delete a run and everything about it; its prefix becomes pending as `garbage`.

        Returns False if the run was deleted or replaced already. Raises RunPinned if it is pinned.
        """
        here = (RUNS.c.run_id == stored.run_id) & (RUNS.c.prefix == stored.prefix)
        with self.begin_removal() as connection:
            if connection.execute(delete(RUNS).where(here)).rowcount == 0:
                return False
            if (added := listing.select_annotations(connection, [stored.run_id])) and added[stored.run_id].pinned:
                raise RunPinned(stored.run_id)
            _insert_pending(connection, garbage)
            for table in (CHECKS, RULE_VERDICTS, ANNOTATIONS, KEPT_ANSWERS, OBSERVATIONS):
                connection.execute(delete(table).where(table.c.run_id == stored.run_id))
            listing.remove(connection, stored.run_id)
        return True

    def pending(self) -> list[Pending]:
        """List the prefixes that belong to no run."""
        own = PENDING.c.prefix, PENDING.c.host, PENDING.c.process
        with self.connect() as connection:
            quiet = seconds(connection) - func.coalesce(PENDING.c.beat, PENDING.c.since)
            return [Pending(**row._mapping) for row in connection.execute(select(*own, quiet.label("quiet_s")))]

    def beat(self, host: str, process: str) -> None:
        """Record a heartbeat for all pending prefixes of a process."""
        own = (PENDING.c.host == host) & (PENDING.c.process == process)
        with self.begin() as connection:
            connection.execute(update(PENDING).where(own).values(beat=seconds(connection)))

    def forget(self, prefix: str) -> None:
        """Delete a prefix from the pending prefixes after its files were removed."""
        with self.begin_removal() as connection:
            connection.execute(delete(PENDING).where(PENDING.c.prefix == prefix))

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

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
                    f"the catalogue {self.address} is of an older release: run `{COMMAND} db upgrade`",
                    f"The server's storage is of an older release: run `{COMMAND} db upgrade` there.",
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
            with self._sentences(), versions.alone(self._engine) as connection:
                listing.fill(connection)

    def _check_known(self, version: str) -> None:
        if version not in REVISIONS:
            reason = f"its revision is {version}, and this release knows none after {HEAD}"
            raise StorageError(
                f"the catalogue {self.address} was written by a later release of Tilescope: {reason}",
                "The server's storage was written by a later release of Tilescope.",
            )

    def _check_file(self, path: Path) -> None:
        """Read the whole SQLite file, unless it is unchanged and was read within _SOUND_FOR_S."""
        try:
            state = [file.stat() for file in (path, path.with_name(f"{path.name}-wal")) if file.exists()]
            now = [(stat.st_ino, stat.st_size, stat.st_mtime_ns) for stat in state]
            before, since = self._sound
            if now != before or time.monotonic() - since > _SOUND_FOR_S:
                check_sqlite(path)
                self._sound = now, time.monotonic()
        except (OSError, sqlite3.Error) as error:
            raise catalogue_failed(self.address, error) from error

    def _create_tables(self) -> None:
        if self._file is not None:
            self._make_folder(self._file.parent)
        with self._sentences(), versions.alone(self._engine) as connection:
            versions.create(connection)
            listing.fill(connection)

    def _make_folder(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            sentence = f"the folder {folder} cannot be made: {error.strerror or error}"
            raise StorageError(sentence, disk_sentence(error)) from error

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        """Open a connection for reading, for modules of this package; errors become StorageError."""
        with self._sentences(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def begin(self) -> Iterator[Connection]:
        """Open a transaction; errors of the database become StorageError, except IntegrityError."""
        with self._sentences(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def begin_removal(self) -> Iterator[Connection]:
        """Open a transaction for a removal, or for a sign-in before it, that also succeeds on a
        full disk.
        """
        with self._space.spend() if self._space is not None else nullcontext(), self.begin() as connection:
            yield connection

    def hold_space(self) -> None:
        """Allocate the disk space that `begin_removal` needs on a full disk, if the database is an
        SQLite file.
        """
        if self._space is not None:
            self._space.hold()

    @contextmanager
    def _sentences(self) -> Iterator[None]:
        """Convert errors of the database to StorageError; IntegrityError is left to the caller."""
        if self._created and self._file is not None and not self._file.exists():
            raise catalogue_gone(self.address)  # connecting would create an empty database
        try:
            yield
        except IntegrityError:
            raise
        except SQLAlchemyError as error:
            raise catalogue_failed(self.address, error) from error


def _hold(connection: Connection, stored: StoredRun) -> bool:
    """Lock the row of a run until the transaction ends; return False if it was deleted or replaced."""
    here = (RUNS.c.run_id == stored.run_id) & (RUNS.c.prefix == stored.prefix)
    # SQLite has no SELECT FOR UPDATE; an update that changes no value locks the row in every database.
    return connection.execute(update(RUNS).where(here).values(prefix=stored.prefix)).rowcount > 0


def _apply_newest(connection: Connection, stored: StoredRun, observed: Observation | None) -> StoredRun:
    """Record an observation and return the run with the date, commit, branch and file of its newest
    observation.
    """
    if observed is None:
        return stored
    return replace(stored, run=stored.run | observation.add(connection, stored.run_id, observed).origin)


def _insert_pending(connection: Connection, pending: Pending) -> None:
    own = {"prefix": pending.prefix, "host": pending.host, "process": pending.process}
    now = seconds(connection)
    connection.execute(insert(PENDING).values(**own, since=now, beat=now))
