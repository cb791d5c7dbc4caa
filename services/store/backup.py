"""Creation of a store's backup: the rows of its catalogue at one moment, and the files of the runs
in these rows.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from data_loaders.reading.scratch import scratch_folder
from services.store.backup_file import BackupError, BackupWriter
from storage import backup_rows
from storage.errors import StorageError
from storage.frame_file import FrameFile
from storage.repository import Repository
from storage.revisions import HEAD

Row = dict[str, Any]
OnRun = Callable[[int, int, str], None]
"""Progress callback, called before each run with its index, the number of runs, and its id."""
_MAX_TRIES = 5
"""Maximum number of copies of a run's files if the run is replaced during each copy."""


@dataclass
class Copied:
    """Counts of the copied runs, files and bytes, and a sentence for each frame or row that is
    missing or damaged.
    """

    runs: int = 0
    files: int = 0
    size: int = 0
    findings: list[str] = field(default_factory=list)


def rows_member(table: str) -> str:
    """Name of the backup's member with the rows of a table, a JSON object per line:
    `rows/TABLE.jsonl`.
    """
    return f"rows/{table}.jsonl"


def frame_member(run_id: str, frame: str) -> str:
    """Name of the backup's member with a frame of a run: `frames/RUN_ID/FRAME.parquet`."""
    return f"frames/{run_id}/{frame}.parquet"


def back_up(repository: Repository, target: Path, on_run: OnRun = lambda *_: None) -> Copied:
    """Write a backup to `target`, replacing it, and return counts and findings; the file appears
    only when it is complete.

    Runs that are deleted meanwhile are left out; damaged or missing frames are findings. Parts are
    written to a temporary folder next to the target. Raises BackupError if there is no catalogue or
    the target is not a file, StorageError and OSError.
    """
    if not repository.catalogue.is_created():
        raise BackupError(f"there is no catalogue at {repository.catalogue.address} yet")
    if target.exists() and not target.is_file():
        raise BackupError(f"{target} is not a regular file")
    with scratch_folder(target.absolute().parent, shared=True) as folder:
        whole = folder / "whole.tar"
        # a backup contains the hashes of tokens
        whole.touch(mode=0o600)
        with whole.open("r+b") as stream:
            copied = _Copy(repository, BackupWriter(stream), folder).make(on_run)
            stream.flush()
            # the content must be on disk before the file gets its final name
            os.fsync(stream.fileno())
        copied.size = whole.stat().st_size
        whole.replace(target)
    return copied


@dataclass
class _Copy:
    """A backup while it is written; `folder` has its temporary files."""

    repository: Repository
    writer: BackupWriter
    folder: Path
    copied: Copied = field(default_factory=Copied)

    def make(self, on_run: OnRun) -> Copied:
        count = self._read_rows()
        gone: set[str] = set()
        with self._file("kept").open("w") as remaining:
            for index, row in enumerate(_lines(self._file("runs"))):
                on_run(index, count, row["run_id"])
                now = self._copy_frames(row)
                if now is None:
                    gone.add(row["run_id"])
                else:
                    remaining.write(_line(now))
        self._file("kept").replace(self._file("runs"))
        self._add_rows(gone)
        self.writer.finish(HEAD, self._file("manifest"))
        return self.copied

    def _read_rows(self) -> int:
        """Copy the rows of each table to a file of its own and return the number of runs.

        Rows that do not fit this release are left out, with a finding.
        """
        runs = 0
        # one transaction reads all tables, so the rows refer to each other as at one moment
        with backup_rows.snapshot(self.repository.catalogue) as rows:
            for table in backup_rows.TABLES:
                with self._file(table).open("w") as out:
                    for row in rows(table):
                        if self._fits(table, row):
                            out.write(_line(row))
                            runs += table == "runs"
        return runs

    def _fits(self, table: str, row: Row) -> bool:
        try:
            backup_rows.fitting(table, row)
        except ValueError as error:
            self.copied.findings.append(f"the catalogue {error}; it is not backed up")
            return False
        return True

    def _copy_frames(self, row: Row) -> Row | None:
        """Add the files of a run to the backup; files that are missing in the store are left out,
        with a finding.

        Returns its row, or its new row if it was replaced; `None` if it was deleted. Raises
        StorageError if the run is replaced during each of _MAX_TRIES (5) copies.
        """
        catalogue = self.repository.catalogue
        store = self.repository.store
        for _ in range(_MAX_TRIES):
            with TemporaryDirectory(dir=self.folder) as folder:
                missing = [
                    name for name in row["frames"] if not self._fetch(row, name, Path(folder))
                ]
                now = catalogue.get(row["run_id"]) if missing else None
                if missing and (now is None or now.damaged):
                    return None
                if now is None or now.prefix == row["prefix"]:
                    if missing:
                        store.check()
                        self._find(row, missing, "is missing")
                    self._add_frames(row, Path(folder))
                    return row
                # the run was replaced: copy the files of its new version in the next round
                row = now.values()
        raise StorageError(f"run {row['run_id']} was replaced during each attempt to copy it")

    def _fetch(self, row: Row, name: str, folder: Path) -> bool:
        """Copy a frame of a run to `folder` and return whether it exists.

        A wrong checksum is recorded as a finding, and the frame is copied all the same.
        """
        file = _frame_file(row, name)
        try:
            checksum = self.repository.store.fetch(file, folder / name)
        except FileNotFoundError:
            (folder / name).unlink(missing_ok=True)
            return False
        if file.checksum is not None and file.checksum != checksum:
            self._find(row, [name], "is damaged and was copied unchanged")
        return True

    def _find(self, row: Row, names: list[str], what: str) -> None:
        self.copied.findings += [f"frame {name} of run {row['run_id']} {what}" for name in names]

    def _add_frames(self, row: Row, folder: Path) -> None:
        for path in sorted(folder.iterdir()):
            self.writer.add(frame_member(row["run_id"], path.name), path)
            self.copied.files += 1
        self.copied.runs += 1

    def _add_rows(self, gone: set[str]) -> None:
        """Add the rows of all tables to the backup, except rows of the deleted runs `gone`."""
        for table in backup_rows.TABLES:
            if gone and table in backup_rows.RUN_TABLES:
                with self._file("kept").open("w") as remaining:
                    remaining.writelines(
                        _line(row) for row in _lines(self._file(table)) if row["run_id"] not in gone
                    )
                self._file("kept").replace(self._file(table))
            self.writer.add(rows_member(table), self._file(table))

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.jsonl"


def _frame_file(row: Row, name: str) -> FrameFile:
    """Return the place of a frame of a row of table `runs`."""
    checksum = (row["checksums"] or {}).get(name)
    return FrameFile(
        row["prefix"],
        name,
        checksum and (checksum[0], checksum[1]),
        (row["offsets"] or {}).get(name),
    )


def _line(row: Row) -> str:
    return json.dumps(row) + "\n"


def _lines(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as stream:
        yield from map(json.loads, stream)
