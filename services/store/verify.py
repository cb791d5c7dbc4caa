"""Verification of a backup without a store: its content, and all of its problems."""

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
    """Content of a backup as far as it can be read: size in bytes, numbers of runs and files, and a
    sentence for each problem.

    If `restorable`, a restore accepts it, with option --accept-damage if `problems` is not empty.
    `made_at` is ISO 8601 in UTC, `revision` is the revision of the catalogue; both are "" without a
    manifest.
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
        """Convert the result to JSON types, a dict of all fields."""
        return {**asdict(self), "problems": [*self.problems]}


def verify(source: str | Path, on_run: OnRun = lambda *_: None) -> Verified:
    """Verify a backup, a local file or an address in object storage, without reading or writing a
    store; return its content and all of its problems.

    Raises BackupError if the source is not a file, StorageError and OSError if it cannot be read.
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
        check = BackupCheck(backup)
        problems_found = [*backup.damage.values()]
        problems_found += check.problems()
        restorable = not problems_found
        try:
            problems_found += check.table_problems()
            problems_found += check.frame_problems(scratch, on_run)
        except BackupError as error:
            problems_found.append(str(error))
            restorable = False
    made_at = datetime.fromtimestamp(backup.made_at, UTC).isoformat()
    problems = tuple(f"{name} {problem}" for problem in problems_found)
    return Verified(
        name, size, problems, restorable, check.runs, check.files, made_at, backup.revision
    )
