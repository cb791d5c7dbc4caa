"""Scheduled backups: which attempt is due, results of earlier attempts, and removal of old backups.

Each attempt is a job with a single task, named like the backup. One process owns the job at a time;
if that process is gone, another process repeats the attempt.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from services.store.backup_file import BackupError
from services.store.backup_place import BackupPlace, backup_name
from storage.audit import Audit
from storage.catalogue import Catalogue
from storage.clock import seconds_since, timestamp
from storage.jobs import DONE, FAILED, QUIET_S, WAITING, Job, Jobs, JobTask
from storage.turns import take_turn

KIND = "backup"
"""Kind (in the catalogue) of the jobs that make backups."""
SCHEDULE = "schedule"
"""User name recorded for scheduled backups."""
_RETRY_S = 3600.0
"""Seconds until a failed attempt is repeated, unless the next one is due earlier."""
_PUBLIC = "The backup failed; the audit log has the reason."
"""Reason of a failure in the list of jobs, which viewers can read."""
_RECENT, _MAX_ATTEMPTS = 100, 10_000
"""Number of attempts or audit entries that are searched, and number of attempts that count as all.
"""


@dataclass(frozen=True)
class BackupPlan:
    """Place of the backups, seconds between two of them (0: no schedule), and number of backups to
    keep.
    """

    to: str
    every_s: float
    keep: int


@dataclass(frozen=True)
class Attempt:
    """An attempt that a process owns; `name` is that of the backup."""

    job_id: str
    owner: str
    name: str


@dataclass(frozen=True)
class BackupState:
    """State of the scheduled backups; times are ISO 8601 in UTC, `None` if there is no such backup.

    `last_name`, `last_at`, `age_s`, `size` (bytes) and `runs` describe the last successful backup,
    `problems` is the number of damaged parts that it copied from the store, and `note` a sentence
    about them. `last_error` is the reason if the newest attempt failed, else ""; `failures` counts
    all failed attempts.
    """

    to: str
    every_s: float
    keep: int
    running: bool
    last_name: str | None
    last_at: str | None
    age_s: float | None
    size: int | None
    runs: int | None
    problems: int | None
    note: str
    failures: int
    last_error: str
    last_error_at: str | None
    next_at: str | None

    def record(self) -> dict[str, Any]:
        """Convert the state to JSON types, a dict of all fields."""
        return asdict(self)


@dataclass(frozen=True)
class StoredBackup:
    """A backup at its place. `made_at`, `runs` and `problems` are `None` if another store
    made it.
    """

    name: str
    size: int
    made_at: str | None = None
    runs: int | None = None
    problems: int | None = None


def backup_state(catalogue: Catalogue, plan: BackupPlan) -> BackupState:
    """Return the state of the scheduled backups from the catalogue; their place is not accessed."""
    newest = _attempts(catalogue, 2)
    over = [(job, task.name) for job, task in newest if job.is_over]
    last = next(iter(_attempts(catalogue, 1, DONE)), None)
    result = (last[1].answer if last else None) or {}
    failed, failed_name = over[0] if over and over[0][0].state != DONE else (None, "")
    return BackupState(
        plan.to,
        plan.every_s,
        plan.keep,
        running=_is_running(catalogue),
        last_name=last[1].name if last else None,
        last_at=last[0].created_at if last else None,
        age_s=seconds_since(last[0].created_at) if last else None,
        size=result.get("size"),
        runs=result.get("runs"),
        problems=result.get("problems"),
        note=last[0].message if last else "",
        failures=Jobs(catalogue).count(KIND, FAILED),
        last_error=_reason(catalogue, failed, failed_name) if failed else "",
        last_error_at=failed.ended_at if failed else None,
        next_at=_next_due_time([job for job, _ in over], plan),
    )


def stored_backups(catalogue: Catalogue, plan: BackupPlan) -> list[StoredBackup]:
    """List the backups at the place of a plan, newest first; of backups from another store only
    name and size are known. Raises StorageError.
    """
    job_by_name = {
        task.name: (job, task.answer or {})
        for job, task in _attempts(catalogue, _MAX_ATTEMPTS, DONE)
    }
    return [
        _stored_backup(name, size, job_by_name.get(name))
        for name, size in reversed(BackupPlace(plan.to).sizes().items())
    ]


def claim_due(catalogue: Catalogue, plan: BackupPlan) -> Attempt | None:
    """Return the attempt that this process must make now: a repeated attempt whose process is gone,
    or a new attempt if it is due; `None` if there is no such attempt.

    Only one process gets an attempt.
    """
    if attempt := _claim_lost(catalogue):
        return attempt
    if not _is_due(catalogue, plan) or not take_turn(catalogue, KIND, QUIET_S):
        return None
    # another process may have begun a backup between the first check and the turn
    return begin_backup(catalogue, SCHEDULE) if _is_due(catalogue, plan) else None


def begin_backup(catalogue: Catalogue, user: str) -> Attempt:
    """Begin an attempt that a user requests, or take over an attempt whose process is gone, and
    return it; the backup is not made yet.

    Raises BackupError if another attempt is running or there is no catalogue.
    """
    if not catalogue.is_created():
        raise BackupError(f"there is no catalogue at {catalogue.address} yet")
    if attempt := _claim_lost(catalogue):
        return attempt
    if _is_running(catalogue):
        raise BackupError("another backup is already running")
    owner = secrets.token_hex(8)
    name = backup_name(timestamp(), secrets.token_hex(4))
    # With an owner from the start, so that no other process can claim the job.
    job = Jobs(catalogue).add(KIND, [name], user, {}, owner)
    return Attempt(job.job_id, owner, name)


def end_lost(catalogue: Catalogue, attempt: Attempt, reason: str) -> bool:
    """Record a failure and return True if the process of an attempt ended without a result; else
    return False.
    """
    jobs = Jobs(catalogue)
    if not jobs.beat(attempt.job_id, attempt.owner):
        return False
    fail(catalogue, attempt, reason, SCHEDULE)
    return True


def fail(catalogue: Catalogue, attempt: Attempt, reason: str, user: str) -> None:
    """Record that an attempt failed.

    The reason is only in the audit log for admins, as it names places and viewers can see jobs.
    """
    jobs = Jobs(catalogue)
    Audit(catalogue).add(user, "backup.fail", attempt.name, reason)
    jobs.record(attempt.job_id, 0, failed=True, answer={"reason": _PUBLIC})
    jobs.end(attempt.job_id, attempt.owner, FAILED, _PUBLIC)


def rotate(catalogue: Catalogue, plan: BackupPlan, user: str) -> list[str]:
    """Remove this store's oldest backups beyond the number to keep, and return the names of the
    removed backups.

    Raises StorageError. The newest backup without a problem is never removed, nor any that this
    catalogue did not make: a store that starts again at the same place must not remove the backups
    of the lost store.
    """
    place = BackupPlace(plan.to)
    at_place = place.sizes()
    finished = [
        (task.name, task.answer or {}) for _, task in _attempts(catalogue, _MAX_ATTEMPTS, DONE)
    ]
    own = [(name, result) for name, result in finished if name in at_place]
    good = next((name for name, result in own if result.get("problems") == 0), None)
    gone = [name for name, _ in own[plan.keep :] if name != good]
    for name in gone:
        place.remove(name)
        Audit(catalogue).add(user, "backup.remove", name)
    return gone


def tidy_place(catalogue: Catalogue, plan: BackupPlan) -> None:
    """Remove the files that killed attempts, of the last _RECENT (100), left at the place."""
    place = BackupPlace(plan.to)
    for job, task in _attempts(catalogue, _RECENT):
        if job.is_over:
            place.tidy(task.name)


def _attempts(catalogue: Catalogue, limit: int, state: str = "") -> list[tuple[Job, JobTask]]:
    return Jobs(catalogue).single(KIND, limit, state)


def _claim_lost(catalogue: Catalogue) -> Attempt | None:
    """Claim and return an attempt whose process is gone; `None` if no such attempt can be claimed."""
    jobs = Jobs(catalogue)
    for job in jobs.unowned_jobs():
        owner = secrets.token_hex(8)
        if job.kind == KIND and jobs.claim(job.job_id, owner):
            return Attempt(
                job.job_id, owner, jobs.tasks(job.job_id, (WAITING, DONE, FAILED))[0].name
            )
    return None


def _is_running(catalogue: Catalogue) -> bool:
    """Whether a process is making a backup, scheduled or requested. An attempt without heartbeat
    does not count.
    """
    lost = {job.job_id for job in Jobs(catalogue).unowned_jobs()}
    return any(not job.is_over and job.job_id not in lost for job, _ in _attempts(catalogue, 1))


def _is_due(catalogue: Catalogue, plan: BackupPlan) -> bool:
    newest = [job for job, _ in _attempts(catalogue, 1)]
    if not plan.every_s or any(not job.is_over for job in newest):
        return False
    next_at = _next_due_time(newest, plan)
    return next_at is not None and next_at <= timestamp()


def _reason(catalogue: Catalogue, job: Job, name: str) -> str:
    """Return why an attempt failed, from the audit log if it has an entry for the backup `name`,
    else the message or state of its job.
    """
    entries = Audit(catalogue).entries(_RECENT, action="backup.fail") if job.state == FAILED else []
    return next(
        (entry.detail for entry in entries if entry.object == name), job.message or job.state
    )


def _next_due_time(over: Sequence[Job], plan: BackupPlan) -> str | None:
    """Return when the next attempt is due (ISO 8601, UTC), given the finished attempts, newest
    first: now if there are none, sooner after a failure; `None` without a schedule.
    """
    if not plan.every_s:
        return None
    if not over:
        return timestamp()
    newest = over[0]
    after = newest.created_at
    wait = plan.every_s
    # A failed attempt is repeated after an hour, counted from its end, not after a whole interval.
    if newest.state == FAILED:
        after = newest.ended_at or newest.created_at
        wait = min(wait, _RETRY_S)
    return (datetime.fromisoformat(after) + timedelta(seconds=wait)).isoformat(
        timespec="milliseconds"
    )


def _stored_backup(name: str, size: int, job_and_result: tuple[Job, Any] | None) -> StoredBackup:
    if job_and_result is None:
        return StoredBackup(name, size)
    job, result = job_and_result
    return StoredBackup(name, size, job.created_at, result.get("runs"), result.get("problems"))
