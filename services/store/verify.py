"""A backup looked through without a store: what it holds, and everything that is wrong with it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from data_loaders.reading.scratch import scratch_folder
from services.store.backup import OnRun
from services.store.backup_check import BackupCheck
from services.store.backup_file import BackupError, BackupReader
from services.store.backup_place import local_backup


@dataclass(frozen=True)
class Verified:
    """What a backup holds, as far as it could be read, and a sentence for each problem.

    `restorable`: a restore accepts it, with its option for damaged frames if `problems` has any. `made_at` is ISO 8601
    in UTC, `revision` that of the catalogue; both are empty without a manifest.
    """

    file: str
    size: int
    problems: tuple[str, ...]
    restorable: bool = False
    runs: int = 0
    files: int = 0
    made_at: str = ""
    revision: str = ""

    def record(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {**asdict(self), "problems": [*self.problems]}


def verify(source: str | Path, on_run: OnRun = lambda *_: None) -> Verified:
    """Look through a backup, a file or an address of object storage; no store is asked or written.

    Raises BackupError where nothing of the name is a file, StorageError and OSError where it cannot be had.
    """
    with local_backup(source) as path, scratch_folder() as folder:
        return _verify(str(source), path, folder / "frame", on_run)


def _verify(name: str, path: Path, scratch: Path, on_run: OnRun) -> Verified:
    size = path.stat().st_size
    with path.open("rb") as stream:
        try:
            backup = BackupReader(stream, strict=False)
        except BackupError as error:
            return Verified(name, size, (f"{name} {error}",))
        check, found = BackupCheck(backup), [*backup.damage.values()]
        found += check.problems()
        restorable = not found
        try:
            found += check.table_problems()
            found += check.frame_problems(scratch, on_run)
        except BackupError as error:
            found.append(str(error))
            restorable = False
    made_at = datetime.fromtimestamp(backup.made_at, UTC).isoformat()
    problems = tuple(f"{name} {problem}" for problem in found)
    return Verified(name, size, problems, restorable, check.runs, check.files, made_at, backup.revision)
