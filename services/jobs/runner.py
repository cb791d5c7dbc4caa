"""Execution of jobs by a server: their tasks are distributed to the workers of a Dask scheduler or
to own processes.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ingest.pool import Pool
from ingest.processes import Ended
from ingest.scheduler import Workers
from services.jobs.kinds import KINDS, Done
from services.jobs.queue import check_queue
from storage.audit import Audit
from storage.errors import StorageError
from storage.jobs import CANCELLED, DONE, FAILED, Job, Jobs
from storage.repository import Repository

_POLL_S = 20.0
"""Seconds between two searches for jobs without a process."""
_BEAT_S = 10.0
"""Seconds between two heartbeats of a running job."""
_LOG = logging.getLogger("tilescope")


class Executor(Protocol):
    """Processes, of this machine or of Dask workers, that do tasks."""

    def results(self, tasks: Sequence[str]) -> Iterator[tuple[int, Done | Ended]]:
        """Yield (index in `tasks`, result) of each task when it is done, in any order; the result
        is `Ended` when its process died.
        """

    def stop(self) -> None:
        """Begin no further tasks; tasks in progress continue."""


@dataclass(frozen=True)
class Runner:
    """Distributes the tasks of jobs. `scheduler` is "" if `processes` of this machine do them."""

    repository: Repository
    scheduler: str = ""
    processes: int = 1
    _one_at_once: threading.Lock = field(default_factory=threading.Lock)

    def start(self, kind: str, arguments: Mapping[str, Any], user: str) -> Job:
        """Create a job, begin it on a thread, and return it. Raises JobRefusedError if it cannot be
        queued.
        """
        check_queue(self._jobs, kind, arguments, user)
        names = KINDS[kind].tasks(self.repository, arguments)
        job = self._jobs.add(kind, names, user, arguments)
        # The list of jobs has a limit per kind, so that no user can fill the catalogue.
        self._jobs.forget_ended(kind)
        Audit(self.repository.catalogue).add(user, "job.start", job.job_id, f"{kind}: {len(names)}")
        self.begin(job)
        return job

    def resume(self, job: Job, user: str) -> bool:
        """Continue a job that ended early, on a thread, and return True; False if it did not end
        early.

        Raises JobRefusedError if it cannot be queued.
        """
        check_queue(self._jobs, job.kind, job.arguments, job.created_by)
        if not self._jobs.resume(job.job_id):
            return False
        Audit(self.repository.catalogue).add(user, "job.start", job.job_id, "resumed")
        self.begin(job)
        return True

    def watch(self) -> None:
        """Start a thread that searches every _POLL_S (20 s) for jobs without a process, including
        jobs whose process is gone, and runs them.
        """
        threading.Thread(target=self._watch, name="jobs", daemon=True).start()

    def run(self, job: Job) -> None:
        """Distribute the tasks of a job until they are done or the job is cancelled; if another
        process owns the job, return immediately.

        A process runs one job at a time; further jobs wait. Errors are logged and end the job as
        failed.
        """
        with self._one_at_once:
            owner = secrets.token_hex(8)
            if self._jobs.claim(job.job_id, owner):
                self._run(job, owner)

    def _run(self, job: Job, owner: str) -> None:
        try:
            state = self._hand_out(job, owner)
            self._jobs.end(job.job_id, owner, state)
        except StorageError as error:
            _LOG.error("job %s: %s", job.job_id, error)
            self._jobs.end(job.job_id, owner, FAILED, error.public)
        except Exception:
            _LOG.exception("job %s", job.job_id)
            self._jobs.end(
                job.job_id, owner, FAILED, "It failed unexpectedly; the server log has the reason."
            )

    def _hand_out(self, job: Job, owner: str) -> str:
        tasks = self._jobs.waiting(job.job_id)
        doers = self._doers(KINDS[job.kind].work(self.repository, job))
        cancelled = threading.Event()
        with _beating(lambda: self._jobs.beat(job.job_id, owner), doers, cancelled):
            for index, result in doers.results([task.name for task in tasks]):
                done = _result_of_ended_process(result) if isinstance(result, Ended) else result
                # recorded one by one, so that another process can continue the job if this process
                # dies
                self._jobs.record(
                    job.job_id, tasks[index].rank, failed=done.failed, answer=done.answer
                )
                # the heartbeat is refused if the job was cancelled or another process took it over
                if not cancelled.is_set() and not self._jobs.beat(job.job_id, owner):
                    cancelled.set()
                    doers.stop()
        if cancelled.is_set():
            return CANCELLED
        # Read again, because another process may have done a part of the tasks before.
        after = self._jobs.get(job.job_id)
        return FAILED if after is not None and after.failed else DONE

    def _doers(self, work: Callable[[str], Done]) -> Executor:
        if self.scheduler:
            return Workers(self.scheduler, work)
        return Pool(work, self.processes, ("services.jobs.kinds",))

    def begin(self, job: Job) -> None:
        """Run a job on a thread and return immediately."""
        threading.Thread(
            target=self.run, args=(job,), name=f"job {job.job_id}", daemon=True
        ).start()

    def _watch(self) -> None:
        ended = threading.Event()
        while not ended.wait(_POLL_S):
            try:
                waiting = [job for job in self._jobs.unowned_jobs() if job.kind in KINDS]
            except StorageError as error:
                _LOG.warning("jobs cannot be read: %s", error)
                continue
            for job in waiting:
                self.run(job)

    @property
    def _jobs(self) -> Jobs:
        return Jobs(self.repository.catalogue)


class _beating:  # noqa: N801 - reads as what it does
    """Context manager that writes heartbeats while tasks run.

    If the job was cancelled, no further task begins.
    """

    def __init__(
        self, beat: Callable[[], bool], doers: Executor, cancelled: threading.Event
    ) -> None:
        self._beat, self._doers, self._cancelled = beat, doers, cancelled
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ended.set()

    def _run(self) -> None:
        while not self._ended.wait(_BEAT_S):
            try:
                if not self._beat():
                    self._cancelled.set()
                    self._doers.stop()
            except StorageError as error:
                _LOG.warning("the heartbeat could not be written: %s", error)


def _result_of_ended_process(ended: Ended) -> Done:
    answer = {"status": "failed", "reason": f"its process was {ended.text}"}
    return Done(failed=True, answer=answer)
