"""Check of a backup before a restore: rows must fit this release, and the files of all runs must be
there.

A problem is the end of a sentence that begins with the name of the backup.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from services.store.backup import OnRun, Row, frame_member, rows_member
from services.store.backup_file import BackupError, BackupReader
from storage import backup_rows
from storage.frame_file import checksum_of_file
from storage.frame_store import is_decodable
from storage.revisions import HEAD, REVISIONS, describe_writer

_RUNS = "runs"
_CHANGED = "is not the file that its run names"


def fitting_rows(backup: BackupReader, table: str) -> Iterator[Row]:
    """Yield the rows of a table, converted to this release; empty if an older release did not have
    the table.

    Raises BackupError if a row does not fit.
    """
    for line in _lines(backup, table):
        try:
            yield backup_rows.fitting(table, line)
        except ValueError as error:
            raise BackupError(str(error)) from error


def _lines(backup: BackupReader, table: str) -> Iterator[Any]:
    name = rows_member(table)
    return backup.lines(name) if name in backup.members else iter(())


@dataclass
class BackupCheck:
    """Check of an open backup.

    `runs` and `files` count the runs, and the frames that `frame_problems` has read.
    """

    backup: BackupReader
    runs: int = 0
    files: int = 0
    _frames: dict[str, list[tuple[str, list[int] | None]]] = field(default_factory=dict)
    _knows_all: bool = True

    def problems(self) -> Iterator[str]:
        """Yield the problems that prevent a restore, each as the end of a sentence: rows that do
        not fit this release, and files of no run.

        If an unknown release made the backup, that is the only problem.
        """
        if self.backup.revision not in REVISIONS:
            yield f"was made by {describe_writer(self.backup.revision)}"
            return
        for table in backup_rows.TABLES:
            if rows_member(table) in self.backup.damage:
                self._knows_all &= table != _RUNS
                continue
            try:
                for number, line in enumerate(_lines(self.backup, table), start=1):
                    yield from self._row_problems(table, number, line)
            except BackupError as error:
                self._knows_all &= table != _RUNS
                yield str(error)
        # With unreadable rows of runs, their files would seem to belong to no run.
        if self._knows_all:
            yield from self._unknown_files()

    def table_problems(self) -> Iterator[str]:
        """Yield the tables that a backup of this release lacks, each as the end of a sentence; a
        backup of another release may lack tables.
        """
        # An older release has fewer tables.
        if self.backup.revision == HEAD:
            tables = map(rows_member, backup_rows.TABLES)
            yield from (f"lacks {name}" for name in tables if not self._is_reported(name))

    def frame_problems(self, scratch: Path, on_run: OnRun = lambda *_: None) -> Iterator[str]:
        """Yield the frames that are missing, changed or unreadable, each as the end of a sentence.
        Call it after `problems`.

        Each frame is extracted to the file `scratch`. Raises BackupError if the backup changes
        meanwhile.
        """
        for index, (run_id, frames) in enumerate(self._frames.items()):
            on_run(index, self.runs, run_id)
            for frame, checksum in frames:
                name = frame_member(run_id, frame)
                if name in self.backup.members and name not in self.backup.damage:
                    self.files += 1
                    self.backup.extract(name, scratch)
                    if problem := _frame_problem(scratch, checksum):
                        yield f"has frame {frame} of run {run_id}, which {problem}"
                elif name not in self.backup.damage:
                    yield f"lacks frame {frame} of run {run_id}"

    def changed_frames(self, scratch: Path) -> Iterator[str]:
        """Yield the frames whose checksum differs from their run's row, each as the end of a
        sentence. Call it after `problems`.

        The hashes of the manifest do not reveal these: the store may have been damaged when the
        backup was made, or frame and manifest were changed together. Frames that are missing or
        have no checksum are skipped.
        """
        for run_id, frames in self._frames.items():
            for frame, checksum in frames:
                name = frame_member(run_id, frame)
                if checksum is not None and name in self.backup.members:
                    self.backup.extract(name, scratch)
                    if checksum != [*checksum_of_file(scratch)]:
                        yield f"has frame {frame} of run {run_id}, which {_CHANGED}"

    def _row_problems(self, table: str, number: int, line: object) -> Iterator[str]:
        try:
            row = backup_rows.fitting(table, line)
        except ValueError as error:
            self._knows_all &= table != _RUNS
            yield f"{error} (line {number} of {rows_member(table)})"
            return
        if table != _RUNS:
            return
        if row["run_id"] in self._frames:
            yield f"is damaged: it has run {row['run_id']} twice"
            return
        self.runs += 1
        checksums = row["checksums"] or {}
        self._frames[row["run_id"]] = [(frame, checksums.get(frame)) for frame in row["frames"]]

    def _unknown_files(self) -> Iterator[str]:
        expected = {rows_member(table) for table in backup_rows.TABLES}
        for run_id, frames in self._frames.items():
            expected.update(frame_member(run_id, frame) for frame, _ in frames)
        for name in sorted(self.backup.members.keys() - expected - self.backup.damage.keys()):
            yield f"has an unexpected file: {name!r}"

    def _is_reported(self, name: str) -> bool:
        return name in self.backup.members or name in self.backup.damage


def _frame_problem(file: Path, checksum: list[int] | None) -> str | None:
    """Return the problem of a frame as the end of a sentence: a wrong checksum (if one is given),
    or a file that cannot be decoded; `None` if it is in order.
    """
    if checksum is not None and checksum != [*checksum_of_file(file)]:
        return _CHANGED
    return None if is_decodable(file) else "cannot be decoded"
