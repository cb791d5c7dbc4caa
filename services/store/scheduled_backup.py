"""Creation of a scheduled backup: write it to a temporary file, verify it, move it to its name,
remove older backups.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from schema.plurals import plural
from services.store.backup import OnRun, back_up
from services.store.backup_file import BackupError
from services.store.backup_place import BackupPlace
from services.store.backups import Attempt, BackupPlan, fail, rotate, tidy_place
from services.store.verify import verify
from storage.audit import Audit
from storage.errors import StorageError
from storage.jobs import CANCELLED, DONE, Jobs
from storage.repository import Repository

_BEAT_S = 10.0
"""Seconds between two heartbeats of an attempt."""
_STAY = "Older backups could not be removed; the audit log has the reason."
"""Note of the job if older backups could not be removed."""
_MAX_QUOTED = 3
"""Maximum number of problems that a note quotes."""


class BackupStoppedError(BackupError):
    """The backup was cancelled, or another process took over the attempt."""


@dataclass(frozen=True)
class MadeBackup:
    """A finished backup: its name, size in bytes, runs and files.

    `problems` is the number of damaged parts of the store that it copied, `note` a sentence about
    them ("" if there were none).
    """

    name: str
    size: int
    runs: int
    files: int
    problems: int
    note: str = ""

    def numbers(self) -> Mapping[str, Any]:
        """Return a dict of the numbers of the backup that the catalogue stores: size (bytes), runs,
        files and problems.
        """
        return {name: getattr(self, name) for name in ("size", "runs", "files", "problems")}


def make_backup(
    repository: Repository,
    plan: BackupPlan,
    attempt: Attempt,
    user: str,
    on_run: OnRun = lambda *_: None,
) -> MadeBackup:
    """Make, verify and publish the backup of an attempt that this process owns, record the result
    and return it; then older backups beyond the plan are removed.

    Raises BackupError and StorageError with the reason of a failure, which is recorded as well.
    """
    catalogue = repository.catalogue
    try:
        with _beating(Jobs(catalogue), attempt) as own:
            backup = _make(repository, plan, own, on_run)
    except BackupStoppedError as error:
        Jobs(catalogue).end(attempt.job_id, attempt.owner, CANCELLED, str(error))
        raise
    except (BackupError, StorageError) as error:
        fail(catalogue, attempt, str(error), user)
        raise
    except OSError as error:
        sentence = f"{error.filename or plan.to}: {error.strerror or error}"
        fail(catalogue, attempt, sentence, user)
        raise StorageError(sentence) from error
    except Exception as error:
        fail(catalogue, attempt, f"it failed unexpectedly: {type(error).__name__}", user)
        raise
    except BaseException:
        # if this fails, other processes take over when the heartbeat is too old
        with suppress(StorageError):
            Jobs(catalogue).release(attempt.job_id, attempt.owner)
        raise
    return _record_backup(repository, plan, attempt, user, backup)


def _make(repository: Repository, plan: BackupPlan, own: _Ownership, on_run: OnRun) -> MadeBackup:
    place = BackupPlace(plan.to)
    name = own.attempt.name
    tidy_place(repository.catalogue, plan)
    with place.workshop(name) as folder:
        path = folder / name
        copied = back_up(repository, path, own.add_check(on_run))
        verified = verify(path, own.add_check(on_run))
        problem_texts = [problem.removeprefix(f"{path} ") for problem in verified.problems]
        if not verified.restorable:
            raise BackupError(
                f"{name} was not written correctly and was removed: it {problem_texts[0]}"
            )
        # last check before the backup gets its name: another process may own the attempt by now
        own.beat()
        own.check()
        place.publish(path, name)
    problems = max(copied.findings, problem_texts, key=len)
    return MadeBackup(
        name, verified.size, verified.runs, verified.files, len(problems), _note(problems)
    )


def _record_backup(
    repository: Repository, plan: BackupPlan, attempt: Attempt, user: str, backup: MadeBackup
) -> MadeBackup:
    """Record a backup, then remove older backups: they are in excess only after this backup is
    recorded.

    Returns the backup, with a longer note if older backups could not be removed.
    """
    jobs = Jobs(repository.catalogue)
    audit = Audit(repository.catalogue)
    jobs.record(attempt.job_id, 0, failed=False, answer=backup.numbers())
    jobs.end(attempt.job_id, attempt.owner, DONE, backup.note)
    audit.add(
        user, "backup.make", backup.name, f"{plural(backup.runs, 'run')}, {backup.size:,} bytes"
    )
    try:
        rotate(repository.catalogue, plan, user)
    except StorageError as error:
        audit.add(user, "backup.fail", backup.name, f"older backups were not removed: {error}")
        jobs.end(attempt.job_id, attempt.owner, DONE, " ".join(filter(None, (backup.note, _STAY))))
        note = " ".join(filter(None, (backup.note, f"Older backups were not removed: {error}.")))
        return replace(backup, note=note)
    return backup


def _note(problems: list[str]) -> str:
    if not problems:
        return ""
    more = f"; and {len(problems) - _MAX_QUOTED} more" if len(problems) > _MAX_QUOTED else ""
    return f"The store is damaged, and so is its backup: {'; '.join(problems[:_MAX_QUOTED])}{more}."


@dataclass
class _Ownership:
    """Whether this process still owns an attempt: it was neither cancelled nor taken over by
    another process.
    """

    jobs: Jobs
    attempt: Attempt
    lost: bool = False

    def beat(self) -> None:
        """Write a heartbeat of the attempt; `lost` becomes True if the attempt no longer belongs to
        this process.
        """
        self.lost |= not self.jobs.beat(self.attempt.job_id, self.attempt.owner)

    def check(self) -> None:
        """Raise BackupStoppedError if the attempt was lost to another process or cancelled, as far
        as heartbeats have shown.
        """
        if self.lost:
            raise BackupStoppedError("the backup was cancelled, or another process is making it")

    def add_check(self, on_run: OnRun) -> OnRun:
        """Return a progress callback that calls `check` and then `on_run`."""

        def check_run(index: int, count: int, run_id: str) -> None:
            self.check()
            on_run(index, count, run_id)

        return check_run


@contextmanager
def _beating(jobs: Jobs, attempt: Attempt) -> Iterator[_Ownership]:
    """Provide the ownership of an attempt, and write heartbeats on a thread every _BEAT_S (10 s)
    until the block ends.
    """
    ended = threading.Event()
    own = _Ownership(jobs, attempt)

    def beat() -> None:
        while not ended.wait(_BEAT_S):
            # the next heartbeat may succeed
            with suppress(StorageError):
                own.beat()

    thread = threading.Thread(target=beat, name="backup", daemon=True)
    thread.start()
    try:
        yield own
    finally:
        ended.set()
        thread.join()
