"""The process that render processes are forked from: the application as it was loaded, without threads.

Forking it costs 10 ms, and what it has loaded is shared by all that come of it.
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


class TemplateGoneError(Exception):
    """The process that others are forked from has ended."""


class Template:
    """Forks processes that run `serve` with a connection, each of which ends with the server."""

    def __init__(self, serve: Callable[[Connection], None]) -> None:
        """Fork the template; no thread may run yet."""
        self._control, theirs = Pipe()
        self._lock = threading.Lock()
        self.pid = os.fork()
        if self.pid == 0:
            self._control.close()
            _run(theirs, serve)
        theirs.close()

    def fork(self) -> tuple[int, Connection]:
        """Return id and connection of a new process; raises TemplateGoneError."""
        ours, theirs = Pipe()
        with self._lock, theirs:
            try:
                send_handle(self._control, theirs.fileno(), self.pid)
                return int(self._control.recv()), ours
            except (OSError, EOFError) as error:
                ours.close()
                raise TemplateGoneError from error

    def close(self) -> None:
        """End the template, and with it the processes that came of it."""
        self._control.close()


def _run(control: Connection, serve: Callable[[Connection], None]) -> None:
    """Fork a process for each connection that comes, until the server is gone; never returns."""
    code = 1
    try:
        end_with_starter()
        _forget_server()
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the ends of the others
        while True:
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


def _forget_server() -> None:
    """Listen no more where the server does; take signals as any process does."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGHUP, signal.SIGABRT):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the server, which ends its processes
    for path in [*Path("/dev/fd").iterdir()]:
        with suppress(OSError):
            if stat.S_ISSOCK(os.fstat(int(path.name)).st_mode):
                _close_listener(int(path.name))


def _close_listener(number: int) -> None:
    found = socket.socket(fileno=number)
    if found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
        found.close()
    else:
        found.detach()
