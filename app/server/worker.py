"""Gunicorn worker with connections of waitress, so that slow clients hold no thread."""

from __future__ import annotations

import logging
import os
import resource
import socket
import time
from collections.abc import Callable, Iterable
from typing import Any

from gunicorn.workers.base import Worker
from waitress.task import ThreadedTaskDispatcher

from app.config.settings import Settings
from app.server.connections import Listener
from app.server.event_loop import EventLoop
from app.server.render.lanes import MAX_WAITING
from app.server.render.own_memory import resident_bytes

_MAX_FILES = 2**14
"""Maximum number of open files of a process: connections, and files with large responses."""
_MAX_LEAK_BYTES = 256 * 2**20
"""Growth of a process beyond its caches, with which it is replaced."""
_LOOK_S = 1
"""Maximum seconds of a turn of the loop without any event."""


# gunicorn's own gthread reads header and body in a thread without a time limit: eight half requests
# stopped `/health` for good (docs/architecture.md, Connections).
class BufferingWorker(Worker):  # type: ignore[misc]
    """A worker process: a loop that receives and sends, and threads that compute the responses."""

    alive: bool
    _notified_at = 0.0
    _begin_bytes = 0

    def run(self) -> None:
        """Serve until the parent process requests an end or has died.

        Then running requests are finished, within `graceful_timeout`.
        """
        _allow_many_files()
        self._begin_bytes = resident_bytes()
        # It warns whenever a request waits for a thread.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        threads = ThreadedTaskDispatcher()
        slow = ThreadedTaskDispatcher()
        threads.set_thread_count(self.cfg.threads)
        slow.set_thread_count(self._slow_threads())
        loop = EventLoop()
        self._servers = [
            self._server(listener.sock, loop, threads, slow) for listener in self.sockets
        ]
        while self.alive and self.ppid == os.getppid():
            self._turn(loop)
        self._finish(loop)
        threads.shutdown()
        slow.shutdown()

    @property
    def _max_growth_bytes(self) -> int:
        """Bytes that the process may grow: _MAX_LEAK_BYTES (256 MiB) beyond its caches. Without
        render processes it caches frames too.
        """
        settings: Settings = self.app.settings
        cache_mb = 0 if settings.render_processes else settings.cache_mb
        return _MAX_LEAK_BYTES + (settings.answers_mb + cache_mb) * 2**20

    def _slow_threads(self) -> int:
        """Return the number of threads that wait for render processes: MAX_WAITING (128).

        Without these processes it is the number of threads, which compute responses themselves.
        """
        return MAX_WAITING if self.app.settings.render_processes else self.cfg.threads

    def handle_exit(self, sig: int, frame: object) -> None:
        """Request the end; wakes the loop, which may be waiting for events."""
        super().handle_exit(sig, frame)
        self._wake()

    def _wake(self) -> None:
        for server in getattr(self, "_servers", ()):
            server.pull_trigger()

    def _server(
        self,
        listener: socket.socket,
        loop: EventLoop,
        threads: ThreadedTaskDispatcher,
        slow: ThreadedTaskDispatcher,
    ) -> Listener:
        info = (listener.family, listener.type, listener.proto, listener.getsockname())
        options = {"_sock": listener, "dispatcher": threads, "sockinfo": info, "bind_socket": False}
        return Listener(
            self.app.settings,
            self._count_request,
            loop.connections,
            slow=slow,
            is_slow=self.app.lanes.is_slow,
            **options,
        )

    def _turn(self, loop: EventLoop) -> None:
        # Not at every turn: a heartbeat takes four system calls, a turn may handle a few bytes.
        if time.monotonic() - self._notified_at > _LOOK_S / 2:
            self.notify()
            self._notified_at = time.monotonic()
        loop.turn(_LOOK_S)

    def _finish(self, loop: EventLoop) -> None:
        """Accept no more connections, and finish running requests within `graceful_timeout`
        seconds.
        """
        for server in self._servers:
            server.stop()
        until = time.monotonic() + self.cfg.graceful_timeout
        while any(server.is_busy for server in self._servers) and time.monotonic() < until:
            self._turn(loop)

    def _count_request(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        """Handle a request and return its body; after each `max_requests`, the process ends if it
        has grown too much, and gunicorn replaces it.
        """
        self.nr += 1
        if self.nr >= self.max_requests and self.alive:
            self.max_requests += self.cfg.max_requests
            # A new process has cold caches and new render processes, and requests wait for it.
            if resident_bytes() - self._begin_bytes > self._max_growth_bytes:
                self.alive = False
                self._wake()
        body: Iterable[bytes] = self.wsgi(environ, start_response)
        return body


def _allow_many_files() -> None:
    """Raise the limit of open files to _MAX_FILES (16,384) or as far as allowed: each connection is
    a file, and so is each large response.
    """
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(
        resource.RLIMIT_NOFILE, (min(limit, _MAX_FILES) if limit >= 0 else _MAX_FILES, limit)
    )
