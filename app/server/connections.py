"""What a connection may cost: waitress, which waits for slow clients without a thread, with limits of its own.

A request reaches a thread when all of it is there, and an answer leaves the thread before it is sent.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer
from waitress.task import ThreadedTaskDispatcher, WSGITask

from app.config.settings import Settings
from app.server.access.first_look import FirstLook
from app.server.incoming import Parser, Refusal
from app.server.limits import CALLBACK_LIMIT, HEADER_LIMIT
from app.server.render.lanes import HEALTH, IS_SLOW, LOOK_BYTES
from app.server.spool import unsent_buffer

MOST_CONNECTIONS = 500
"""Connections of a process; a new one takes the place of the one that has been still for longest."""
UPLOADS_AT_ONCE = 8
"""Uploads that one client may be sending to a process at once."""
LEAST_BYTES_PER_S = 2**14
"""What a client must send or take for each second beyond the setting `client_timeout_s`."""
_LINGER_S = 5
"""Seconds for which the rest of a refused request is thrown away: to close at once would destroy the answer."""
LooksSlow = Callable[[str, str, bytes], bool]
"""Whether a request may take long, by method, path and the begin of its body."""
_NEVER = 2**62
"""A thread hands over its whole response, kept in a file beyond a MiB: it never waits for a client."""
_MIN_FILE_BYTES = 2**20
_MAX_UNSENT_BYTES = 2**26
"""Bytes of responses that a process keeps in memory for clients that have not taken them, if TMPDIR is full."""


def adjustments(settings: Settings, body_limit: int) -> Adjustments:
    """Return the options of waitress; `body_limit` is in bytes."""
    return Adjustments(
        threads=settings.threads,
        ident=None,
        recv_bytes=2**18,
        outbuf_high_watermark=_NEVER,
        outbuf_overflow=_NEVER,  # `Channel.write_soon` writes the files, since waitress loops if a disk is full
        backlog=2**12,  # a client that finds it full tries again after a second
        connection_limit=2 * MOST_CONNECTIONS,
        channel_timeout=settings.client_timeout_s,
        channel_request_lookahead=1,  # who hangs up while an answer is made is noticed
        cleanup_interval=1,
        max_request_header_size=HEADER_LIMIT,
        max_request_body_size=body_limit + 1,
        log_socket_errors=False,
        clear_untrusted_proxy_headers=False,  # app/server/access/proxies.py decides, by address
    )


class _Task(WSGITask):  # type: ignore[misc]
    """The answer of the application, which is told on which threads it is made."""

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        environ[IS_SLOW] = self.channel.is_slow
        return environ


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection: idle, sending a request, waiting for its answer, or receiving it.

    `is_slow`: the request at hand is answered on the threads of those that may take long.
    """

    task_class = _Task
    error_task_class = Refusal
    server: Listener
    is_slow = False

    def __init__(self, *args: object, **named: object) -> None:
        super().__init__(*args, **named)
        self._since = time.time()
        self._to_send = 0
        self._lingers: bool | None = None
        self._answers = False
        self._receives = False
        self._asks_health = False

    def parser_class(self, _adj: Adjustments) -> Parser:
        """Return a parser for the next request."""
        return Parser(self)

    def received(self, data: bytes) -> bool:
        """Take bytes of a request; its time begins with the first of them."""
        if self._lingers:
            return False
        if self.request is None:
            self._since = time.time()
        self._receives = True
        taken: bool = super().received(data)
        self._receives = False
        if self._asks_health:
            self._asks_health = False
            self.service()
        return taken

    def begin_answer(self) -> None:
        """Have the request at hand answered: health here and now, whatever keeps the threads busy."""
        request = self.requests[0]
        is_plain = request.error is None
        if self._receives and is_plain and request.path == HEALTH and request.command == "GET":
            self._asks_health = True  # to answer here would wait for a lock that is held
            return
        is_slow = self.server.is_slow
        self.is_slow = bool(is_plain and is_slow(request.command, request.path, _begin_of_body(request)))
        (self.server.slow if self.is_slow else self.server.task_dispatcher).add_task(self)

    def write_soon(self, data: Any) -> int:  # noqa: ANN401 - bytes, or a file of waitress
        """Hand over a part of a response; a large part goes to a file, so that a slow client takes no memory."""
        if isinstance(data, bytes) and len(data) > _MIN_FILE_BYTES:
            unsent = sum(channel.total_outbufs_len for channel in [*self.server.active_channels.values()])
            data = unsent_buffer(data, may_keep=unsent + len(data) <= _MAX_UNSENT_BYTES)
        taken: int = super().write_soon(data)
        return taken

    def may_upload(self, client: str) -> bool:
        """Return whether a client may send one more upload."""
        sent: list[Parser | None] = [channel.request for channel in self.server.active_channels.values()]
        on_their_way = [r for r in sent if r is not None and r.client == client and r.is_upload_on_its_way]
        return len(on_their_way) <= UPLOADS_AT_ONCE

    def service(self) -> None:
        """Answer a request, in a thread; then the time of the answer's way begins."""
        self._answers = True
        super().service()
        self._since, self._to_send = time.time(), self.total_outbufs_len
        self._answers = False

    def linger(self) -> None:
        """Close, once the answer is sent, only when the client has seen it: it may still be sending."""
        self._lingers = False

    def handle_close(self) -> None:
        """Close the connection, or begin to wait for the client to do so."""
        if self._lingers is not False or not self.connected:
            super().handle_close()
            return
        self._lingers, self._since = True, time.time()
        self.will_close = self.close_when_flushed = False
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)

    def settle(self) -> bool:
        """Return whether this connection waits for its client only; then the others give way before it."""
        is_busy = self.requests or self._answers or self.total_outbufs_len or self.will_close or self.close_when_flushed
        if not is_busy:
            channels = self.server.active_channels
            channels[self._fileno] = channels.pop(self._fileno)
        return not is_busy

    def close_soon(self) -> None:
        """Close the connection at the next turn of the loop."""
        self.will_close = True
        self.add_channel()  # as if it were new: the loop asks it again

    def is_overdue(self, now: float) -> bool:
        """Return whether the client took too long: to ask again, to send all of a request or to take an answer."""
        if self.requests or self._answers:
            return False
        if self._lingers:
            return now - self._since > _LINGER_S
        if self.total_outbufs_len:
            return self._is_slow(now, self._to_send - self.total_outbufs_len)
        if self.request is not None:
            return self._is_slow(now, self.request.body_bytes_received)
        return now - float(self.last_activity) > float(self.adj.channel_timeout)

    def _is_slow(self, now: float, moved: int) -> bool:
        return now - self._since > float(self.adj.channel_timeout) + moved / LEAST_BYTES_PER_S


