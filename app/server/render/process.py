"""A render process: runs one request after another with the application that it was forked with."""

from __future__ import annotations

import gc
import logging
import os
import resource
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from multiprocessing.reduction import send_handle
from pathlib import Path
from typing import BinaryIO

from flask import Flask, Response, request

from app.request import errors
from app.request.pieces_ahead import find_ahead
from app.request.time_limit import TimeLimitError, arm_time_limits, limit_processor_time
from app.request.user import set_user
from app.request.visitors import new_visitor
from app.server.render.message import Rendered, RenderTask
from app.server.render.own_memory import OwnMemory, give_back_memory, resident_bytes
from app.server.spool import Spool
from data_loaders.reading.limits import Limits, limit_memory, release_reserve
from storage.byte_cache import Budget
from storage.failures import TEMPORARY_FILES, disk_sentence, is_disk_error
from storage.read_once import reading_once

_LOG = logging.getLogger("tilescope")
_NICE = 5
"""Added to the niceness of the process, so that quick pages go first."""
_SLACK_BYTES = 64 * 2**20
"""Maximum bytes that a process may keep beyond its cache.

They are free memory of the allocator, and objects that no cache counts.
"""
_MAX_REQUESTS = 2000
"""Number of requests after which a process is replaced."""
LOOK_FOR_GARBAGE = (20_000, 20, 20)
"""Thresholds of the garbage collector.

A page creates some hundred thousand objects, and nearly all of them live until it is sent.
"""
View = Callable[..., Response]


class StoppedError(BaseException):
    """The client has hung up.

    It is no Exception, so that handlers of failures let it pass.
    """


@dataclass
class RenderProcess:
    """Serves the requests of a connection.

    `views` are the functions of the routes by endpoint, `cache` holds data between requests. The
    process may use `memory_mb` MiB beyond the size with which it was forked. Of that, the cache
    keeps `page_bytes`, or `file_bytes` for requests of files; the data of the last request may take
    up to `most_bytes`.
    """

    server: Flask
    views: dict[str, View]
    cache: Budget
    page_bytes: int
    file_bytes: int
    most_bytes: int
    memory_mb: int
    _busy: bool = False
    _requests: int = 0
    _held: OwnMemory = field(default_factory=OwnMemory)

    def serve(self, connection: Connection) -> None:
        """Run requests of `connection` until the server closes it or the process must be replaced."""
        self._prepare()
        give_back_memory()  # memory that was free at the fork must not count as growth
        begin = resident_bytes()
        is_last = False
        while not is_last:
            try:
                task = connection.recv()
            except (EOFError, OSError):
                return
            self.cache.begin(self.file_bytes if task.to_file else self.page_bytes, self.most_bytes)
            processor_s = time.process_time()
            rendered, file = self._render(task)
            processor_s = time.process_time() - processor_s
            is_last = self._is_worn(begin)
            held_bytes = self._held.measure()
            connection.send(
                replace(rendered, is_last=is_last, held_bytes=held_bytes, processor_s=processor_s)
            )
            if file is not None:
                with file:
                    file.flush()
                    send_handle(connection, file.fileno(), os.getppid())

    def _prepare(self) -> None:
        limit_memory(Limits(memory_mb=self.memory_mb))
        os.nice(_NICE)
        arm_time_limits()
        gc.freeze()  # the objects of the template never become garbage
        gc.set_threshold(*LOOK_FOR_GARBAGE)
        signal.signal(signal.SIGUSR1, self._stop)

    def _stop(self, _signal: int, _frame: object) -> None:
        """Handle SIGUSR1, which the pool sends when the client hangs up: raise StoppedError if a
        request is running.
        """
        if self._busy:
            raise StoppedError

    def _render(self, task: RenderTask) -> tuple[Rendered, BinaryIO | None]:
        self._requests += 1
        try:
            with self.server.request_context(task.wsgi_environ()):
                set_user(task.user)
                self._busy = True
                try:
                    # What changes rows stays in the server.
                    with limit_processor_time(task.processor_s), reading_once():
                        response = self._response()
                        return _take_response(response, to_file=task.to_file)
                finally:
                    self._busy = False
        except TimeLimitError:
            return Rendered(refusal=_too_long(task.processor_s)), None
        except StoppedError:
            return Rendered(stopped=True), None
        except OSError as error:
            if not is_disk_error(error):
                raise
            _LOG.error("%s: %s", task.environ.get("PATH_INFO"), error)
            return Rendered(refusal=disk_sentence(error, TEMPORARY_FILES)), None
        except MemoryError:
            release_reserve()
            _LOG.warning("a request needed more than %d MiB", self.memory_mb)
            return Rendered(
                refusal=f"The request needs more than the {self.memory_mb} MiB that a page may use."
            ), None

    def _response(self) -> Response:
        try:
            return self.server.make_response(
                self.views[str(request.endpoint)](**(request.view_args or {}))
            )
        except MemoryError:
            raise
        except Exception as error:
            return self.server.make_response(self.server.handle_user_exception(error))

    def _is_worn(self, begin: int) -> bool:
        """Whether the process must be replaced: too large, too many requests (_MAX_REQUESTS,
        2,000), or too little address space.

        `begin` is its resident size at the start, in bytes. It drops its cache before that.
        """
        most = begin + max(self.cache.limit_bytes, self.cache.held_bytes) + _SLACK_BYTES
        if resident_bytes() > most:
            gc.collect()
            give_back_memory()
        if resident_bytes() > most:
            self.cache.clear()
            gc.collect()
            give_back_memory()
        return resident_bytes() > most or self._requests >= _MAX_REQUESTS or _is_at_limit()


def _take_response(response: Response, *, to_file: bool) -> tuple[Rendered, BinaryIO | None]:
    """Read a response completely and return (message, None), or (message without body, file with
    the body) if `to_file` and the status is 200.
    """
    headers = tuple(response.headers.to_wsgi_list())
    rendered = Rendered(
        response.status_code,
        headers,
        failed=errors.has_failed(),
        visitor=new_visitor(),
        ahead=find_ahead(),
    )
    if not to_file or response.status_code != 200:
        response.direct_passthrough = False
        return replace(rendered, body=response.get_data()), None
    spool = Spool()
    with response:
        for part in response.get_app_iter(request.environ):
            spool.write(part)
    return replace(rendered, in_file=True), spool.file


def _too_long(seconds: float) -> str:
    return f"The request took more than {seconds:g} s of processor time and was stopped: select less data."


def _is_at_limit() -> bool:
    """Whether less than _SLACK_BYTES (64 MiB) of the limit of address space are left: the next
    request would fail.
    """
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    used = (
        int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        * resource.getpagesize()
    )
    return used + _SLACK_BYTES > soft
