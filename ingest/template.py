"""A template process that other processes are forked from: a copy of this process before it starts
threads.

A fork takes 10 ms, and the processes share the memory of the loaded modules.
"""

from __future__ import annotations

import os
import signal
import socket
import stat
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from multiprocessing.reduction import recv_handle, send_handle
from pathlib import Path

from data_loaders.reading.isolated import end_with_starter

_END = -1
"""Message that ends a template, in place of the id of a process."""


class TemplateGoneError(Exception):
    """The template process has ended."""


class Template:
    """Forks processes that run `serve` with a connection; they end together with this process."""

    def __init__(self, serve: Callable[[Connection], None], *, keeps_codes: bool = False) -> None:
        """Fork the template; no other thread may be running.

        If `keeps_codes` is set, the exit code of every process must be fetched with `exit_code`:
        until then the process stays a zombie.
        """
        self._control, theirs = Pipe()
        self._lock = threading.Lock()
        self.pid = os.fork()
        if self.pid == 0:
            self._control.close()
            _run(theirs, serve, keeps_codes=keeps_codes)
        theirs.close()

    def fork(self) -> tuple[int, Connection]:
        """Fork a process; returns its id and a connection to it.

        Raises TemplateGoneError if the template has ended.
        """
        ours, theirs = Pipe()
        with self._lock, theirs:
            try:
                self._control.send(None)
                send_handle(self._control, theirs.fileno(), self.pid)
                return int(self._control.recv()), ours
            except (OSError, EOFError) as error:
                ours.close()
                raise TemplateGoneError from error

    def exit_code(self, pid: int) -> int | None:
        """Return the exit code of a process (negative: killed by a signal), `None` while it runs.

        The template must keep codes (`keeps_codes`). Fetch the code of an ended process only once:
        a second call ends the template and its processes. Raises TemplateGoneError if the template
        has ended.
        """
        with self._lock:
            try:
                self._control.send(pid)
                code: int | None = self._control.recv()
            except (OSError, EOFError) as error:
                raise TemplateGoneError from error
        return code

    def close(self) -> None:
        """End the template and the processes that were forked from it, and wait for its end.

        Otherwise the system would not count what its processes used as used by this process.
        """
        with self._lock:
            # Copies of the connection in other processes would keep a mere close from arriving.
            with suppress(OSError):
                self._control.send(_END)
            self._control.close()
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def _run(control: Connection, serve: Callable[[Connection], None], *, keeps_codes: bool) -> None:
    """Fork a process for each received connection until the server ends; never returns."""
    code = 1
    try:
        end_with_starter()
        _forget_server()
        if not keeps_codes:
            signal.signal(
                signal.SIGCHLD, signal.SIG_IGN
            )  # the system discards a process when it ends
        while True:
            pid_to_check: int | None = control.recv()
            if pid_to_check == _END:
                break
            if pid_to_check is not None:
                control.send(_exit_code(pid_to_check))
                continue
            handle = recv_handle(control)
            pid = os.fork()
            if pid == 0:
                control.close()
                end_with_starter()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                serve(Connection(handle))
                break
            os.close(handle)
            control.send(pid)
    except (EOFError, OSError, KeyboardInterrupt):
        code = 0
    else:
        code = 0
    finally:
        sys.stderr.flush()
        os._exit(code)


def _exit_code(pid: int) -> int | None:
    ended, status = os.waitpid(pid, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


def _forget_server() -> None:
    """Close the listening sockets of the server and reset its signal handlers."""
    signal.set_wakeup_fd(-1)
    for number in (
        signal.SIGTERM,
        signal.SIGQUIT,
        signal.SIGUSR1,
        signal.SIGUSR2,
        signal.SIGHUP,
        signal.SIGABRT,
    ):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, which ends its processes
    for path in [*Path("/dev/fd").iterdir()]:
        with suppress(OSError):
            if stat.S_ISSOCK(os.fstat(int(path.name)).st_mode):
                _close_listener(int(path.name))


def _close_listener(number: int) -> None:
    candidate = socket.socket(fileno=number)
    if candidate.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        candidate.close()
    else:
        candidate.detach()  # otherwise Python would close the descriptor with this object
