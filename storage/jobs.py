"""Jobs in the catalogue: work on many files or runs, how far it is, and who hands out its tasks."""

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
"""Every state of a job, in the order of its life."""
WAITING = "waiting"
QUIET_S = 60.0
"""Seconds without a sign of life after which another process goes on with a job."""
_AT_ONCE = 1_000
_LONGEST = 2_000


@dataclass(frozen=True)
class Job:
    """A row of table `jobs`, and how many of its tasks are done and failed; times are ISO 8601 in UTC."""

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
        """Return whether nothing more happens."""
        return self.state in (DONE, FAILED, CANCELLED)


@dataclass(frozen=True)
class JobTask:
    """A row of table `job_tasks`: a file or run, and what came of it."""

    rank: int
    name: str
    state: str = WAITING
    tries: int = 0
    answer: Mapping[str, Any] | None = None


class Jobs:
    """The jobs of a catalogue."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def add(self, kind: str, names: Sequence[str], user: str, arguments: Mapping[str, Any], owner: str = "") -> Job:
        """Put a job down with its tasks; one with an owner runs already."""
        self._catalogue.create()
        state = RUNNING if owner else QUEUED
        job = Job(secrets.token_hex(8), kind, state, dict(arguments), len(names), timestamp(), user)
        job = replace(job, started_at=job.created_at) if owner else job
        tasks = [{**_task(job.job_id, rank, name)} for rank, name in enumerate(names)]
        own = {name: value for name, value in vars(job).items() if name not in ("done", "failed")}
        with self._catalogue.begin() as connection:
            own |= {"owner": owner or None, "beat": seconds(connection), "cancelled": False}
            connection.execute(insert(JOBS).values(own))
            for begin in range(0, len(tasks), _AT_ONCE):
                connection.execute(insert(JOB_TASKS), tasks[begin : begin + _AT_ONCE])
        return job

    def forget_ended(self, kind: str) -> None:
        """Delete the ended jobs of a kind with their tasks, but for the newest `MAX_ENDED_JOBS`."""
        c = JOBS.c
        ended = select(c.job_id).where(c.kind == kind, c.ended_at.is_not(None))
        order = (c.created_at.desc(), c.job_id)
        with self._catalogue.begin() as connection:
            old = [*connection.scalars(ended.order_by(*order).offset(MAX_ENDED_JOBS).limit(_AT_ONCE))]
            for table in (JOB_TASKS, JOBS):
                connection.execute(delete(table).where(table.c.job_id.in_(old)))

    def get(self, job_id: str) -> Job | None:
        """Return a job with its counts."""
        return next(iter(self._some(select(JOBS).where(JOBS.c.job_id == job_id))), None)

    def all(self, limit: int = 100) -> list[Job]:
        """Return the newest jobs with their counts."""
        return self._some(select(JOBS).order_by(JOBS.c.created_at.desc(), JOBS.c.job_id).limit(limit))

    def single(self, kind: str, limit: int, state: str = "") -> list[tuple[Job, JobTask]]:
        """Return the newest jobs of a kind that has one task each, in a state where it is named, without counts."""
        if not self._catalogue.is_created():
            return []
        c, order = JOB_TASKS.c, (JOBS.c.created_at.desc(), JOBS.c.job_id)
        asked = select(JOBS, c.rank, c.name, c.state.label("task_state"), c.tries, c.answer)
        asked = (
            asked.join(JOB_TASKS, c.job_id == JOBS.c.job_id).where(JOBS.c.kind == kind).order_by(*order).limit(limit)
        )
        if state:
            asked = asked.where(JOBS.c.state == state)
        with self._catalogue.connect() as connection:
            rows = connection.execute(asked).all()
        return [(_job(row), JobTask(row.rank, row.name, row.task_state, row.tries, row.answer)) for row in rows]

    def count(self, kind: str, state: str) -> int:
        """Return how many jobs of a kind are in a state."""
        if not self._catalogue.is_created():
            return 0
        here = and_(JOBS.c.kind == kind, JOBS.c.state == state)
        with self._catalogue.connect() as connection:
            return int(connection.scalar(select(func.count()).select_from(JOBS).where(here)) or 0)

    def queued_jobs(self) -> list[Job]:
        """Return the jobs that no process has begun, oldest first, without their counts."""
        if not self._catalogue.is_created():
            return []
        with self._catalogue.connect() as connection:
            asked = select(JOBS).where(JOBS.c.state == QUEUED).order_by(JOBS.c.created_at)
            return [_job(row) for row in connection.execute(asked)]

    def unowned_jobs(self) -> list[Job]:
        """Return the jobs that wait for a process: new ones, and those whose process gives no sign of life."""
        if not self._catalogue.is_created():
            return []
        with self._catalogue.connect() as connection:
            asked = select(JOBS).where(_is_unowned(connection)).order_by(JOBS.c.created_at)
            return [_job(row) for row in connection.execute(asked)]

    def claim(self, job_id: str, owner: str) -> bool:
        """Take a job that waits for a process; return False where another one was quicker."""
        with self._catalogue.begin() as connection:
            here = and_(JOBS.c.job_id == job_id, _is_unowned(connection))
            started = func.coalesce(JOBS.c.started_at, timestamp())
            row = {"owner": owner, "state": RUNNING, "beat": seconds(connection), "started_at": started}
            return connection.execute(update(JOBS).where(here).values(row)).rowcount > 0

    def beat(self, job_id: str, owner: str) -> bool:
        """Give a sign of life; return whether to go on: nobody cancelled the job, and no other process took it."""
        here = and_(JOBS.c.job_id == job_id, JOBS.c.owner == owner, JOBS.c.state == RUNNING)
        with self._catalogue.begin() as connection:
            alive = connection.execute(update(JOBS).where(here).values(beat=seconds(connection))).rowcount > 0
            return alive and not connection.scalar(select(JOBS.c.cancelled).where(JOBS.c.job_id == job_id))

    def waiting(self, job_id: str) -> list[JobTask]:
        """Return the tasks that are still to be done."""
        return self.tasks(job_id, (WAITING,))

    def tasks(self, job_id: str, states: Iterable[str], limit: int | None = None) -> list[JobTask]:
        """Return the tasks in some states, in their order."""
        c = JOB_TASKS.c
        asked = select(c.rank, c.name, c.state, c.tries, c.answer).where(c.job_id == job_id, c.state.in_([*states]))
        with self._catalogue.connect() as connection:
            return [JobTask(**row._mapping) for row in connection.execute(asked.order_by(c.rank).limit(limit))]

    def record(self, job_id: str, rank: int, *, failed: bool, answer: Mapping[str, Any]) -> None:
        """Put down what came of a task, once."""
        c = JOB_TASKS.c
        row = {"state": FAILED if failed else DONE, "tries": c.tries + 1, "answer": dict(answer)}
        with self._catalogue.begin() as connection:
            here = and_(c.job_id == job_id, c.rank == rank, c.state == WAITING)
            connection.execute(update(JOB_TASKS).where(here).values(row))

    def cancel(self, job_id: str) -> bool:
        """Ask for a job to end; one that no process has ends at once. Return False where it is over."""
        with self._catalogue.begin() as connection:
            here = and_(JOBS.c.job_id == job_id, JOBS.c.state.in_([QUEUED, RUNNING]))
            asked = connection.execute(update(JOBS).where(here).values(cancelled=True)).rowcount > 0
            lost = and_(JOBS.c.job_id == job_id, _is_unowned(connection))
            connection.execute(update(JOBS).where(lost).values(state=CANCELLED, ended_at=timestamp()))
            return asked

    def end(self, job_id: str, owner: str, state: str, message: str = "") -> None:
        """Put down how a job ended, of the process that has it."""
        here = and_(JOBS.c.job_id == job_id, JOBS.c.owner == owner)
        row = {"state": state, "ended_at": timestamp(), "message": plain_text(message)[:_LONGEST]}
        with self._catalogue.begin() as connection:
            connection.execute(update(JOBS).where(here).values(row))

    def release(self, job_id: str, owner: str) -> None:
        """Let a job wait for another process than the one that has it, which ends."""
        here = and_(JOBS.c.job_id == job_id, JOBS.c.owner == owner, JOBS.c.state == RUNNING)
        with self._catalogue.begin() as connection:
            connection.execute(update(JOBS).where(here).values(state=QUEUED, owner=None))

    def resume(self, job_id: str) -> bool:
        """Let the failed tasks of a job that is over wait again, and the job for a process."""
        with self._catalogue.begin() as connection:
            here = and_(JOBS.c.job_id == job_id, JOBS.c.state.in_([FAILED, CANCELLED]))
            row = {"state": QUEUED, "cancelled": False, "ended_at": None, "owner": None, "message": ""}
            if connection.execute(update(JOBS).where(here).values(row)).rowcount == 0:
                return False
            failed = and_(JOB_TASKS.c.job_id == job_id, JOB_TASKS.c.state == FAILED)
            connection.execute(update(JOB_TASKS).where(failed).values(state=WAITING, answer=None))
            return True

    def _some(self, asked: Select[Any]) -> list[Job]:
        if not self._catalogue.is_created():
            return []
        with self._catalogue.connect() as connection:
            jobs = [_job(row) for row in connection.execute(asked)]
            c = JOB_TASKS.c
            ids = [job.job_id for job in jobs]
            counted = select(c.job_id, c.state, func.count()).where(c.job_id.in_(ids)).group_by(c.job_id, c.state)
            counts = {(job_id, state): count for job_id, state, count in connection.execute(counted)}
        return [_with_counts(job, counts) for job in jobs]


def _task(job_id: str, rank: int, name: str) -> dict[str, Any]:
    return {"job_id": job_id, "rank": rank, "name": plain_text(name)[:_LONGEST], "state": WAITING, "tries": 0}


def _is_unowned(connection: Connection) -> Any:  # noqa: ANN401 - an expression
    quiet = seconds(connection) - JOBS.c.beat > QUIET_S
    return or_(JOBS.c.state == QUEUED, and_(JOBS.c.state == RUNNING, quiet))


def _job(row: Row[Any]) -> Job:
    names = [field.name for field in fields(Job) if field.name in JOBS.c]
    return Job(**{name: getattr(row, name) for name in names})


def _with_counts(job: Job, counts: Mapping[tuple[str, str], int]) -> Job:
    failed = counts.get((job.job_id, FAILED), 0)
    return replace(job, done=counts.get((job.job_id, DONE), 0) + failed, failed=failed)
