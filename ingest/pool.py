"""Execute tasks in processes, one task per process at a time; a killed process affects only its
task.

`concurrent.futures` fails all tasks if a process dies; this pool knows the task of each process.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from typing import Generic, TypeVar

from ingest.cancel import IsCancelled, never
from ingest.processes import Ended, WorkProcess, WorkProcesses
from ingest.task_order import take_next

Task = TypeVar("Task")
Result = TypeVar("Result")
_LOOK_S = 0.25
"""Seconds between two questions whether the user has cancelled."""
_CANCEL_S = 4.0
"""Seconds after a cancel that a task may use to clean up before its process is killed."""


@dataclass(frozen=True)
class _Busy:
    """A busy process: the index of its task, the time at which it is killed, and the time limit in
    s.
    """

    process: WorkProcess
    index: int
    until: float
    seconds: float


@dataclass
class Pool(Generic[Task, Result]):
    """Executes tasks in up to `processes` processes with the function `work`.

    The processes belong to `source`, which reuses them afterwards. If there is no source, new
    processes import `modules` and end after the tasks. Tasks with an equal `key` are executed one
    after another. `on_start` is called with the index of each task that begins. `seconds` computes
    the time limit of a task; its process is killed if it takes longer. Once `is_cancelled` returns
    True, no task begins and the processes of running tasks are ended: a task that is about to
    commit its result still returns it, all other tasks return Ended.
    """

    work: Callable[[Task], Result]
    processes: int
    modules: Sequence[str] = ()
    key: Callable[[Task], Hashable] | None = None
    on_start: Callable[[int], None] | None = None
    source: WorkProcesses | None = None
    seconds: Callable[[Task], float] | None = None
    is_cancelled: IsCancelled = never
    _busy: dict[Connection, _Busy] = field(default_factory=dict)
    _stopped: bool = False
    _cancelled: bool = False

    def results(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Result | Ended]]:
        """Yield (index, result) of each task when it is done, in any order.

        Ended if its process ended or was killed for its time. No further tasks begin after `stop`.
        Busy processes are ended in any case, also on an interrupt.
        """
        source = self.source or WorkProcesses(modules=self.modules)
        waiting = list(range(len(tasks)))
        try:
            self._look_for_cancel()
            while self._busy or (waiting and not self._stopped):
                self._fill(source, tasks, waiting)
                for connection in wait(list(self._busy), self._patience_s()):
                    yield self._receive(source, connection)  # type: ignore[arg-type]
                yield from self._kill_late()
                self._look_for_cancel()
        except BaseException:
            self._interrupt()
            raise
        finally:
            self._end()
            if self.source is None:
                source.close()

    def stop(self) -> None:
        """Let the pool begin no further tasks; tasks that run are finished."""
        self._stopped = True

    def _look_for_cancel(self) -> None:
        """Stop, and end the processes of running tasks, if the user has cancelled since the last
        look.
        """
        if self._cancelled or not self.is_cancelled():
            return
        self._cancelled = True
        self.stop()
        until = time.monotonic() + _CANCEL_S
        for connection, busy in self._busy.items():
            self._busy[connection] = replace(busy, until=min(busy.until, until))
        self._interrupt()

    def _fill(self, source: WorkProcesses, tasks: Sequence[Task], waiting: list[int]) -> None:
        """Give waiting tasks to processes until `processes` of them are busy or no task can begin.

        Removes them from `waiting`.
        """
        while not self._stopped and len(self._busy) < self.processes:
            running = [busy.index for busy in self._busy.values()]
            index = take_next(tasks, waiting, running, self.key)
            if index is None:
                return
            self._begin(source, index, tasks[index])

    def _begin(self, source: WorkProcesses, index: int, task: Task) -> None:
        if self.on_start is not None:
            self.on_start(index)
        seconds = float("inf") if self.seconds is None else self.seconds(task)
        process = source.take()
        self._busy[process.connection] = _Busy(process, index, time.monotonic() + seconds, seconds)
        process.begin(self.work, task)

    def _patience_s(self) -> float | None:
        """Compute the time in s until the first time limit of a busy process ends, at least 0.

        `None` if no task has a limit and nobody can cancel; at most the time until the next
        question whether the user has cancelled.
        """
        until = min((busy.until for busy in self._busy.values()), default=float("inf"))
        left = max(0.0, until - time.monotonic())
        if self.is_cancelled is not never:
            return min(left, _LOOK_S)
        return None if until == float("inf") else left

    def _receive(self, source: WorkProcesses, connection: Connection) -> tuple[int, Result | Ended]:
        busy = self._busy.pop(connection)
        result, is_usable = busy.process.receive()
        # A process that was to end may do so at any moment, so no later task may use it.
        if is_usable and not self._cancelled:
            source.put_back(busy.process)
        elif not isinstance(result, Ended):
            busy.process.close()
            busy.process.join()
        return busy.index, result

    def _kill_late(self) -> Iterator[tuple[int, Ended]]:
        """Kill processes that exceed their time limit.

        Yields the index of each of their tasks, with `Ended(-9, limit in s)`.
        """
        now = time.monotonic()
        for connection, busy in list(self._busy.items()):
            if now >= busy.until and not connection.poll():
                del self._busy[connection]
                busy.process.kill()
                busy.process.close()
                yield busy.index, Ended(-9, busy.seconds)

    def _interrupt(self) -> None:
        """Send SIGTERM to the busy processes, so that they clean up."""
        for busy in self._busy.values():
            busy.process.terminate()

    def _end(self) -> None:
        """Let the busy processes end, and kill processes that still run when 30 s have passed.

        Afterwards no process is busy.
        """
        for busy in self._busy.values():
            busy.process.close()
        for busy in self._busy.values():
            busy.process.join()
        self._busy.clear()
