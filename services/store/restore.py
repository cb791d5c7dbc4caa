"""Restore of a backup into an empty store: check everything, write the files of its runs, then all
rows in one transaction.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from data_loaders.reading.scratch import scratch_folder
from services.store.backup import Copied, OnRun, Row, frame_member
from services.store.backup_check import BackupCheck, fitting_rows
from services.store.backup_file import BackupError, BackupReader
from services.store.backup_place import local_backup
from storage import backup_rows
from storage.backup_rows import Moved
from storage.errors import StorageError
from storage.pending import alive, reservation, sweep, tidy
from storage.repository import Repository


def restore(
    repository: Repository,
    source: str | Path,
    on_run: OnRun = lambda *_: None,
    *,
    accept_damage: bool = False,
) -> Copied:
    """Restore a backup into an empty store, completely or not at all, and return the counts of
    restored runs, files and bytes.

    Raises BackupError, StorageError (also if the store is not empty) and OSError. `source` is a
    local file or an address in object storage. Everything is checked before the first write. A
    frame whose checksum differs from that in its run's row is refused, unless `accept_damage`. When
    a restore is killed, the next ingest or restore removes its files.
    """
    backup_rows.refuse_unless_empty(repository.catalogue)
    with (
        local_backup(source) as path,
        path.open("rb") as stream,
        scratch_folder() as folder,
    ):
        scratch = folder / "frame"
        try:
            backup = BackupReader(stream)
            runs = _check(backup, scratch, accept_damage=accept_damage)
            return _Restore(repository, backup, scratch, runs).make(on_run)
        except BackupError as error:
            raise BackupError(f"{source} {error}") from error


def _check(backup: BackupReader, scratch: Path, *, accept_damage: bool) -> int:
    """Return the number of runs of a backup. Raises BackupError for the first problem; changed
    frames are a problem unless `accept_damage`.
    """
    check = BackupCheck(backup)
    for problem in check.problems():
        raise BackupError(problem)
    if not accept_damage:
        for problem in check.changed_frames(scratch):
            raise BackupError(f"{problem}; --accept-damage restores damaged frames unchanged")
    return check.runs


@dataclass
class _Restore:
    """A restore in progress; each frame is extracted to the file `scratch`."""

    repository: Repository
    backup: BackupReader
    scratch: Path
    count: int
    moved: dict[str, Moved] = field(default_factory=dict)
    copied: Copied = field(default_factory=Copied)

    def make(self, on_run: OnRun) -> Copied:
        catalogue = self.repository.catalogue
        store = self.repository.store
        catalogue.create()
        sweep(catalogue, store, self.repository.stale_after_s)
        try:
            with alive(catalogue):
                for index, row in enumerate(fitting_rows(self.backup, "runs")):
                    on_run(index, self.count, row["run_id"])
                    self._write_frames(row)
                backup_rows.write(catalogue, partial(fitting_rows, self.backup), self.moved)
        except BaseException:
            self._tidy()
            raise
        return self.copied

    def _tidy(self) -> None:
        """Remove the files that were written, unless the rows were committed: a database may commit
        and then fail to report it.
        """
        catalogue = self.repository.catalogue
        store = self.repository.store
        # the next sweep repeats what fails here
        with suppress(StorageError):
            written = {run.now for run in self.moved.values()}
            for prefix in [
                pending.prefix for pending in catalogue.pending() if pending.prefix in written
            ]:
                tidy(catalogue, store, prefix)

    def _write_frames(self, row: Row) -> None:
        """Write the frames of a run under a new prefix; a frame that was missing when the backup
        was made is missing again.
        """
        reserved = reservation(row["run_id"])
        # reserved before the first file, so that a sweep finds the files of a restore that is
        # killed
        self.repository.catalogue.reserve(reserved)
        moved = Moved(row["prefix"], reserved.prefix, row["checksums"] or {})
        self.moved[row["run_id"]] = moved
        extracted = self._extract(row)
        for file in self.repository.store.put(reserved.prefix, extracted) if extracted else ():
            moved.offsets[file.name] = file.start
            # A damaged frame is restored with the checksum of the original, so that it stays
            # known as damaged.
            moved.checksums.setdefault(file.name, [*(file.checksum or ())])
            self.copied.files += 1
            self.copied.size += extracted[file.name].stat().st_size
        for path in extracted.values():
            path.unlink()
        self.copied.runs += 1

    def _extract(self, row: Row) -> dict[str, Path]:
        """Write the frames of a run to files beside `scratch`; return the file of each frame that
        the backup has.
        """
        extracted = {}
        for rank, frame in enumerate(row["frames"]):
            name = frame_member(row["run_id"], frame)
            if name in self.backup.members:
                extracted[frame] = self.scratch.with_name(f"{rank}")
                self.backup.extract(name, extracted[frame])
        return extracted
