"""Jobs in the catalogue: work on many files or runs, its progress, and the process that distributes
its tasks.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from sqlalchemy import Connection, Row, Select, and_, delete, func, insert, or_, select, update

from storage.catalogue import Catalogue
from storage.clock import seconds, timestamp
from storage.quotas import MAX_ENDED_JOBS
from storage.text import plain_text
from storage.work_tables import JOB_TASKS, JOBS

QUEUED, RUNNING, DONE, FAILED, CANCELLED = "queued", "running", "done", "failed", "cancelled"
"""States of jobs; tasks are waiting, done or failed."""
STATES = (QUEUED, RUNNING, DONE, FAILED, CANCELLED)
"""All states of a job, in the order in which a job passes them."""
WAITING = "waiting"
QUIET_S = 60.0
"""Seconds without a heartbeat after which another process may take over a job."""
_BATCH_SIZE = 1_000
"""Number of tasks per insert, and maximum number of jobs that are deleted together."""
_MAX_TEXT_LENGTH = 2_000
"""Maximum number of characters of a task's name and of a job's message."""


@dataclass(frozen=True)
class Job:
    """A row of table `jobs` with the numbers of its done and failed tasks; times are ISO 8601 in
    UTC.
    """

    job_id: str
    kind: str
    state: str
    arguments: Mapping[str, Any]
    total: int
    created_at: str
    created_by: str
    started_at: str | None = None
    ended_at: str | None = None
    message: str = ""
    done: int = 0
    failed: int = 0

    @property
    def is_over(self) -> bool:
        """Whether the job is done, failed or cancelled."""
        return self.state in (DONE, FAILED, CANCELLED)


@dataclass(frozen=True)
class JobTask:
    """A row of table `job_tasks`: a file or run with its rank in the job, state and result.

    `tries` counts the attempts that ended with a result.
    """

    rank: int
    name: str
    state: str = WAITING
    tries: int = 0
    answer: Mapping[str, Any] | None = None


class Jobs:
    """Reads and writes the jobs of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def add(
        self,
        kind: str,
        names: Sequence[str],
        user: str,
        arguments: Mapping[str, Any],
        owner: str = "",
    ) -> Job:
        """Insert a job with a waiting task per name, and return it.

        Its state is running if `owner`, the process that distributes the tasks, is not "", else
        queued.
        """
        self._catalogue.create()
        state = RUNNING if owner else QUEUED
        job = Job(secrets.token_hex(8), kind, state, dict(arguments), len(names), timestamp(), user)
        job = replace(job, started_at=job.created_at) if owner else job
        tasks = [{**_task(job.job_id, rank, name)} for rank, name in enumerate(names)]
        own = {name: value for name, value in vars(job).items() if name not in ("done", "failed")}
        with self._catalogue.begin() as connection:
            own |= {"owner": owner or None, "beat": seconds(connection), "cancelled": False}
            connection.execute(insert(JOBS).values(own))
            for begin in range(0, len(tasks), _BATCH_SIZE):
                connection.execute(insert(JOB_TASKS), tasks[begin : begin + _BATCH_SIZE])
        return job

    def forget_ended(self, kind: str) -> None:
        """Delete ended jobs of a kind with their tasks, except the newest 200 (MAX_ENDED_JOBS).

        A single call deletes at most 1,000 jobs (_BATCH_SIZE).
        """
        c = JOBS.c
        ended = select(c.job_id).where(c.kind == kind, c.ended_at.is_not(None))
        order = (c.created_at.desc(), c.job_id)
        with self._catalogue.begin() as connection:
            old = [
                *connection.scalars(
                    ended.order_by(*order).offset(MAX_ENDED_JOBS).limit(_BATCH_SIZE)
                )
            ]
            for table in (JOB_TASKS, JOBS):
                connection.execute(delete(table).where(table.c.job_id.in_(old)))

    def get(self, job_id: str) -> Job | None:
        """Look up a job; None if it does not exist.

        Its `done` is the number of ended tasks, and `failed` how many of these failed.
        """
        return next(iter(self._select_jobs(select(JOBS).where(JOBS.c.job_id == job_id))), None)

    def all(self, limit: int = 100) -> list[Job]:
        """List the jobs of any state, newest first, at most `limit`; empty if there is no
        catalogue.

        Their `done` is the number of ended tasks, and `failed` how many of these failed.
        """
        return self._select_jobs(
            select(JOBS).order_by(JOBS.c.created_at.desc(), JOBS.c.job_id).limit(limit)
        )

    def single(self, kind: str, limit: int, state: str = "") -> list[tuple[Job, JobTask]]:
        """List jobs of a kind whose jobs have a single task each, newest first, as (job, its task).

        At most `limit` jobs are listed, whose `done` and `failed` stay 0. `state` filters by the
        state of the job if it is not "". Empty if there is no catalogue.
        """
        if not self._catalogue.is_created():
            return []
        c = JOB_TASKS.c
        query = select(JOBS, c.rank, c.name, c.state.label("task_state"), c.tries, c.answer)
        query = query.join(JOB_TASKS, c.job_id == JOBS.c.job_id).where(JOBS.c.kind == kind)
        query = query.order_by(JOBS.c.created_at.desc(), JOBS.c.job_id).limit(limit)
        if state:
            query = query.where(JOBS.c.state == state)
        with self._catalogue.connect() as connection:
            rows = connection.execute(query).all()
        return [
            (_job(row), JobTask(row.rank, row.name, row.task_state, row.tries, row.answer))
            for row in rows
        ]

    def count(self, kind: str, state: str) -> int:
        """Count the jobs of a kind in a state; 0 if there is no catalogue."""
        if not self._catalogue.is_created():
            return 0
        here = and_(JOBS.c.kind == kind, JOBS.c.state == state)
        with self._catalogue.connect() as connection:
            return int(connection.scalar(select(func.count()).select_from(JOBS).where(here)) or 0)

    def queued_jobs(self) -> list[Job]:
        """List the queued jobs, oldest first; their `done` and `failed` stay 0. Empty if there is
        no catalogue.
        """
        query = select(JOBS).where(JOBS.c.state == QUEUED).order_by(JOBS.c.created_at)
        return [_job(row) for row in self._catalogue.rows(query)]

    def unowned_jobs(self) -> list[Job]:
        """List jobs that a process may claim, oldest first; their `done` and `failed` stay 0.

        These are queued jobs, and running jobs without a heartbeat for 60 s (QUIET_S). Empty if
        there is no catalogue.
        """
        if not self._catalogue.is_created():
            return []
        with self._catalogue.connect() as connection:
            query = select(JOBS).where(_is_unowned(connection)).order_by(JOBS.c.created_at)
            return [_job(row) for row in connection.execute(query)]

    def claim(self, job_id: str, owner: str) -> bool:
        """Make process `owner` the owner of a job, which is running from then on; return True.

        Returns False, without a change, if the job does not exist, or is neither queued nor running
        without a heartbeat for 60 s (QUIET_S).
        """
        with self._catalogue.begin() as connection:
            here = and_(JOBS.c.job_id == job_id, _is_unowned(connection))
            # A job that is taken over keeps its first start.
            started = func.coalesce(JOBS.c.started_at, timestamp())
            row = {
                "owner": owner,
                "state": RUNNING,
                "beat": seconds(connection),
                "started_at": started,
            }
            return connection.execute(update(JOBS).where(here).values(row)).rowcount > 0

    def beat(self, job_id: str, owner: str) -> bool:
        """Record a heartbeat of process `owner` for a job; return True if it is to continue.

        Returns False if the job was cancelled, is not running, or belongs to another process.
        """
        here = and_(JOBS.c.job_id == job_id, JOBS.c.owner == owner, JOBS.c.state == RUNNING)
        with self._catalogue.begin() as connection:
            alive = (
                connection.execute(
                    update(JOBS).where(here).values(beat=seconds(connection))
                ).rowcount
                > 0
            )
            return alive and not connection.scalar(
                select(JOBS.c.cancelled).where(JOBS.c.job_id == job_id)
            )

    def waiting(self, job_id: str) -> list[JobTask]:
        """List the waiting tasks of a job by rank; empty if there is no such job."""
        return self.tasks(job_id, (WAITING,))

    def tasks(self, job_id: str, states: Iterable[str], limit: int | None = None) -> list[JobTask]:
        """List the tasks of a job in the given states (waiting, done, failed) by rank, at most
        `limit` (None: all); empty if there is no such job.
        """
        c = JOB_TASKS.c
        query = select(c.rank, c.name, c.state, c.tries, c.answer).where(
            c.job_id == job_id, c.state.in_([*states])
        )
        with self._catalogue.connect() as connection:
            return [
                JobTask(**row._mapping)
                for row in connection.execute(query.order_by(c.rank).limit(limit))
            ]

    def record(self, job_id: str, rank: int, *, failed: bool, answer: Mapping[str, Any]) -> None:
        """Store `answer`, the result of a waiting task, whose state becomes failed or done.

        A task that has a result already is not changed.
        """
        c = JOB_TASKS.c
        row = {"state": FAILED if failed else DONE, "tries": c.tries + 1, "answer": dict(answer)}
        with self._catalogue.begin() as connection:
            # A task may run twice, if its worker only seemed dead: its first result stays.
            here = and_(c.job_id == job_id, c.rank == rank, c.state == WAITING)
            connection.execute(update(JOB_TASKS).where(here).values(row))

    def cancel(self, job_id: str) -> bool:
        """Request the cancellation of a job; return False if the job has ended already or does not
        exist.

        A queued job, and a running job without a heartbeat for 60 s (QUIET_S), is cancelled
        immediately. A process that runs the job learns of the request from `beat`.
        """
        with self._catalogue.begin() as connection:
            here = and_(JOBS.c.job_id == job_id, JOBS.c.state.in_([QUEUED, RUNNING]))
            is_requested = (
                connection.execute(update(JOBS).where(here).values(cancelled=True)).rowcount > 0
            )
            # Without a living process, nobody would react to the request.
            lost = and_(JOBS.c.job_id == job_id, _is_unowned(connection))
            connection.execute(
                update(JOBS).where(lost).values(state=CANCELLED, ended_at=timestamp())
            )
            return is_requested

    def end(self, job_id: str, owner: str, state: str, message: str = "") -> None:
        """Set the final state of a job and its message, cut at 2,000 characters.

        Without effect if `owner` is not the owner of the job.
        """
        here = and_(JOBS.c.job_id == job_id, JOBS.c.owner == owner)
        row = {
            "state": state,
            "ended_at": timestamp(),
            "message": plain_text(message)[:_MAX_TEXT_LENGTH],
        }
        with self._catalogue.begin() as connection:
            connection.execute(update(JOBS).where(here).values(row))

    def release(self, job_id: str, owner: str) -> None:
        """Set a running job back to queued, for an owner that ends before the job does.

        Without effect if `owner` is not the owner of the job, or if the job is not running.
        """
        here = and_(JOBS.c.job_id == job_id, JOBS.c.owner == owner, JOBS.c.state == RUNNING)
        with self._catalogue.begin() as connection:
            connection.execute(update(JOBS).where(here).values(state=QUEUED, owner=None))

    def resume(self, job_id: str) -> bool:
        """Queue a failed or cancelled job again, with its failed tasks as waiting; return True.

        Returns False, without a change, if the job is in another state or does not exist.
        """
        with self._catalogue.begin() as connection:
            here = and_(JOBS.c.job_id == job_id, JOBS.c.state.in_([FAILED, CANCELLED]))
            row = {
                "state": QUEUED,
                "cancelled": False,
                "ended_at": None,
                "owner": None,
                "message": "",
            }
            if connection.execute(update(JOBS).where(here).values(row)).rowcount == 0:
                return False
            failed = and_(JOB_TASKS.c.job_id == job_id, JOB_TASKS.c.state == FAILED)
            connection.execute(update(JOB_TASKS).where(failed).values(state=WAITING, answer=None))
            return True

    def _select_jobs(self, query: Select[Any]) -> list[Job]:
        if not self._catalogue.is_created():
            return []
        with self._catalogue.connect() as connection:
            jobs = [_job(row) for row in connection.execute(query)]
            c = JOB_TASKS.c
            ids = [job.job_id for job in jobs]
            counted = (
                select(c.job_id, c.state, func.count())
                .where(c.job_id.in_(ids))
                .group_by(c.job_id, c.state)
            )
            counts = {
                (job_id, state): count for job_id, state, count in connection.execute(counted)
            }
        return [_with_counts(job, counts) for job in jobs]


def _task(job_id: str, rank: int, name: str) -> dict[str, Any]:
    return {
        "job_id": job_id,
        "rank": rank,
        "name": plain_text(name)[:_MAX_TEXT_LENGTH],
        "state": WAITING,
        "tries": 0,
    }


def _is_unowned(connection: Connection) -> Any:  # noqa: ANN401 - an expression
    """Build the SQL condition that a process may claim a job: queued, or running without a
    heartbeat for 60 s (QUIET_S).
    """
    quiet = seconds(connection) - JOBS.c.beat > QUIET_S
    return or_(JOBS.c.state == QUEUED, and_(JOBS.c.state == RUNNING, quiet))


def _job(row: Row[Any]) -> Job:
    names = [field.name for field in fields(Job) if field.name in JOBS.c]
    return Job(**{name: getattr(row, name) for name in names})


def _with_counts(job: Job, counts: Mapping[tuple[str, str], int]) -> Job:
    failed = counts.get((job.job_id, FAILED), 0)
    return replace(job, done=counts.get((job.job_id, DONE), 0) + failed, failed=failed)
