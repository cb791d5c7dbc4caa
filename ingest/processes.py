"""Reusable work processes with an optional memory limit; a process that hangs is killed."""

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
"""Maximum size of a result in bytes: it is a row and some sentences, and this process has to hold
it.
"""
_MAX_GROWTH_BYTES = 64 * 2**20
"""Memory in bytes that a process may keep between tasks; a process that keeps more is replaced."""
_OBJECTS_PER_COLLECTION = 100_000
"""New objects until the next garbage collection: nearly all objects of a file live until it is stored."""
_MAX_ARENAS = 2
_M_ARENA_MAX = -8
"""Number of an option of glibc's `mallopt`: each arena reserves address space, which the memory
limit counts.
"""
_STDOUT, _STDERR = 1, 2
_LOOK_S = 0.005
_ENDING_S = 30.0
"""Seconds that a process has for cleaning up after a request to end."""


class _Interrupts:
    """Whether this process is to finish its task before SIGTERM ends it, and whether it arrived."""

    finishing = False
    arrived = False


def finish_before_end() -> None:
    """Let the running task of this process finish although SIGTERM arrives.

    Called before a task commits its result, so that a result that is stored is also reported.
    """
    _Interrupts.finishing = True


class SignalledError(SystemExit):
    """Raised by a signal that ends the process; it is a SystemExit so that handlers around plugins
    let it pass.
    """


@dataclass(frozen=True)
class Ended:
    """The result of a task if its process ended before the task was done.

    `code` is the exit code, negative if a signal ended the process. `after_s` is the task's time
    limit in s if the process was killed because of it, else None.
    """

    code: int
    after_s: float | None = None

    @property
    def text(self) -> str:
        """Description of how the process ended, as a predicate: `ended after 60 s`, `killed by
        signal 9` or `ended with code 1`.
        """
        if self.after_s is not None:
            return f"ended after {self.after_s:.0f} s"
        return f"killed by signal {-self.code}" if self.code < 0 else f"ended with code {self.code}"


class _Spawned:
    """A process started by the fork server of multiprocessing."""

    def __init__(self, limits: Limits | None, modules: Sequence[str]) -> None:
        self.connection, theirs = _FORK_SERVER.Pipe()
        level = logging.getLogger().getEffectiveLevel()
        self._process = _FORK_SERVER.Process(
            target=_serve, args=(theirs, level, limits, modules), daemon=True
        )
        self._process.start()
        theirs.close()

    def send_signal(self, number: int) -> None:
        """Send a signal to the process; nothing is sent when it has ended."""
        if self._process.is_alive() and self._process.pid is not None:
            os.kill(self._process.pid, number)

    def wait(self, seconds: float) -> int | None:
        """Wait at most `seconds` for the process to end.

        Returns its exit code (negative: a signal), `None` while it runs.
        """
        self._process.join(seconds)
        return self._process.exitcode


class _Forked:
    """A process forked from a template of this process."""

    def __init__(self, template: Template) -> None:
        self._template = template
        self._pid, self.connection = template.fork()
        self._code: int | None = None

    def send_signal(self, number: int) -> None:
        """Send a signal to the process; nothing is sent when its exit code is known."""
        # Until the template has collected the exit code, the process id is not reused.
        if self._code is None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, number)

    def wait(self, seconds: float) -> int | None:
        """Wait at most `seconds` for the process to end.

        Returns its exit code (negative: a signal), `None` while it runs.
        """
        until = time.monotonic() + seconds
        while self._code is None:
            try:
                self._code = self._template.exit_code(self._pid)
            except TemplateGoneError:  # the processes of a template end with it
                self._code = -signal.SIGKILL
            if self._code is None and time.monotonic() > until:
                return None
            if self._code is None:
                time.sleep(_LOOK_S)
        return self._code


class WorkProcess:
    """A process that executes tasks, each after the previous task is done."""

    def __init__(self, process: _Spawned | _Forked) -> None:
        self._process = process
        self.connection = process.connection
        self._work: object = None

    def begin(self, work: Callable[[Any], Any], task: object) -> None:
        """Send a task to the process.

        `work`, the function that executes it, is sent only if it has changed.
        """
        with suppress(OSError):  # a process that died while idle is noticed by `receive`
            if work is not self._work:
                self.connection.send(_Work(work))
                self._work = work
            self.connection.send(task)

    def receive(self) -> tuple[Any, bool]:
        """Wait for the result of the task.

        Returns it and whether the process can be used again, which it decides by its memory. The
        result is `Ended`, and the process unusable, if it ended or the result is larger than 64
        MiB.
        """
        try:
            result: tuple[Any, bool] = pickle.loads(self.connection.recv_bytes(_MAX_RESULT_BYTES))  # noqa: S301 - our own
        except (EOFError, OSError):
            self.close()
            return Ended(self.join()), False
        return result

    def forget_work(self) -> None:
        """Drop the reference to the function of the previous caller, so that the next task sends
        its own.
        """
        self._work = None

    def terminate(self) -> None:
        """Send SIGTERM: when the process receives it, it aborts its task and cleans up."""
        self._process.send_signal(signal.SIGTERM)

    def close(self) -> None:
        """Close the connection to the process, which ends after its task."""
        self.connection.close()

    def join(self) -> int:
        """Wait until the process has ended, kill it when 30 s have passed, and return its exit
        code, negative if a signal ended it.
        """
        code = self._process.wait(_ENDING_S)
        return self.kill() if code is None else code

    def kill(self) -> int:
        """Kill the process and return its exit code, negative if a signal ended it."""
        self._process.send_signal(signal.SIGKILL)
        code = self._process.wait(_ENDING_S)
        return -signal.SIGKILL if code is None else code