def _begin_of_body(request: HTTPRequestParser) -> bytes:
    body = request.get_body_stream()
    begin: bytes = body.read(LOOK_BYTES)
    body.seek(0)
    return begin


class Listener(TcpWSGIServer):  # type: ignore[misc]
    """The end that listens: closes what is overdue and makes room for what is new.

    `slow` are the threads of requests that may take long; `is_slow` tells these. `active_channels` has the connections
    in the order in which they were last active.
    """

    channel_class = Channel

    def __init__(
        self, settings: Settings, *args: object, slow: ThreadedTaskDispatcher, is_slow: LooksSlow, **named: object
    ) -> None:
        self.slow, self.is_slow = slow, is_slow
        self.small = adjustments(settings, CALLBACK_LIMIT)
        self.look = FirstLook.by(settings)
        super().__init__(*args, adj=adjustments(settings, settings.max_upload_mb * 2**20), **named)

    @property
    def is_busy(self) -> bool:
        """Return whether a request or an answer is on its way."""
        return any(c.request or c.requests or c.total_outbufs_len for c in self.active_channels.values())

    def stop(self) -> None:
        """Accept no more connections."""
        self.accepting = False
        self.del_channel()

    def add_task(self, task: Channel) -> None:
        """Have a request answered."""
        task.begin_answer()

    def maintenance(self, now: float) -> None:
        """Close connections whose client took too long."""
        for channel in list(self.active_channels.values()):
            if channel.is_overdue(now):
                channel.close_soon()

    def handle_accept(self) -> None:
        """Take a connection; if there are too many, close the one that was idle for longest."""
        super().handle_accept()
        if len(self.active_channels) > MOST_CONNECTIONS:
            idle = next((channel for channel in self.active_channels.values() if not channel.requests), None)
            if idle is not None:
                idle.handle_close()
