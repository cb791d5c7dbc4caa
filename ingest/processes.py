"""Processes that do work for this one: each may be limited in its memory, is killed if it hangs, and is used again."""

from __future__ import annotations

import ctypes
import gc
import logging
import multiprocessing
import pickle
import resource
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any

from data_loaders.reading.limits import Limits, is_reserve_released, limit_memory

_FORK = multiprocessing.get_context("fork")
_FORK_SERVER = multiprocessing.get_context("forkserver")
_MAX_RESULT_BYTES = 64 * 2**20
"""A result is a row and some sentences: a larger one is refused, since this process would have to hold it."""
_MAX_GROWTH_BYTES = 64 * 2**20
"""Memory that a process may keep between two tasks; one that keeps more is replaced."""
_MAX_ARENAS = 2
_M_ARENA_MAX = -8
"""The option of glibc's `mallopt`: each arena reserves addresses, which the limit of memory counts."""
_ENDING_S = 10.0
"""Seconds that a process has to tidy up after it was asked to end."""


class SignalledError(SystemExit):
    """A signal ends the process: what keeps plugins from ending it lets this pass."""


@dataclass(frozen=True)
class Ended:
    """A process that ended in the middle of a task.

    `code` is its exit code, negative if a signal ended it; `after_s` is the time in s that its task may take, if it
    was killed because the task took longer.
    """

    code: int
    after_s: float | None = None

    @property
    def text(self) -> str:
        """How it ended, as part of a sentence that begins with the process."""
        if self.after_s is not None:
            return f"ended after {self.after_s:.0f} s"
        return f"killed by signal {-self.code}" if self.code < 0 else f"ended with code {self.code}"


class WorkProcess:
    """A process that does one task at a time; `context` starts it."""

    def __init__(
        self,
        limits: Limits | None,
        modules: Sequence[str],
        context: Any = _FORK_SERVER,  # noqa: ANN401 - of a private class
    ) -> None:
        self.connection, theirs = context.Pipe()
        level = logging.getLogger().getEffectiveLevel()
        # a forked process has a copy of our end as well, and would never see that the last one is closed
        copy = self.connection if context is _FORK else None
        self._process = context.Process(target=_serve, args=(theirs, level, limits, modules, copy), daemon=True)
        self._process.start()
        theirs.close()
        self._work: object = None

    def begin(self, work: Callable[[Any], Any], task: object) -> None:
        """Let the process do `work` with a task; `work` is sent once."""
        with suppress(OSError):  # a process that died while it was idle shows when its result is received
            if work is not self._work:
                self.connection.send(_Work(work))
                self._work = work
            self.connection.send(task)

    def receive(self) -> tuple[Any, bool]:
        """Wait for the result of the task; return it, or `Ended`, and whether the process can do another one."""
        try:
            answer: tuple[Any, bool] = pickle.loads(self.connection.recv_bytes(_MAX_RESULT_BYTES))  # noqa: S301 - our own
        except (EOFError, OSError):
            self.close()
            self.join()
            return Ended(self._process.exitcode or 0), False
        return answer

    def forget_work(self) -> None:
        """Keep no reference to the work of a caller that is done."""
        self._work = None

    def terminate(self) -> None:
        """Ask the process to give up its task and to tidy up."""
        self._process.terminate()

    def close(self) -> None:
        """Tell the process that there are no more tasks."""
        self.connection.close()

    def join(self) -> None:
        """Wait until the process has ended; kill it if it does not."""
        self._process.join(_ENDING_S)
        self.kill()

    def kill(self) -> None:
        """End the process now."""
        if self._process.is_alive():
            self._process.kill()
        self._process.join()


class WorkProcesses:
    """Starts processes under the same limits and keeps those that are idle, for all threads of this process.

    `modules` are imported once for all of them.
    """

    def __init__(self, limits: Limits | None = None, modules: Sequence[str] = ()) -> None:
        self.limits = limits
        self._modules = list(modules)
        self._idle: list[WorkProcess] = []
        self._lock = threading.Lock()

    def fork_first(self) -> None:
        """Start a process as a copy of this one, which shares all that is imported and costs a hundredth of another.

        Call it before this process opens a database: SQLite goes wrong in a process that was forked off one that has a
        database open. If other threads run, nothing is done, as the copy would keep the locks that they hold.
        """
        if threading.active_count() == 1:
            for module in self._modules:
                import_module(module)
            self.put_back(WorkProcess(self.limits, self._modules, _FORK))

    def warm(self) -> None:
        """Start a process, so that the first task need not wait for the imports."""
        self.put_back(self.take())

    def take(self) -> WorkProcess:
        """Return an idle process, or a new one."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        _FORK_SERVER.set_forkserver_preload(self._modules)
        return WorkProcess(self.limits, self._modules)

    def put_back(self, process: WorkProcess) -> None:
        """Keep a process that can do another task."""
        process.forget_work()
        with self._lock:
            self._idle.append(process)

    def close(self) -> None:
        """End the idle processes."""
        with self._lock:
            idle, self._idle = self._idle, []
        for process in idle:
            process.close()
        for process in idle:
            process.join()


@dataclass(frozen=True)
class _Work:
    """The message that says what is done with the tasks that follow."""

    work: Callable[[Any], Any]


def _serve(
    connection: Connection, level: int, limits: Limits | None, modules: Sequence[str], copy: Connection | None
) -> None:
    """Do tasks until the other end is closed or this process keeps too much memory; `copy` is closed first."""
    if copy is not None:
        copy.close()
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt at the terminal is the parent's to pass on
    signal.signal(signal.SIGTERM, _end_once)
    if limits is not None:
        for module in modules:  # those that the fork server did not find would count as memory of the first file
            import_module(module)
        _reserve_few_addresses()
        limit_memory(limits, max_file_bytes=None)
    gc.freeze()  # what is imported never becomes garbage
    begin_bytes = _resident_bytes()
    work: Callable[[Any], Any] | None = None
    with suppress(EOFError, OSError):
        while True:
            message = connection.recv()
            if isinstance(message, _Work):
                work = message.work
                continue
            result = work(message)  # type: ignore[misc] # the work comes first
            is_usable = not is_reserve_released() and _keeps_little(begin_bytes + _MAX_GROWTH_BYTES)
            connection.send_bytes(pickle.dumps((result, is_usable)))
            if not is_usable:
                return


def _reserve_few_addresses() -> None:
    """Let allocators take addresses as they need them: glibc and Arrow reserve up to GiB ahead otherwise."""
    import pyarrow as pa  # noqa: PLC0415 - processes without limits need not import it

    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _MAX_ARENAS)
    pa.set_memory_pool(pa.system_memory_pool())


def _keeps_little(max_bytes: int) -> bool:
    """Return whether this process has less memory than that, if need be after it gave back all that is free."""
    if _resident_bytes() < max_bytes:
        return True
    gc.collect()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
    return _resident_bytes() < max_bytes


def _resident_bytes() -> int:
    """Return the memory in bytes that this process has, 0 if the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    return pages * resource.getpagesize()


def _end_once(signal_number: int, _frame: FrameType | None) -> None:
    """End, once: a second signal finds the process tidying up."""
    signal.signal(signal_number, signal.SIG_IGN)
    raise SignalledError(128 + signal_number)
