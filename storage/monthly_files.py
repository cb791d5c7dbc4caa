"""Monthly files in the catalogue: which months need a new file, and which runs a file has.

Column `monthly` of table `listing` names the file of a run. Every change of a run replaces its row,
so that the column is null until the next compaction, and readers take the run from its pack.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, delete, func, insert, or_, select, update

from storage.catalogue import Catalogue, insert_pending
from storage.clock import seconds, timestamp
from storage.frame_store import FrameStore
from storage.monthly_tables import MONTHLY_FILES
from storage.pending import garbage, tidy
from storage.tables import LISTING, PENDING

MONTHLY_FOLDER = "monthly"
"""Folder of the monthly files below the place of the frames."""
RETIRED_S = 600.0
"""Seconds for which a file without runs stays, because a query may be reading it."""
_BATCH_SIZE = 500
"""Rows that one statement marks, so that writers of the same runs wait for milliseconds."""
_L = LISTING.c
_F = MONTHLY_FILES.c
_MONTH = func.substr(_L.date, 1, 7)


@dataclass(frozen=True)
class RunMonth:
    """A source, and the first 7 characters of the dates of its runs, such as `2026-11`."""

    source: str
    month: str


@dataclass(frozen=True)
class MonthlyFile:
    """A monthly file: a folder with a Parquet file per table; `tables` maps their names to [rows,
    bytes].

    `made_by` is the version that wrote it, `runs` the number of its runs, `left_out` the number of
    runs of the month that could not be read.
    """

    file: str
    source: str
    month: str
    made_by: str
    runs: int
    left_out: int
    tables: Mapping[str, Sequence[int]]

    @property
    def prefix(self) -> str:
        """Folder of the file below the place of the frames."""
        return f"{MONTHLY_FOLDER}/{self.file}"

    def path(self, table: str) -> str:
        """Path of the Parquet file of a table, below the place of the frames."""
        return f"{self.prefix}/{table}.parquet"


class MonthlyFiles:
    """Access to the monthly files of a catalogue, which must exist."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def files(self) -> dict[str, MonthlyFile]:
        """Read the files that are not retired, by name."""
        with self._catalogue.connect() as connection:
            return read_files(connection)

    def due(self, made_by: str, min_runs: int = 1) -> list[RunMonth]:
        """List the months whose file by version `made_by` does not have exactly the runs of the
        month, and that have at least `min_runs` runs.
        """
        runs: dict[RunMonth, dict[str | None, int]] = defaultdict(dict)
        query = select(_L.source, _MONTH, _L.monthly, func.count()).group_by(
            _L.source, _MONTH, _L.monthly
        )
        with self._catalogue.connect() as connection:
            files = read_files(connection)
            for source, month, file, count in connection.execute(query):
                runs[RunMonth(source, month)][file] = count
        return sorted(
            (
                month
                for month, by_file in runs.items()
                if sum(by_file.values()) >= min_runs and not _is_current(by_file, files, made_by)
            ),
            key=lambda month: (month.month, month.source),
        )

    def claim(self, month: RunMonth, file: str) -> Iterator[dict[str, str | None]]:
        """Mark the runs of a month as those that `file` is going to have; yield batches of at most
        500 that map run ids to their present file.

        A run that changes afterwards loses the mark. Each batch is committed before it is yielded.
        """
        for ids in self._batches(month):
            with self._catalogue.begin() as connection:
                marked = update(LISTING).where(_L.run_id.in_(ids)).values(monthly_next=file)
                connection.execute(marked)
                rows = connection.execute(
                    select(_L.run_id, _L.monthly).where(_L.run_id.in_(ids), _L.monthly_next == file)
                )
                batch = {row.run_id: row.monthly for row in rows}
            yield batch

    def release(self, run_ids: Sequence[str]) -> None:
        """Remove the mark of `claim` from up to 500 runs that cannot be read, so that `publish` does
        not count them as runs of the file.
        """
        if not run_ids:
            return
        with self._catalogue.begin() as connection:
            unmarked = update(LISTING).where(_L.run_id.in_(run_ids)).values(monthly_next=None)
            connection.execute(unmarked)

    def publish(self, written: MonthlyFile) -> None:
        """Record a written file, whose prefix is no longer pending, and give it the runs that have
        kept its mark.

        If the process ends in between, some runs stay in the former file, and readers combine both.
        """
        with self._catalogue.begin() as connection:
            values = vars(written) | {"tables": dict(written.tables), "written_at": timestamp()}
            connection.execute(insert(MONTHLY_FILES).values(values))
            connection.execute(delete(PENDING).where(PENDING.c.prefix == written.prefix))
        is_marked = _L.monthly_next == written.file
        for ids in self._batches(RunMonth(written.source, written.month), is_marked):
            with self._catalogue.begin() as connection:
                connection.execute(
                    update(LISTING)
                    .where(_L.run_id.in_(ids), is_marked)
                    .values(monthly=written.file, monthly_next=None)
                )

    def retire(self) -> None:
        """Mark the files without any run as retired, except a file that `publish` is giving runs."""
        used = select(_L.run_id).where(_L.monthly == _F.file).exists()
        # Between the first and the last transaction of `publish` a file may have only marked runs.
        marked = select(_L.run_id).where(_L.monthly_next == _F.file).exists()
        with self._catalogue.begin() as connection:
            connection.execute(
                update(MONTHLY_FILES)
                .where(_F.retired.is_(None), ~used, ~marked)
                .values(retired=seconds(connection))
            )

    def remove_retired(self, store: FrameStore, after_s: float = RETIRED_S) -> int:
        """Remove the files that were retired more than `after_s` seconds ago; return their number.

        If the process ends in between, the next ingest removes the rest, which is pending.
        """
        with self._catalogue.connect() as connection:
            is_old = _F.retired < seconds(connection) - after_s
            names = list(connection.scalars(select(_F.file).where(is_old)))
        for name in names:
            prefix = f"{MONTHLY_FOLDER}/{name}"
            with self._catalogue.begin_removal() as connection:
                if connection.execute(delete(MONTHLY_FILES).where(_F.file == name)).rowcount:
                    insert_pending(connection, garbage(prefix))
            tidy(self._catalogue, store, prefix)
        return len(names)

    def _batches(self, month: RunMonth, *conditions: ColumnElement[bool]) -> Iterator[list[str]]:
        """Yield the ids of the runs of a month that meet conditions, at most 500 at a time."""
        last: tuple[str, str] | None = None
        while True:
            query = (
                select(_L.date, _L.run_id)
                .where(*_is_in(month), *conditions, *_is_after(last))
                .order_by(_L.date, _L.run_id)
                .limit(_BATCH_SIZE)
            )
            with self._catalogue.connect() as connection:
                rows = connection.execute(query).all()
            if not rows:
                return
            yield [row.run_id for row in rows]
            last = (rows[-1].date, rows[-1].run_id)


