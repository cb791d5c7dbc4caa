"""Kinds of jobs: a record per kind has its tasks and the work on each task."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import eq
from types import MappingProxyType
from typing import Any

from ingest.refresh import refresh
from schema.roles import Role
from services.query.compaction import compact_month, due_months
from services.retention.retention import preview_retention
from services.retention.settled import settle_verdicts
from services.store.deletion import delete_run
from services.store.orphans import KIND as ORPHANS
from services.store.orphans import look_for_orphans, orphan_tasks
from services.store.packing import pack_run, unpacked_runs
from storage.errors import RunNotFound, RunPinned, StorageError
from storage.jobs import Job, Jobs
from storage.monthly_files import RunMonth
from storage.repository import Repository


@dataclass(frozen=True)
class Done:
    """Result of a task; `answer` includes the machine and process that did it (`where`)."""

    failed: bool
    answer: Mapping[str, Any]


@dataclass(frozen=True)
class Derive:
    """Task that derives the numbers of a run again from its stored frames."""

    repository: Repository

    def __call__(self, run_id: str) -> Done:
        """Derive the numbers of a run; a run that was deleted meanwhile is skipped with status
        `deleted`, which is no failure.
        """
        result = next(refresh(self.repository, [run_id]), None)
        # a task may run twice, so a missing run is not a failure
        if result is None:
            return _make_done("deleted")
        return _make_done(result.status, result.reason)


@dataclass(frozen=True)
class Pack:
    """Task that writes the frames of a run of an older release to one file."""

    repository: Repository

    def __call__(self, run_id: str) -> Done:
        """Pack the run; the status is `packed`, `unchanged`, `failed`, or `deleted` if the run was
        deleted meanwhile. No storage error is raised.
        """
        try:
            return _make_done(pack_run(self.repository, run_id))
        except RunNotFound:
            return _make_done("deleted")
        except StorageError as error:
            return _make_done("failed", error.public)


@dataclass(frozen=True)
class Compact:
    """Task that writes the monthly file of a source and month."""

    repository: Repository

    def __call__(self, name: str) -> Done:
        """Write the file of a month, named like `2026-11 aie`; the status is `compacted`, with the
        numbers of runs, or `failed`. No storage error is raised.
        """
        month, _, source = name.partition(" ")
        try:
            result = compact_month(self.repository, RunMonth(source, month))
        except StorageError as error:
            return _make_done("failed", error.public)
        done = _make_done("compacted")
        return Done(failed=False, answer={**done.answer, **vars(result)})


@dataclass(frozen=True)
class Retain:
    """Task that deletes a run that a rule of retention named."""

    repository: Repository
    user: str

    def __call__(self, run_id: str) -> Done:
        """Delete the run, unless it was pinned meanwhile; the status is `deleted` (also if it was
        missing), `pinned` or `failed`. No storage error is raised.
        """
        try:
            delete_run(self.repository, run_id, self.user, "retention")
        except RunNotFound:
            return _make_done("deleted")
        except RunPinned:
            return _make_done("pinned")
        except StorageError as error:
            return _make_done("failed", error.public)
        return _make_done("deleted")


@dataclass(frozen=True)
class LookForOrphans:
    """Task that searches for files without a run, and deletes them if `remove`."""

    repository: Repository
    user: str
    remove: bool

    def __call__(self, _place: str) -> Done:
        """Search the files of the frames; the result has the record of the orphans, or the reason
        of a failure. The argument is ignored.
        """
        try:
            found_orphans = look_for_orphans(self.repository, self.user, remove=self.remove)
        except StorageError as error:
            return _make_done("failed", error.public)
        done = _make_done("done")
        return Done(failed=False, answer={**done.answer, **found_orphans.record()})


@dataclass(frozen=True)
class Kind:
    """A kind of job.

    `tasks` lists the tasks for the arguments of a job, `work` returns the function that does a
    task, and `covers` returns whether a job with the first arguments does all that the second
    arguments request. `role` is the minimum role of users who can start such a job.
    """

    tasks: Callable[[Repository, Mapping[str, Any]], Sequence[str]]
    work: Callable[[Repository, Job], Callable[[str], Done]]
    covers: Callable[[Mapping[str, Any], Mapping[str, Any]], bool]
    role: Role = Role.EDITOR


def _derive_tasks(repository: Repository, arguments: Mapping[str, Any]) -> Sequence[str]:
    run_ids = arguments.get("runs")
    return (
        [run.run_id for run in repository.catalogue.each()]
        if run_ids is None
        else list(dict.fromkeys(run_ids))
    )


def _pack_tasks(repository: Repository, _arguments: Mapping[str, Any]) -> Sequence[str]:
    return unpacked_runs(repository)


def _compact_tasks(repository: Repository, _arguments: Mapping[str, Any]) -> Sequence[str]:
    return [f"{month.month} {month.source}" for month in due_months(repository)]


def _covers_derive(some: Mapping[str, Any], others: Mapping[str, Any]) -> bool:
    run_ids = some.get("runs")
    other_ids = others.get("runs")
    return run_ids is None or (other_ids is not None and set(other_ids) <= set(run_ids))


def _retain_tasks(repository: Repository, arguments: Mapping[str, Any]) -> Sequence[str]:
    return preview_retention(repository, int(arguments["keep_last"]), list(arguments["by"])).run_ids


def _retain_work(repository: Repository, job: Job) -> Callable[[str], Done]:
    waiting = Jobs(repository.catalogue).waiting(job.job_id)
    # all runs of the job are named here, before the first of them is deleted
    settle_verdicts(repository, [task.name for task in waiting])
    return Retain(repository, job.created_by)


def _orphan_work(repository: Repository, job: Job) -> Callable[[str], Done]:
    return LookForOrphans(repository, job.created_by, bool(job.arguments.get("remove")))


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "derive": Kind(_derive_tasks, lambda repository, _job: Derive(repository), _covers_derive),
        "pack": Kind(_pack_tasks, lambda repository, _job: Pack(repository), eq, Role.ADMIN),
        "compact": Kind(
            _compact_tasks, lambda repository, _job: Compact(repository), eq, Role.ADMIN
        ),
        "retention": Kind(_retain_tasks, _retain_work, eq, Role.ADMIN),
        ORPHANS: Kind(lambda *_: orphan_tasks(), _orphan_work, eq, Role.ADMIN),
    }
)
"""Kinds of jobs whose tasks a server distributes."""


def _make_done(status: str, reason: str = "") -> Done:
    details = {"status": status, "where": f"{socket.gethostname()} {os.getpid()}"}
    return Done(status == "failed", details | ({"reason": reason} if reason else {}))
