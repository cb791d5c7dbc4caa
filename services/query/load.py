"""Loading of the tables that a query names: rows of the selected runs, written to files up to a
number of bytes.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import pandas as pd
import pyarrow as pa

from schema.frames import conform
from schema.plurals import plural
from services.query.arrow_tables import arrow_rows
from services.query.errors import QueryLimitError
from services.query.load_months import MonthLoader
from services.query.loaded import LoadedTable, LoadedTables, TableWriter
from services.query.narrow import NARROW_TABLES, run_rows
from services.query.tables import FRAMES_TABLE, QUERY_TABLES, RUNS_TABLE, QueryTable
from services.run.frames import RunFrameFinder
from storage.errors import RunDamaged, RunNotFound
from storage.repository import Repository
from storage.run_choice import RunChoice
from storage.stored_run import StoredRun

_FINDINGS = "diagnostics"
_MIB = 2**20
_BATCH_SIZE = 200
"""Runs whose rows of table `runs` or `frames` are made together."""


def frame_rows(stored: StoredRun) -> dict[str, int]:
    """Map the name of each stored and derived frame of a run to its number of rows, including `run`
    (1) and the findings.
    """
    return {"run": 1} | stored.frames | stored.derived | {_FINDINGS: len(stored.findings)}


class TableLoader:
    """Writer of tables of runs to a folder, with at most `most_mb` in total and `seconds`."""

    def __init__(
        self,
        repository: Repository,
        choice: RunChoice,
        folder: Path,
        most_mb: int,
        seconds: float,
    ) -> None:
        self._repository, self._folder, self._most_mb = repository, folder, most_mb
        self._choice = choice
        # A dict in place of a set: the notes name the first damaged runs.
        self._damaged: dict[str, None] = {}
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._loaded = LoadedTables()

    def load(self, names: Sequence[str]) -> LoadedTables:
        """Write the tables with these names and return them; damaged runs are left out with a note,
        runs that were deleted meanwhile without.

        Raises QueryLimitError if they are larger than the limit or take too long.
        """
        if not names:
            return self._loaded
        months = MonthLoader(self._repository.store, self._folder, self._count)
        divided, placed = months.load(self._choice, names)
        self._loaded.tables = {name: placed.get(name) or LoadedTable() for name in names}
        # Without monthly files both lists are equal, and all tables share one pass over the runs.
        if divided.files:
            self._load_runs([name for name in names if name in NARROW_TABLES], divided.others)
            self._load_runs([name for name in names if name not in NARROW_TABLES], divided.every)
        else:
            self._load_runs(names, divided.others)
        if self._damaged:
            which = f"{plural(len(self._damaged), 'run')} whose files are damaged"
            self._loaded.notes.append(
                f"Left out: {which} ({', '.join(run_id[:12] for run_id in [*self._damaged][:5])})."
            )
        return self._loaded

    def _load_runs(self, names: Sequence[str], run_ids: Sequence[str]) -> None:
        """Write the rows of these runs for tables."""
        frames = []
        for name in names:
            table = QUERY_TABLES[name]
            if name == RUNS_TABLE:
                self._write(table, map(run_rows, self._batches(run_ids)))
            elif name == FRAMES_TABLE:
                self._write(table, map(_frame_counts, self._batches(run_ids)))
            elif table.frame == _FINDINGS:
                self._write(table, map(_findings, self._runs(run_ids)))
            else:
                frames.append(table)
        if frames:
            self._write_frames(frames, run_ids)

    def _runs(self, run_ids: Sequence[str]) -> Iterator[StoredRun]:
        """Yield the runs that are not damaged in the catalogue."""
        for stored in self._choice.read(run_ids):
            self._check_time()
            if stored.damaged:
                self._damaged[stored.run_id] = None
            else:
                yield stored

    def _batches(self, run_ids: Sequence[str]) -> Iterator[list[StoredRun]]:
        runs = self._runs(run_ids)
        while batch := list(islice(runs, _BATCH_SIZE)):
            yield batch

    def _write_frames(self, tables: Sequence[QueryTable], run_ids: Sequence[str]) -> None:
        """Write the frames run by run, so that several frames of a run share its analysis."""
        writers = [TableWriter(self._path(table), table, self._count) for table in tables]
        try:
            for stored in self._runs(run_ids):
                self._write_run(stored, writers)
        finally:
            for writer in writers:
                writer.close()

    def _write_run(self, stored: StoredRun, writers: Sequence[TableWriter]) -> None:
        rows = []
        try:
            frames = RunFrameFinder(self._repository, stored.run_id)
            for writer in writers:
                self._check_time()
                name = writer.table.frame
                if frames.has(name):
                    rows.append(
                        (writer, arrow_rows(writer.table, frames.find(name), stored.run_id))
                    )
        except RunDamaged:
            self._damaged[stored.run_id] = None
        except RunNotFound:
            # the run was deleted after it was selected
            pass
        else:
            for writer, table in rows:
                writer.write(table)

    def _write(self, table: QueryTable, parts: Iterable[pa.Table]) -> None:
        writer = TableWriter(self._path(table), table, self._count)
        try:
            for part in parts:
                writer.write(part)
        finally:
            writer.close()

    def _path(self, table: QueryTable) -> Path:
        path = self._folder / f"{table.name}.arrow"
        self._loaded.tables[table.name].rows = path
        return path

    def _count(self, size: int) -> None:
        """Count bytes of the tables; raises QueryLimitError if they are too many."""
        self._loaded.bytes += size
        if self._loaded.bytes > self._most_mb * _MIB:
            raise QueryLimitError(
                f"the tables of this query are larger than {self._most_mb:,} MiB (setting query_load_mb): select fewer runs"
            )

    def _check_time(self) -> None:
        """Raise QueryLimitError if there is no time left."""
        if time.monotonic() > self._until:
            raise QueryLimitError(
                f"reading the tables of this query took more than {self._seconds:g} "
                "seconds (setting query_seconds): select fewer runs"
            )


def _frame_counts(runs: Sequence[StoredRun]) -> pa.Table:
    rows = [
        (stored.run_id, name, count)
        for stored in runs
        for name, count in frame_rows(stored).items()
    ]
    return arrow_rows(
        QUERY_TABLES[FRAMES_TABLE], pd.DataFrame(rows, columns=["run_id", "frame", "rows"])
    )


def _findings(stored: StoredRun) -> pa.Table:
    names = QUERY_TABLES[_FINDINGS].columns[1:]
    frame = pd.DataFrame(stored.findings, columns=[column.source for column in names])
    return arrow_rows(QUERY_TABLES[_FINDINGS], conform(_FINDINGS, frame), stored.run_id)
