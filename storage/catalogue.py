"""The run catalogue: a row per run, and the file prefixes that belong to no run.

A run exists once its row does; the row names the prefix of the run's frames. A prefix is recorded
in `pending` before the first byte is written, and removed in the transaction that inserts the row,
so that the remains of a killed process are found without listing a file system. Only SQLAlchemy
Core is used, without features of a single dialect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from storage import listing, observation
from storage.catalogue_database import CatalogueDatabase
from storage.clock import seconds
from storage.errors import RunPinned
from storage.failures import catalogue_gone
from storage.observation import Observation
from storage.people_tables import ANNOTATIONS, SAVED_PLACEMENTS
from storage.rule_tables import RULE_VERDICTS
from storage.stored_run import StoredRun, column_value, stored_run
from storage.tables import CHECKS, OBSERVATIONS, PENDING, RUN_RESULTS, RUNS
from storage.text import is_plain

_OBSERVED = (
    select(func.count())
    .where(OBSERVATIONS.c.run_id == RUNS.c.run_id)
    .scalar_subquery()
    .label("observations")
)
"""Number of captures of a run's content, as a subquery."""
# Built once: every request executes it, and building takes longer than executing it.
_RUN = select(RUNS, _OBSERVED).where(RUNS.c.run_id == bindparam("id"))
_DELETE_PENDING = delete(PENDING).where(PENDING.c.prefix.in_(bindparam("prefixes", expanding=True)))
_TABLES_OF_RUNS = (
    CHECKS,
    RULE_VERDICTS,
    RUN_RESULTS,
    ANNOTATIONS,
    SAVED_PLACEMENTS,
    OBSERVATIONS,
)
"""Tables whose rows are deleted with their run."""
_TABLES_OF_CONTENT = (CHECKS, RULE_VERDICTS, RUN_RESULTS)
"""Tables whose rows are about the content below a prefix of their run."""
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


