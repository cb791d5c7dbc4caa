"""Loading of the tables that a query names: rows of the selected runs, written to files up to a
number of bytes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pyarrow as pa

from schema.frames import conform
from schema.plurals import plural
from services.query.arrow_tables import arrow_rows, arrow_schema
from services.query.errors import QueryLimitError
from services.query.tables import FRAMES_TABLE, QUERY_TABLES, RUNS_TABLE, QueryTable
from services.run.frames import RunFrameFinder
from storage.errors import RunDamaged, RunNotFound
from storage.repository import Repository, runs_frame
from storage.stored_run import StoredRun

_FINDINGS = "diagnostics"
_MIB = 2**20


def frame_rows(stored: StoredRun) -> dict[str, int]:
    """Map the name of each stored and derived frame of a run to its number of rows, including `run`
    (1) and the findings.
    """
    return {"run": 1} | stored.frames | stored.derived | {_FINDINGS: len(stored.findings)}


@dataclass
class LoadedTables:
    """The loaded tables: a file per table, their bytes, and sentences about runs that were left
    out.
    """

    files: dict[str, Path] = field(default_factory=dict)
    bytes: int = 0
    notes: list[str] = field(default_factory=list)


class TableLoader:
    """Writer of tables of runs to a folder, with at most `most_mb` in total and `seconds`."""

    def __init__(
        self,
        repository: Repository,
        runs: Sequence[StoredRun],
        folder: Path,
        most_mb: int,
        seconds: float,
    ) -> None:
        self._repository, self._folder, self._most_mb = repository, folder, most_mb
        self._runs = [stored for stored in runs if not stored.damaged]
        self._damaged = [stored.run_id for stored in runs if stored.damaged]
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._loaded = LoadedTables()

    def load(self, names: Sequence[str]) -> LoadedTables:
        """Write the tables with these names and return them; damaged runs are left out with a note,
        runs that were deleted meanwhile without.

        Raises QueryLimitError if they are larger than the limit or take too long.
        """
        catalogue = {RUNS_TABLE: self._run_rows, FRAMES_TABLE: self._frame_rows}
        for name in names:
            if name in catalogue:
                self._write(QUERY_TABLES[name], [catalogue[name]()])
            elif QUERY_TABLES[name].frame == _FINDINGS:
                self._write(QUERY_TABLES[name], map(self._findings, self._runs))
        frames = [QUERY_TABLES[name] for name in names if name not in self._loaded.files]
        if frames:
            self._write_frames(frames)
        if names and self._damaged:
            which = f"{plural(len(self._damaged), 'run')} whose files are damaged"
            self._loaded.notes.append(
                f"Left out: {which} ({', '.join(run_id[:12] for run_id in self._damaged[:5])})."
            )
        return self._loaded

    def _run_rows(self) -> pa.Table:
        records = [stored.record() for stored in self._runs]
        counted = pd.Series([record["observations"] for record in records], dtype="int64")
        return arrow_rows(
            QUERY_TABLES[RUNS_TABLE], runs_frame(records).assign(observations=counted.to_numpy())
        )

    def _frame_rows(self) -> pa.Table:
        rows = [
            (stored.run_id, name, count)
            for stored in self._runs
            for name, count in frame_rows(stored).items()
        ]
        return arrow_rows(
            QUERY_TABLES[FRAMES_TABLE], pd.DataFrame(rows, columns=["run_id", "frame", "rows"])
        )

    def _findings(self, stored: StoredRun) -> pa.Table:
        names = QUERY_TABLES[_FINDINGS].columns[1:]
        frame = pd.DataFrame(stored.findings, columns=[column.source for column in names])
        return arrow_rows(QUERY_TABLES[_FINDINGS], conform(_FINDINGS, frame), stored.run_id)

    def _write_frames(self, tables: Sequence[QueryTable]) -> None:
        """Write the frames run by run, so that several frames of a run share its analysis."""
        writers = [_Writer(self._path(table), table, self._count) for table in tables]
        try:
            for stored in self._runs:
                self._write_run(stored, writers)
        finally:
            for writer in writers:
                writer.close()

    def _write_run(self, stored: StoredRun, writers: Sequence[_Writer]) -> None:
        try:
            frames = RunFrameFinder(self._repository, stored.run_id)
            rows = [
                (writer, arrow_rows(writer.table, frames.find(writer.table.frame), stored.run_id))
                for writer in writers
                if self._has_time() and frames.has(writer.table.frame)
            ]
        except RunDamaged:
            self._damaged.append(stored.run_id)
        except RunNotFound:
            # the run was deleted after it was selected
            pass
        else:
            for writer, table in rows:
                writer.write(table)

    def _write(self, table: QueryTable, parts: Sequence[pa.Table] | Iterator[pa.Table]) -> None:
        writer = _Writer(self._path(table), table, self._count)
        try:
            for part in parts:
                writer.write(part)
        finally:
            writer.close()

    def _path(self, table: QueryTable) -> Path:
        path = self._loaded.files[table.name] = self._folder / f"{table.name}.arrow"
        return path

    def _count(self, rows: pa.Table) -> None:
        self._loaded.bytes += rows.nbytes
        if self._loaded.bytes > self._most_mb * _MIB:
            raise QueryLimitError(
                f"the tables of this query are larger than {self._most_mb:,} MiB (setting query_load_mb): select fewer runs"
            )

    def _has_time(self) -> bool:
        """Return True if there is time left; raises QueryLimitError if there is none."""
        if time.monotonic() > self._until:
            raise QueryLimitError(
                f"reading the tables of this query took more than {self._seconds:g} "
                "seconds (setting query_seconds): select fewer runs"
            )
        return True


class _Writer:
    """Writer of the file of a table.

    `count` is called before rows are written, and raises if they are too many.
    """

    def __init__(self, path: Path, table: QueryTable, count: Callable[[pa.Table], None]) -> None:
        self.table, self._count = table, count
        self._writer = pa.ipc.new_stream(path, arrow_schema(table))

    def write(self, rows: pa.Table) -> None:
        self._count(rows)
        self._writer.write_table(rows)

    def close(self) -> None:
        self._writer.close()
