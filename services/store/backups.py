"""Backups by schedule: which attempt is due, what came of the others, and what is kept.

Each attempt is a job with one task, whose name is that of the backup: one process has it at a time, and another one
makes it anew where that process is gone.
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
"""Kind of the jobs that are attempts at a backup."""
SCHEDULE = "schedule"
"""Who makes them, where nobody asked for one."""
_RETRY_S = 3600.0
"""Seconds after which an attempt that failed is followed by another one, where the next is not due before."""
_PUBLIC = "The backup failed; the audit log says why."
_RECENT, _MOST = 100, 10_000


@dataclass(frozen=True)
class BackupPlan:
    """Where backups are kept, every how many seconds one is made (0: when asked for alone), and how many are kept."""

    to: str
    every_s: float
    keep: int


@dataclass(frozen=True)
class Attempt:
    """An attempt that a process has: `name` is that of the backup."""

    job_id: str
    owner: str
    name: str


@dataclass(frozen=True)
class BackupState:
    """How backups are; times are ISO 8601 in UTC, `None` where there is none.

    `age_s` is that of the last one, `problems` how many it took over from the store, `note` a sentence about it.
    `last_error` is why the newest attempt failed, empty where it did not; `failures` counts all that failed.
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
        """Return it as JSON has it."""
        return asdict(self)


@dataclass(frozen=True)
class KeptBackup:
    """A backup at its place; what this catalogue knows of it is None for one that another store made."""

    name: str
    size: int
    made_at: str | None = None
    runs: int | None = None
    problems: int | None = None


def backup_state(catalogue: Catalogue, plan: BackupPlan) -> BackupState:
    """Return how backups are, by what the catalogue knows of them; their place is not asked."""
    newest = _attempts(catalogue, 2)
    over = [(job, task.name) for job, task in newest if job.is_over]
    last = next(iter(_attempts(catalogue, 1, DONE)), None)
    answer = (last[1].answer if last else None) or {}
    failed, failed_name = over[0] if over and over[0][0].state != DONE else (None, "")
    return BackupState(
        plan.to,
        plan.every_s,
        plan.keep,
        running=_is_running(catalogue),
        last_name=last[1].name if last else None,
        last_at=last[0].created_at if last else None,
        age_s=seconds_since(last[0].created_at) if last else None,
        size=answer.get("size"),
        runs=answer.get("runs"),
        problems=answer.get("problems"),
        note=last[0].message if last else "",
        failures=Jobs(catalogue).count(KIND, FAILED),
        last_error=_reason(catalogue, failed, failed_name) if failed else "",
        last_error_at=failed.ended_at if failed else None,
        next_at=_next_at([job for job, _ in over], plan),
    )


def kept_backups(catalogue: Catalogue, plan: BackupPlan) -> list[KeptBackup]:
    """Return the backups at the place of a plan, newest first; raises StorageError."""
    known = {task.name: (job, task.answer or {}) for job, task in _attempts(catalogue, _MOST, DONE)}
    return [_kept_backup(name, size, known.get(name)) for name, size in reversed(BackupPlace(plan.to).sizes().items())]


def claim_due(catalogue: Catalogue, plan: BackupPlan) -> Attempt | None:
    """Return the attempt that this process is to make now: of all processes one alone gets it."""
    if attempt := _claim_lost(catalogue):
        return attempt
    if not _is_due(catalogue, plan) or not take_turn(catalogue, KIND, QUIET_S):
        return None
    # who had the turn before may have begun one since this process looked
    return begin_backup(catalogue, SCHEDULE) if _is_due(catalogue, plan) else None


def begin_backup(catalogue: Catalogue, user: str) -> Attempt:
    """Return an attempt that a user asks for now; raises BackupError while another one is under way."""
    if not catalogue.is_created():
        raise BackupError(f"there is no catalogue at {catalogue.address} yet")
    if attempt := _claim_lost(catalogue):
        return attempt
    if _is_running(catalogue):
        raise BackupError("a backup is being made already")
    owner = secrets.token_hex(8)
    name = backup_name(timestamp(), secrets.token_hex(4))
    job = Jobs(catalogue).add(KIND, [name], user, {}, owner)
    return Attempt(job.job_id, owner, name)