class WorkProcesses:
    """Thread-safe source of processes with the same limits; idle processes are reused.

    `modules` are imported once for all processes.
    """

    def __init__(self, limits: Limits | None = None, modules: Sequence[str] = ()) -> None:
        self.limits = limits
        self._modules = list(modules)
        self._idle: list[WorkProcess] = []
        self._lock = threading.Lock()
        self._template: Template | None = None

    def use_template(self) -> None:
        """From now on, fork processes from a copy of this process, which shares all imported
        modules.

        Forking takes a hundredth of the time of the fork server. Call it before this process opens
        a database: SQLite must not be used in a process that was forked while a database was open.
        If other threads run, nothing is done, because the copy would inherit their locks.
        """
        if threading.active_count() > 1:
            return
        for module in self._modules:
            import_module(module)
        level = logging.getLogger().getEffectiveLevel()
        serve = partial(_serve, level=level, limits=self.limits, modules=self._modules)
        self._template = Template(serve, keeps_codes=True)

    def take(self) -> WorkProcess:
        """Return an idle process, or start a process when all are busy.

        The caller returns it with `put_back` or ends it.
        """
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
        """Add a process that can execute another task to the idle processes, for reuse by `take`.

        A process that is unusable must be ended instead.
        """
        process.forget_work()
        with self._lock:
            self._idle.append(process)

    def close(self) -> None:
        """End the idle processes and the template; busy processes are not ended."""
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
    """Message with the function that executes the following tasks."""

    work: Callable[[Any], Any]


def _serve(
    connection: Connection, level: int, limits: Limits | None, modules: Sequence[str]
) -> None:
    """Receive tasks and send back (result, whether this process is usable) until the connection is
    closed or it is not usable.

    It is unusable if it keeps more than 64 MiB between tasks or ran out of memory.
    """
    # Output of a plugin must not get between the lines of a command, such as the JSON of `ingest`.
    os.dup2(_STDERR, _STDOUT)
    logging.basicConfig(level=level, format="%(levelname)s %(name)s: %(message)s")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent forwards an interrupt at the terminal
    signal.signal(signal.SIGTERM, _end_once)
    if limits is not None:
        # A module that the fork server could not import would count as memory of the first file.
        for module in modules:
            import_module(module)
        _reserve_few_addresses()
        limit_memory(limits, max_file_bytes=None)
    gc.freeze()  # imported objects never become garbage, so that collections may skip them
    gc.set_threshold(_OBJECTS_PER_COLLECTION, 10, 10)
    give_back_memory()  # free memory inherited by the fork must not count as growth
    begin_bytes = _resident_bytes()
    work: Callable[[Any], Any] | None = None
    own_id = os.getpid()
    with suppress(EOFError, OSError):
        while True:
            message = connection.recv()
            if isinstance(message, _Work):
                work = message.work
                continue
            _Interrupts.finishing = False
            result = work(message)  # type: ignore[misc] # `_Work` is always the first message
            if os.getpid() != own_id:  # a copy that a plugin forked: only one result is expected
                os._exit(0)
            is_usable = not is_reserve_released() and _keeps_little(begin_bytes + _MAX_GROWTH_BYTES)
            connection.send_bytes(pickle.dumps((result, is_usable)))
            if not is_usable or _Interrupts.arrived:
                return


def _reserve_few_addresses() -> None:
    """Let allocators reserve address space only when needed.

    Glibc and Arrow reserve up to several GiB in advance.
    """
    import pyarrow as pa  # noqa: PLC0415 - processes without limits need not import it

    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _MAX_ARENAS)
    pa.set_memory_pool(pa.system_memory_pool())


def _keeps_little(max_bytes: int) -> bool:
    """Whether this process uses less resident memory than `max_bytes`, after releasing free memory
    when necessary.
    """
    if _resident_bytes() < max_bytes:
        return True
    gc.collect()
    give_back_memory()
    return _resident_bytes() < max_bytes


def give_back_memory() -> None:
    """Return free memory of the allocator to the system; nothing is done if glibc is not in use."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def _resident_bytes() -> int:
    """Return the resident memory of this process in bytes; 0 if unknown."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0
    return pages * resource.getpagesize()


def _end_once(signal_number: int, _frame: FrameType | None) -> None:
    """End the process; further signals are ignored while it cleans up.

    A task that has called `finish_before_end` is finished first.
    """
    signal.signal(signal_number, signal.SIG_IGN)
    if _Interrupts.finishing:
        _Interrupts.arrived = True
        return
    raise SignalledError(128 + signal_number)
