"""Tasks done by processes: each has one at a time, and one that is killed costs its own task alone.

`concurrent.futures` gives up all tasks when a process dies; here it is known which task it had.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkServerProcess
from types import FrameType
from typing import Any, Generic, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

_CONTEXT = multiprocessing.get_context("forkserver")
_ENDING_S = 10.0
"""How long a process has to tidy up when all is interrupted."""


class SignalledError(SystemExit):
    """A signal ends the process: what keeps plugins from ending it lets this pass."""


@dataclass(frozen=True)
class Ended:
    """A process ended in the middle of a task: by a signal (`code` below 0) or by itself."""

    code: int

    @property
    def text(self) -> str:
        """Return how it ended, as part of a sentence."""
        return f"killed by signal {-self.code}" if self.code < 0 else f"ended with code {self.code}"


@dataclass
class Pool(Generic[Task, Result]):
    """Up to `processes` processes that do `work` with tasks; `modules` are imported once for all of them.

    `key` of a task is that of an earlier one where it has to wait for it; `on_start` is called with the index of each
    task that begins.
    """

    work: Callable[[Task], Result]
    processes: int
    modules: Sequence[str] = ()
    key: Callable[[Task], Hashable] | None = None
    on_start: Callable[[int], None] | None = None
    _busy: dict[Connection, tuple[ForkServerProcess, int]] = field(default_factory=dict)
    _idle: list[tuple[Connection, ForkServerProcess]] = field(default_factory=list)
    _stopped: bool = False

    def results(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Result | Ended]]:
        """Yield index and result of each task as it is done; no more begin after `stop`.

        Ends the processes in any case, also where it is interrupted.
        """
        _CONTEXT.set_forkserver_preload(list(self.modules))
        waiting = list(range(len(tasks)))
        try:
            while self._busy or (waiting and not self._stopped):
                self._fill(tasks, waiting)
                for ready in wait(list(self._busy)):
                    yield self._receive(ready)  # type: ignore[arg-type]
        except BaseException:
            self._interrupt()
            raise
        finally:
            self._end()

    def stop(self) -> None:
        """Begin no more tasks."""
        self._stopped = True

    def _fill(self, tasks: Sequence[Task], waiting: list[int]) -> None:
        """Give tasks to the processes that have none."""
        while not self._stopped and len(self._busy) < self.processes:
            index = self._next(tasks, waiting)
            if index is None:
                return
            self._begin(index, tasks[index])

    def _next(self, tasks: Sequence[Task], waiting: list[int]) -> int | None:
        """Take the first task that waits for no other one; return its index, None where all have to wait."""
        taken = {self._key(tasks, index) for _, index in self._busy.values()}
        for place, index in enumerate(waiting):
            key = self._key(tasks, index)
            if key not in taken:
                del waiting[place]
                return index
        return None

    def _key(self, tasks: Sequence[Task], index: int) -> Hashable:
        return (index, None) if self.key is None else self.key(tasks[index])

    def _begin(self, index: int, task: Task) -> None:
        if self.on_start is not None:
            self.on_start(index)
        connection, process = self._idle.pop() if self._idle else self._start()
        self._busy[connection] = process, index
        with suppress(OSError):  # a process that died while it was idle shows when its answer is read
            connection.send(task)

    def _start(self) -> tuple[Connection, ForkServerProcess]:
        ours, theirs = _CONTEXT.Pipe()
        level = logging.getLogger().getEffectiveLevel()
        process = _CONTEXT.Process(target=_serve, args=(theirs, self.work, level), daemon=True)
        process.start()
        theirs.close()
        return ours, process

    def _receive(self, connection: Connection) -> tuple[int, Result | Ended]:
        process, index = self._busy.pop(connection)
        try:
            result: Result = connection.recv()
        except (EOFError, OSError):
            connection.close()
            process.join(_ENDING_S)
            return index, Ended(process.exitcode or 0)
        self._idle.append((connection, process))
        return index, result

    def _interrupt(self) -> None:
        """Interrupt the tasks, so that they tidy up."""
        for process, _ in self._busy.values():
            process.terminate()

    def _end(self) -> None:
        """Let the processes end, and kill those that do not."""
        processes = [*self._idle, *((connection, process) for connection, (process, _) in self._busy.items())]
        for connection, _ in processes:
            connection.close()
        for _, process in processes:
            process.join(_ENDING_S)
            if process.is_alive():
                process.kill()
                process.join()
        self._busy.clear()
        self._idle.clear()


def _serve(connection: Connection, work: Callable[[Any], Any], level: int) -> None:
    """Do tasks until the other end is closed; an interrupt at the terminal is the other end's to pass on."""
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end_once)
    with suppress(EOFError, OSError):
        while True:
            connection.send(work(connection.recv()))


def _end_once(signal_number: int, _frame: FrameType | None) -> None:
    """End, once: a second signal finds the process tidying up."""
    signal.signal(signal_number, signal.SIG_IGN)
    raise SignalledError(128 + signal_number)