def read_files(connection: Connection) -> dict[str, MonthlyFile]:
    """Read the files that are not retired, by name, with a connection of the caller."""
    columns = [_F[name] for name in MonthlyFile.__dataclass_fields__]
    rows = connection.execute(select(*columns).where(_F.retired.is_(None)))
    return {row.file: MonthlyFile(**row._mapping) for row in rows}


def _is_current(
    by_file: Mapping[str | None, int], files: Mapping[str, MonthlyFile], made_by: str
) -> bool:
    """Whether one file has all runs of a month but those that could not be read, and no others."""
    named = [files[name] for name in by_file if name is not None and name in files]
    if len(named) != 1 or named[0].made_by != made_by:
        return False
    [file] = named
    late = sum(by_file.values()) - by_file[file.file]
    return by_file[file.file] == file.runs and late == file.left_out


def _is_in(month: RunMonth) -> list[ColumnElement[bool]]:
    """Build the conditions that a run is of a month; the range lets a database use the index of the
    dates.
    """
    last = month.month + chr(0x10FFFF)
    return [
        _L.source == month.source,
        func.substr(_L.date, 1, 7) == month.month,
        _L.date >= month.month,
        _L.date <= last,
    ]


def _is_after(last: tuple[str, str] | None) -> list[ColumnElement[bool]]:
    if last is None:
        return []
    date, run_id = last
    return [_L.date >= date, or_(_L.date > date, _L.run_id > run_id)]