class Catalogue(CatalogueDatabase):
    """Reads and writes the rows of runs and of pending prefixes.

    See `CatalogueDatabase` for the parameters, and for when connections and tables are made.
    """

    def check(self) -> int:
        """Check the catalogue and return its number of runs; an SQLite file is read completely.

        Raises StorageError if the catalogue does not exist or is damaged.
        """
        if not self.is_created():
            raise catalogue_gone(self.address)
        count = self.count()
        if self._file is not None:
            self._check_file(self._file)
        return count

    def get(self, run_id: str) -> StoredRun | None:
        """Read a run's row; None if there is no such run or no catalogue.

        A row that cannot be used is returned too, with `damaged` set.
        """
        # PostgreSQL refuses a text with NUL, which an address may contain.
        if not self.is_created() or not is_plain(run_id):
            return None
        with self.connect() as connection:
            row = connection.execute(_RUN, {"id": run_id}).first()
        return stored_run(row) if row else None

    def runs(self, filters: Mapping[str, object] | None = None) -> list[StoredRun]:
        """Read the rows of the runs that match, newest first; empty if there is no catalogue.

        `filters` maps source, hwid, M, K or N to the required value; None accepts any value.
        """
        return list(self.each(filters))

    def each(
        self, filters: Mapping[str, object] | None = None, limit: int | None = None
    ) -> Iterator[StoredRun]:
        """Yield the rows that `runs` returns, newest first, at most `limit` (None: all), with at
        most _READ_BATCH_SIZE (200) of them in memory.
        """
        if not self.is_created():
            return
        conditions = [
            RUNS.c[key] == column_value(key, value)
            for key, value in (filters or {}).items()
            if value is not None
        ]
        query = (
            select(RUNS, _OBSERVED)
            .where(*conditions)
            .order_by(RUNS.c.created_at.desc(), RUNS.c.run_id)
            .limit(limit)
        )
        with self.connect_snapshot() as connection:
            for row in connection.execution_options(yield_per=_READ_BATCH_SIZE).execute(query):
                yield stored_run(row)

    def count(self) -> int:
        """Count the runs; 0 if there is no catalogue."""
        if not self.is_created():
            return 0
        with self.connect() as connection:
            return connection.scalar(select(func.count()).select_from(RUNS)) or 0

    def ids(self, prefix: str, limit: int = 10) -> list[str]:
        """List up to `limit` run ids that begin with `prefix`, in alphabetical order; empty if
        there is no catalogue.
        """
        if not self.is_created() or not is_plain(prefix):
            return []
        query = (
            select(RUNS.c.run_id)
            # A user's text may contain % or _, which LIKE would match with any text.
            .where(RUNS.c.run_id.startswith(prefix, autoescape=True))
            .limit(limit)
        )
        with self.connect() as connection:
            return list(connection.scalars(query.order_by(RUNS.c.run_id)))

    def reserve(self, pending: Pending) -> None:
        """Record a prefix as pending, before the first file is written under it."""
        with self.begin() as connection:
            insert_pending(connection, pending)

    def insert(self, stored: StoredRun, by: str = "") -> bool:
        """Insert a run and remove its prefix from the pending prefixes; return True.

        Returns False, without a change, if the run exists already. `by` is the name of the user who
        ingested it.
        """
        return self._insert_all([stored], by)

    def insert_many(self, runs: Iterable[StoredRun], by: str = "") -> int:
        """Insert runs as `insert` does, in transactions of 500 runs; return the number of inserted
        runs.

        Runs that exist already are left as they are and not counted. If an error ends the
        insertion, the runs of completed transactions remain.
        """
        rest = iter(runs)
        inserted = 0
        while batch := list(islice(rest, _INSERT_BATCH_SIZE)):
            if self._insert_all(batch, by):
                inserted += len(batch)
            else:
                # A run of the batch exists already, so that each is inserted by itself.
                inserted += sum(self.insert(stored, by) for stored in batch)
        if inserted >= listing.MANY:
            with self.begin() as connection:
                listing.gather_statistics(connection)
        return inserted

    def _insert_all(self, runs: Sequence[StoredRun], by: str) -> bool:
        """Insert runs in a single transaction; return True.

        If any of them exists already, no run is inserted, and it returns False.
        """
        try:
            with self.begin() as connection:
                connection.execute(insert(RUNS), [stored.values() for stored in runs])
                connection.execute(
                    _DELETE_PENDING, {"prefixes": [stored.prefix for stored in runs]}
                )
                observation.add_first(connection, [stored.run for stored in runs], by)
                listing.put_all(connection, runs)
        except IntegrityError:
            return False
        return True

    def replace(
        self, old: StoredRun, new: StoredRun, garbage: Pending, observed: Observation | None = None
    ) -> bool:
        """Replace the row of `old` by `new`; the prefix of `old` becomes pending as `garbage`.
        Return True.

        Returns False, without a change, if `old` was deleted or replaced meanwhile. If `observed`
        is not None, it is recorded as an observation, and the row gets the origin of the newest
        observation.
        """
        with self.begin() as connection:
            if not _hold(connection, old):
                return False
            new = _apply_newest(connection, new, observed)
            connection.execute(update(RUNS).where(RUNS.c.run_id == old.run_id).values(new.values()))
            connection.execute(delete(PENDING).where(PENDING.c.prefix == new.prefix))
            insert_pending(connection, garbage)
            listing.put(connection, new)
        return True

    def observe(
        self, stored: StoredRun, settings: Mapping[str, str], observed: Observation
    ) -> StoredRun | None:
        """Record another observation of a run's content, and the `settings` of the user in place of
        the stored settings.

        Returns the changed row, whose date, commit, branch and file are those of the newest
        observation. Returns None, without a change, if the run was deleted or replaced meanwhile.
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
        """Replace the row of a run whose frames stay under the same prefix; return True.

        Returns False, without a change, if the run was deleted or replaced meanwhile.
        """
        here = (RUNS.c.run_id == old.run_id) & (RUNS.c.prefix == old.prefix)
        with self.begin() as connection:
            if connection.execute(update(RUNS).where(here).values(new.values())).rowcount == 0:
                return False
            listing.put(connection, new)
        return True

    def move(self, old: StoredRun, new: StoredRun, garbage: Pending) -> bool:
        """Give a run the places of `new` for the same frames; the prefix of `old` becomes pending as
        `garbage`. Return True.

        Only prefix, checksums and offsets change; results and verdicts about the run stay valid.
        Returns False, without a change, if `old` was deleted or replaced meanwhile.
        """
        here = (RUNS.c.run_id == old.run_id) & (RUNS.c.prefix == old.prefix)
        places = {"prefix": new.prefix, "checksums": new.checksums, "offsets": new.offsets}
        with self.begin() as connection:
            if connection.execute(update(RUNS).where(here).values(places)).rowcount == 0:
                return False
            for table in _TABLES_OF_CONTENT:
                about = (table.c.run_id == old.run_id) & (table.c.prefix == old.prefix)
                connection.execute(update(table).where(about).values(prefix=new.prefix))
            connection.execute(delete(PENDING).where(PENDING.c.prefix == new.prefix))
            insert_pending(connection, garbage)
            row = connection.execute(select(RUNS).where(RUNS.c.run_id == old.run_id)).one()
            listing.put(connection, stored_run(row))
        return True

    def delete(self, stored: StoredRun, garbage: Pending) -> bool:
        """Delete a run and everything about it; its prefix becomes pending as `garbage`. Return
        True.

        Returns False, without a change, if the run was deleted or replaced already. Raises
        RunPinned if it is pinned.
        """
        here = (RUNS.c.run_id == stored.run_id) & (RUNS.c.prefix == stored.prefix)
        with self.begin_removal() as connection:
            # The row first: this waits for a change of its annotation, so that a new pin is seen
            # below.
            if connection.execute(delete(RUNS).where(here)).rowcount == 0:
                return False
            if (added := listing.select_annotations(connection, [stored.run_id])) and added[
                stored.run_id
            ].pinned:
                raise RunPinned(stored.run_id)
            insert_pending(connection, garbage)
            for table in _TABLES_OF_RUNS:
                connection.execute(delete(table).where(table.c.run_id == stored.run_id))
            listing.remove(connection, stored.run_id)
        return True

    def pending(self) -> list[Pending]:
        """List the prefixes that belong to no run, in no particular order."""
        own = PENDING.c.prefix, PENDING.c.host, PENDING.c.process
        with self.connect() as connection:
            # A process of an older release sends no heartbeat, and `beat` is null.
            quiet = seconds(connection) - func.coalesce(PENDING.c.beat, PENDING.c.since)
            return [
                Pending(**row._mapping)
                for row in connection.execute(select(*own, quiet.label("quiet_s")))
            ]

    def beat(self, host: str, process: str) -> None:
        """Set the last heartbeat of all pending prefixes of a process to the current time."""
        own = (PENDING.c.host == host) & (PENDING.c.process == process)
        with self.begin() as connection:
            connection.execute(update(PENDING).where(own).values(beat=seconds(connection)))

    def forget(self, prefix: str) -> None:
        """Delete a prefix from the pending prefixes after its files were removed; an unknown prefix
        is ignored.
        """
        with self.begin_removal() as connection:
            connection.execute(delete(PENDING).where(PENDING.c.prefix == prefix))


def _hold(connection: Connection, stored: StoredRun) -> bool:
    """Lock the row of a run until the transaction ends; return False if the run was deleted, or
    replaced by content under another prefix.
    """
    here = (RUNS.c.run_id == stored.run_id) & (RUNS.c.prefix == stored.prefix)
    # SQLite has no SELECT FOR UPDATE; an update that changes no value locks the row in every database.
    return connection.execute(update(RUNS).where(here).values(prefix=stored.prefix)).rowcount > 0


def _apply_newest(
    connection: Connection, stored: StoredRun, observed: Observation | None
) -> StoredRun:
    """Record an observation; return a copy of the run with the date, commit, branch and file of its
    newest observation.

    If `observed` is None, `stored` itself is returned.
    """
    if observed is None:
        return stored
    return replace(
        stored, run=stored.run | observation.add(connection, stored.run_id, observed).origin
    )


def insert_pending(connection: Connection, pending: Pending) -> None:
    """Record a prefix as pending, within the caller's transaction."""
    own = {"prefix": pending.prefix, "host": pending.host, "process": pending.process}
    now = seconds(connection)
    connection.execute(insert(PENDING).values(**own, since=now, beat=now))
