"""Processes that do work for this one: each may be limited in its memory, is killed if it hangs, and is used again."""

from __future__ import annotations

import ctypes
import gc
import logging
import multiprocessing
import os
import pickle
import resource
import signal
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any

from data_loaders.reading.limits import Limits, is_reserve_released, limit_memory
from ingest.template import Template, TemplateGoneError

_FORK_SERVER = multiprocessing.get_context("forkserver")
_MAX_RESULT_BYTES = 64 * 2**20
"""A result is a row and some sentences: a larger one is refused, since this process would have to hold it."""
_MAX_GROWTH_BYTES = 64 * 2**20
"""Memory that a process may keep between two tasks; one that keeps more is replaced."""
_MAX_ARENAS = 2
_M_ARENA_MAX = -8
"""The option of glibc's `mallopt`: each arena reserves addresses, which the limit of memory counts."""
_LOOK_S = 0.005
_ENDING_S = 30.0
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


class _Spawned:
    """A process that multiprocessing's fork server started."""

    def __init__(self, limits: Limits | None, modules: Sequence[str]) -> None:
        self.connection, theirs = _FORK_SERVER.Pipe()
        level = logging.getLogger().getEffectiveLevel()
        self._process = _FORK_SERVER.Process(target=_serve, args=(theirs, level, limits, modules), daemon=True)
        self._process.start()
        theirs.close()

    def send_signal(self, number: int) -> None:
        if self._process.is_alive() and self._process.pid is not None:
            os.kill(self._process.pid, number)

    def wait(self, seconds: float) -> int | None:
        self._process.join(seconds)
        return self._process.exitcode


class _Forked:
    """A process that was forked off a template of this one."""

    def __init__(self, template: Template) -> None:
        self._template = template
        self._pid, self.connection = template.fork()
        self._code: int | None = None

    def send_signal(self, number: int) -> None:
        if self._code is None:  # the template has not collected it, so that no other process has its number
            with suppress(ProcessLookupError):
                os.kill(self._pid, number)

    def wait(self, seconds: float) -> int | None:
        until = time.monotonic() + seconds
        while self._code is None:
            try:
                self._code = self._template.exit_code(self._pid)
            except TemplateGoneError:  # its processes end with it
                self._code = -signal.SIGKILL
            if self._code is None and time.monotonic() > until:
                return None
            if self._code is None:
                time.sleep(_LOOK_S)
        return self._code


class WorkProcess:
    """A process that does one task at a time."""

    def __init__(self, process: _Spawned | _Forked) -> None:
        self._process = process
        self.connection = process.connection
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
            result: tuple[Any, bool] = pickle.loads(self.connection.recv_bytes(_MAX_RESULT_BYTES))  # noqa: S301 - our own
        except (EOFError, OSError):
            self.close()
            return Ended(self.join()), False
        return result

    def forget_work(self) -> None:
        """Keep no reference to the work of a caller that is done."""
        self._work = None

    def terminate(self) -> None:
        """Ask the process to give up its task and to tidy up."""
        self._process.send_signal(signal.SIGTERM)

    def close(self) -> None:
        """Tell the process that there are no more tasks."""
        self.connection.close()

    def join(self) -> int:
        """Wait until the process has ended, kill it if it does not, and return its exit code."""
        code = self._process.wait(_ENDING_S)
        return self.kill() if code is None else code

    def kill(self) -> int:
        """End the process now and return its exit code."""
        self._process.send_signal(signal.SIGKILL)
        code = self._process.wait(_ENDING_S)
        return -signal.SIGKILL if code is None else code


class WorkProcesses:
    """Starts processes under the same limits and keeps those that are idle, for all threads of this process.

    `modules` are imported once for all of them.
    """

    def __init__(self, limits: Limits | None = None, modules: Sequence[str] = ()) -> None:
        self.limits = limits
        self._modules = list(modules)
        self._idle: list[WorkProcess] = []
        self._lock = threading.Lock()
        self._template: Template | None = None

    def use_template(self) -> None:
        """Fork the processes off a copy of this one from now on, which shares all that is imported.

        That takes a hundredth of the time in which the fork server starts. Call it before this process opens a
        database: SQLite goes wrong in a process that was forked off one that has a database open. If other threads run,
        nothing is done, as the copy would keep the locks that they hold.
        """
        if threading.active_count() > 1:
            return
        for module in self._modules:
            import_module(module)
        level = logging.getLogger().getEffectiveLevel()
        serve = partial(_serve, level=level, limits=self.limits, modules=self._modules)
        self._template = Template(serve, keeps_codes=True)

    def take(self) -> WorkProcess:
        """Return an idle process, or a new one."""
        with self._lock:
            if self._idle:
                return self._idle.pop()
        if self._template is not None:
            try:
                return WorkProcess(_Forked(self._template))
            except TemplateGoneError:
                self._template = None
        _FORK_SERVER.set_forkserver_preload(self._modules)
        return WorkProcess(_Spawned(self.limits, self._modules))

    def put_back(self, process: WorkProcess) -> None:
        """Keep a process that can do another task."""
        process.forget_work()
        with self._lock:
            self._idle.append(process)

    def close(self) -> None:
        """End the idle processes and the template."""
        with self._lock:
            idle, self._idle = self._idle, []
        for process in idle:
            process.close()
        for process in idle:
            process.join()
        if self._template is not None:
            self._template.close()


@dataclass(frozen=True)
class _Work:
    """The message that says what is done with the tasks that follow."""

    work: Callable[[Any], Any]


def _serve(connection: Connection, level: int, limits: Limits | None, modules: Sequence[str]) -> None:
    """Do tasks until the other end is closed or this process keeps too much memory."""
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt at the terminal is the parent's to pass on
    signal.signal(signal.SIGTERM, _end_once)
    if limits is not None:
        for module in modules:  # those that the fork server did not find would count as memory of the first file
            import_module(module)
        _reserve_few_addresses()
        limit_memory(limits, max_file_bytes=None)
    gc.freeze()  # what is imported never becomes garbage
    _give_back_memory()  # memory that was free in the process that this one was forked off is no growth
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
    _give_back_memory()
    return _resident_bytes() < max_bytes


def _give_back_memory() -> None:
    """Let the allocator return free memory to the system, where it can."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


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
