"""Execute tasks on the workers of a Dask scheduler, a few at a time; tasks of a dead worker are
repeated.

A task may be executed twice if its worker dies after it; tasks must therefore be idempotent.
"""

from __future__ import annotations

import logging
import pickle
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from ingest.processes import Ended
from ingest.task_order import take_next
from schema.command import HOSTING
from storage.errors import StorageError

Task = TypeVar("Task")
Result = TypeVar("Result")

_PER_WORKER = 3
"""Number of submitted tasks per worker thread: if a worker dies, Dask counts a failure for all of
its tasks.
"""
_MAX_TRIES = 10
_NICE = 10
"""Priority of workers (nice value), so that pages come first if both are on one machine."""
_CONNECT_S, _WORKERS_S = 30, 120
_LOG = logging.getLogger(__name__)


class SchedulerError(StorageError):
    """The Dask scheduler cannot be used."""

    def __init__(self, address: str, reason: str) -> None:
        super().__init__(
            f"the Dask scheduler {address} cannot be used: {reason}",
            "The server's Dask scheduler cannot be used.",
        )


@dataclass
class Workers(Generic[Task, Result]):
    """The workers of a scheduler, with the interface of `ingest.pool.Pool`.

    Tasks with an equal `key` are executed one after another. `on_start` is called with the index of
    each task that is submitted.
    """

    address: str
    work: Callable[[Any], Result]
    key: Callable[[Task], Hashable] | None = None
    on_start: Callable[[int], None] | None = None
    _submitted: dict[Any, tuple[int, Any]] = field(default_factory=dict)
    _tries: Counter[int] = field(default_factory=Counter)
    _stopped: bool = False

    def results(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Result | Ended]]:
        """Yield (index, result) of each task when it is done, in any order.

        `Ended(1)` if it raised an error or its worker died 10 times. No further tasks are submitted
        after `stop`. Raises SchedulerError if the scheduler or its workers are missing or
        disappear.
        """
        client = self._client()
        try:
            yield from self._results(client, tasks)
        finally:
            self._end(client)

    def stop(self) -> None:
        """Let the workers get no further tasks; submitted tasks are finished."""
        self._stopped = True

    def payload(self, task: Task) -> Any:  # noqa: ANN401 - what `work` takes on the other side
        """Return the data that is sent to a worker for a task: here the task itself."""
        return task

    def let_go(self, payload: Any) -> None:  # noqa: ANN401
        """Release the payload of a task when it is done; here nothing is released."""

    def _client(self) -> Any:  # noqa: ANN401 - distributed has no types
        try:
            from distributed import Client  # noqa: PLC0415 - an extra, slow to import
        except ImportError as error:
            raise SchedulerError(self.address, f"{error} (it needs {HOSTING})") from error
        try:
            client: Any = Client(
                self.address, timeout=_CONNECT_S, set_as_default=False, name="tilescope"
            )
            client.wait_for_workers(1, timeout=_WORKERS_S)
        except Exception as error:  # bad addresses, TLS keys and versions raise various errors
            raise SchedulerError(
                self.address, " ".join(str(error).split()) or "it does not respond"
            ) from error
        return client

    def _results(self, client: Any, tasks: Sequence[Task]) -> Iterator[tuple[int, Result | Ended]]:  # noqa: ANN401
        from distributed import as_completed  # noqa: PLC0415
        from distributed.scheduler import KilledWorker  # noqa: PLC0415

        waiting = list(range(len(tasks)))
        done = as_completed(loop=client.loop)
        self._fill(client, done, tasks, waiting)
        while self._submitted:
            future = next(done)
            result, error = _wait_for_result(future)
            if future.status == "cancelled":
                raise SchedulerError(self.address, "it no longer exists")
            index, payload = self._submitted.pop(future)
            future.release()
            self.let_go(payload)
            if isinstance(error, KilledWorker) and self._tries[index] < _MAX_TRIES:
                waiting.insert(0, index)
            elif error is not None:
                _LOG.warning("task %s failed on its worker: %r", index, error)
                yield index, Ended(1)
            else:
                yield index, result
            self._fill(client, done, tasks, waiting)

    def _fill(self, client: Any, done: Any, tasks: Sequence[Task], waiting: list[int]) -> None:  # noqa: ANN401
        threads = sum(client.nthreads().values()) or 1
        while not self._stopped and len(self._submitted) < _PER_WORKER * threads:
            running = [index for index, _ in self._submitted.values()]
            index = take_next(tasks, waiting, running, self.key)
            if index is None:
                return
            if self.on_start is not None and not self._tries[index]:
                self.on_start(index)
            self._tries[index] += 1
            payload = self.payload(tasks[index])
            future = client.submit(_by_value(self.work), pickle.dumps(payload), pure=False)
            self._submitted[future] = index, payload
            done.add(future)

    def _end(self, client: Any) -> None:  # noqa: ANN401
        """Cancel the submitted tasks, release their payloads and close the client.

        Errors of the client are ignored.
        """
        with suppress(Exception):  # a scheduler that is gone has nothing to cancel
            client.cancel(list(self._submitted), force=True)
        for _, payload in self._submitted.values():
            self.let_go(payload)
        with suppress(Exception):
            client.close(timeout=5)


def _by_value(work: Callable[[Any], Result]) -> Callable[[bytes], Result]:
    """Return a function that executes `work` on a pickled payload and is itself pickled by its
    code.

    The scheduler unpickles the function, and cannot import the project's modules; its working
    directory may contain other modules with the same names.
    """
    pickled = pickle.dumps(work)
    niceness = _NICE  # a local: names of this module are not pickled

    def unpickle_and_do(payload: bytes) -> Result:
        import os  # noqa: PLC0415 - the names of this module do not travel
        import pickle  # noqa: PLC0415

        # On Linux this is the priority of this thread only: the worker still responds to its scheduler.
        if os.getpriority(os.PRIO_PROCESS, 0) < niceness:
            os.setpriority(os.PRIO_PROCESS, 0, niceness)
        # No further risk: a client of a Dask scheduler can run any code on its workers.
        result: Result = pickle.loads(pickled)(pickle.loads(payload))  # noqa: S301
        return result

    return unpickle_and_do


def _wait_for_result(future: Any) -> tuple[Any, Exception | None]:  # noqa: ANN401 - distributed has no types
    """Wait for the result of a task; returns (result, `None`), or (`None`, error) if it failed.

    Until the result has arrived, the worker may die and another worker repeat the task, so its
    payload must stay.
    """
    try:
        return future.result(), None
    except Exception as error:
        return None, error