def end_lost(catalogue: Catalogue, attempt: Attempt, reason: str) -> bool:
    """Put down that an attempt failed whose process ended without a word; return whether that was so."""
    jobs = Jobs(catalogue)
    if not jobs.beat(attempt.job_id, attempt.owner):
        return False
    fail(catalogue, attempt, reason, SCHEDULE)
    return True


def fail(catalogue: Catalogue, attempt: Attempt, reason: str, user: str) -> None:
    """Put down why an attempt failed, where admins alone read it: the reason names places, and viewers see jobs."""
    jobs = Jobs(catalogue)
    Audit(catalogue).add(user, "backup.fail", attempt.name, reason)
    jobs.record(attempt.job_id, 0, failed=True, answer={"reason": _PUBLIC})
    jobs.end(attempt.job_id, attempt.owner, FAILED, _PUBLIC)


def rotate(catalogue: Catalogue, plan: BackupPlan, user: str) -> list[str]:
    """Remove the oldest backups of this store beyond those that are kept; return their names, raises StorageError.

    The newest one without a problem stays in any case, and so does everything that this catalogue did not make: a
    store that begins anew at the same place does not take away what the lost one left.
    """
    place = BackupPlace(plan.to)
    there = place.sizes()
    known = [(task.name, task.answer or {}) for _, task in _attempts(catalogue, _MOST, DONE)]
    own = [(name, answer) for name, answer in known if name in there]
    good = next((name for name, answer in own if answer.get("problems") == 0), None)
    gone = [name for name, _ in own[plan.keep :] if name != good]
    for name in gone:
        place.remove(name)
        Audit(catalogue).add(user, "backup.remove", name)
    return gone


def tidy_place(catalogue: Catalogue, plan: BackupPlan) -> None:
    """Remove what attempts left at the place that were killed."""
    place = BackupPlace(plan.to)
    for job, task in _attempts(catalogue, _RECENT):
        if job.is_over:
            place.tidy(task.name)


def _attempts(catalogue: Catalogue, limit: int, state: str = "") -> list[tuple[Job, JobTask]]:
    return Jobs(catalogue).single(KIND, limit, state)


def _claim_lost(catalogue: Catalogue) -> Attempt | None:
    """Return an attempt whose process is gone, if there is one that no other process takes at this moment."""
    jobs = Jobs(catalogue)
    for job in jobs.unowned_jobs():
        owner = secrets.token_hex(8)
        if job.kind == KIND and jobs.claim(job.job_id, owner):
            return Attempt(job.job_id, owner, jobs.tasks(job.job_id, (WAITING, DONE, FAILED))[0].name)
    return None


def _is_running(catalogue: Catalogue) -> bool:
    """Return whether a process makes a backup; one whose process gives no sign of life is not being made."""
    lost = {job.job_id for job in Jobs(catalogue).unowned_jobs()}
    return any(not job.is_over and job.job_id not in lost for job, _ in _attempts(catalogue, 1))


def _is_due(catalogue: Catalogue, plan: BackupPlan) -> bool:
    newest = [job for job, _ in _attempts(catalogue, 1)]
    if not plan.every_s or any(not job.is_over for job in newest):
        return False
    next_at = _next_at(newest, plan)
    return next_at is not None and next_at <= timestamp()


def _reason(catalogue: Catalogue, job: Job, name: str) -> str:
    """Return why an attempt is no backup, as the audit log has it."""
    entries = Audit(catalogue).entries(_RECENT, action="backup.fail") if job.state == FAILED else []
    return next((entry.detail for entry in entries if entry.object == name), job.message or job.state)


def _next_at(over: Sequence[Job], plan: BackupPlan) -> str | None:
    """Return when the attempt after those that are over, newest first, is due."""
    if not plan.every_s:
        return None
    if not over:
        return timestamp()
    newest = over[0]
    after, wait = newest.created_at, plan.every_s
    if newest.state == FAILED:
        after, wait = newest.ended_at or newest.created_at, min(wait, _RETRY_S)
    return (datetime.fromisoformat(after) + timedelta(seconds=wait)).isoformat(timespec="milliseconds")


def _kept_backup(name: str, size: int, known: tuple[Job, Any] | None) -> KeptBackup:
    if known is None:
        return KeptBackup(name, size)
    job, answer = known
    return KeptBackup(name, size, job.created_at, answer.get("runs"), answer.get("problems"))
