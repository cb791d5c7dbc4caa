"""Connections by waitress with limits: a slow client takes no thread.

A request is handed to a thread once it has been received completely, and the thread is free again
before the response has been sent.
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
from app.server.limits import CALLBACK_LIMIT, HEADER_LIMIT
from app.server.render.lanes import HEALTH, IS_SLOW, LOOK_BYTES
from app.server.request_parser import Parser, Refusal
from app.server.spool import unsent_buffer

MAX_CONNECTIONS = 500
"""Maximum number of connections of a process.

A new connection replaces the connection that was idle for longest.
"""
UPLOADS_AT_ONCE = 8
"""Maximum number of uploads that a client may send to a process at the same time."""
MIN_BYTES_PER_S = 2**14
"""Minimum rate of a client after the first `client_timeout_s` seconds, in bytes per second."""
_LINGER_S = 5
"""Seconds for which the rest of a refused request is received and dropped.

If the connection closed immediately, the client would get a reset instead of the response.
"""
LooksSlow = Callable[[str, str, bytes], bool]
"""Whether a request may take long, by its method, path and the first bytes of its body."""
_NEVER = 2**62
"""High-water mark in bytes that no response reaches.

A thread hands over its whole response and never waits for a client; responses above 1 MiB are kept
in a file.
"""
_MIN_FILE_BYTES = 2**20
"""Parts of a response above this number of bytes are kept in a file."""
_MAX_UNSENT_BYTES = 2**26
"""Maximum bytes of unsent responses in the memory of a process, if the disk of TMPDIR is full."""


def adjustments(settings: Settings, body_limit: int) -> Adjustments:
    """Return the options of waitress for these settings.

    `body_limit` is the maximum size of a request body in bytes.
    """
    return Adjustments(
        threads=settings.threads,
        ident=None,
        recv_bytes=2**18,
        outbuf_high_watermark=_NEVER,
        outbuf_overflow=_NEVER,  # `Channel.write_soon` writes files: waitress loops on a full disk
        backlog=2**12,  # a client retries after a second if it is full
        connection_limit=2 * MAX_CONNECTIONS,
        channel_timeout=settings.client_timeout_s,
        channel_request_lookahead=1,  # notices a client that hangs up before its response
        cleanup_interval=1,
        max_request_header_size=HEADER_LIMIT,
        max_request_body_size=body_limit + 1,
        log_socket_errors=False,
        clear_untrusted_proxy_headers=False,  # app/server/access/proxies.py decides, by address
    )


class _Task(WSGITask):  # type: ignore[misc]
    """Call of the WSGI application; the environment records which group of threads runs it."""

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        environ[IS_SLOW] = self.channel.is_slow
        return environ


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection: idle, receiving a request, computing its response, or sending the response.

    `is_slow` is True if the current request runs on the threads for requests that may take long.
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
        self._is_serving = False
        self._is_receiving = False
        self._asks_health = False

    def parser_class(self, _adj: Adjustments) -> Parser:
        """Create a parser for the next request; waitress calls this attribute like a class."""
        return Parser(self)

    def received(self, data: bytes) -> bool:
        """Receive bytes of a request; the client's time limit starts when the first of them
        arrives.

        Returns whether they were used; False when the connection lingers, so that they are dropped.
        """
        if self._lingers:
            return False
        if self.request is None:
            self._since = time.time()
        self._is_receiving = True
        taken: bool = super().received(data)
        self._is_receiving = False
        if self._asks_health:
            self._asks_health = False
            self.service()
        return taken

    def queue_request(self) -> None:
        """Queue the current request on the threads for slow or for quick requests, as `is_slow` of
        the listener decides.

        `GET /healthz` is answered on the loop's thread, so that it works while all threads are
        busy.
        """
        request = self.requests[0]
        is_plain = request.error is None
        if self._is_receiving and is_plain and request.path == HEALTH and request.command == "GET":
            self._asks_health = True  # `received` holds a lock that `service` needs
            return
        is_slow = self.server.is_slow
        self.is_slow = bool(
            is_plain and is_slow(request.command, request.path, _body_start(request))
        )
        (self.server.slow if self.is_slow else self.server.task_dispatcher).add_task(self)

    def write_soon(self, data: Any) -> int:  # noqa: ANN401 - bytes, or a file of waitress
        """Accept a part of a response, and return its length as waitress does.

        A part over 1 MiB goes to a file, so that a slow client takes no memory.
        """
        if isinstance(data, bytes) and len(data) > _MIN_FILE_BYTES:
            # Iterate over a copy: the loop adds and removes connections while this thread runs.
            unsent = sum(
                channel.total_outbufs_len for channel in [*self.server.active_channels.values()]
            )
            data = unsent_buffer(data, may_keep=unsent + len(data) <= _MAX_UNSENT_BYTES)
        taken: int = super().write_soon(data)
        return taken

    def may_upload(self, client: str) -> bool:
        """Whether a client (address) has at most UPLOADS_AT_ONCE (8) unfinished uploads in this
        process, including this upload.
        """
        channels = self.server.active_channels.values()
        parsers: list[Parser | None] = [channel.request for channel in channels]
        uploads = 0
        for parser in parsers:
            if parser is not None and parser.client == client and parser.is_upload_on_its_way:
                uploads += 1
        return uploads <= UPLOADS_AT_ONCE

    def service(self) -> None:
        """Compute the response on a thread; the time limit for sending it starts afterwards."""
        self._is_serving = True
        super().service()
        self._since = time.time()
        self._to_send = self.total_outbufs_len
        self._is_serving = False

    def linger(self) -> None:
        """After the response is sent, keep the connection until the client closes its side.

        The client may still be sending its request.
        """
        self._lingers = False

    def handle_close(self) -> None:
        """Close the connection, or at first only its sending side if data of the client may still
        arrive.
        """
        if self._lingers is not False or not self.connected:
            super().handle_close()
            return
        self._lingers = True
        self._since = time.time()
        self.will_close = False
        self.close_when_flushed = False
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)

    @property
    def is_idle(self) -> bool:
        """Whether no request is computed, no response is sent, and the connection stays open."""
        is_closing = self.will_close or self.close_when_flushed
        is_busy = self.requests or self._is_serving or self.total_outbufs_len
        return not (is_busy or is_closing)

    def settle(self) -> bool:
        """Return whether the connection is idle, and so need not be polled until its next event.

        An idle connection moves to the end of `active_channels`: when a process has too many
        connections, it closes the first.
        """
        if not self.is_idle:
            return False
        channels = self.server.active_channels
        channels[self._fileno] = channels.pop(self._fileno)
        return True

    def close_soon(self) -> None:
        """Close the connection at the next turn of the loop."""
        self.will_close = True
        self.add_channel()  # registers it like a new connection, so that the loop polls it

    def is_overdue(self, now: float) -> bool:
        """Whether the client took too long; `now` is in seconds as of `time.time`.

        Its time is limited between requests, while it sends a request, and while it receives a
        response: `client_timeout_s`, and a second more for each 16 KiB. False while the server
        computes.
        """
        if self.requests or self._is_serving:
            return False
        if self._lingers:
            return now - self._since > _LINGER_S
        if self.total_outbufs_len:
            return self._is_slow(now, self._to_send - self.total_outbufs_len)
        if self.request is not None:
            return self._is_slow(now, self.request.body_bytes_received)
        return now - float(self.last_activity) > float(self.adj.channel_timeout)

    def _is_slow(self, now: float, moved: int) -> bool:
        return now - self._since > float(self.adj.channel_timeout) + moved / MIN_BYTES_PER_S


def _body_start(request: HTTPRequestParser) -> bytes:
    body = request.get_body_stream()
    begin: bytes = body.read(LOOK_BYTES)
    body.seek(0)
    return begin


class Listener(TcpWSGIServer):  # type: ignore[misc]
    """The listening socket: closes overdue connections and makes room for new connections.

    `slow` are the threads for requests that may take long, `is_slow` decides which requests these
    are. `active_channels` holds the connections in the order of their last activity.
    """

    channel_class = Channel

    def __init__(
        self,
        settings: Settings,
        *args: object,
        slow: ThreadedTaskDispatcher,
        is_slow: LooksSlow,
        **named: object,
    ) -> None:
        self.slow = slow
        self.is_slow = is_slow
        self.small = adjustments(settings, CALLBACK_LIMIT)
        self.look = FirstLook.by(settings)
        super().__init__(*args, adj=adjustments(settings, settings.max_upload_mb * 2**20), **named)

    @property
    def is_busy(self) -> bool:
        """Whether a connection of the process has an unfinished request or an unsent response."""
        return any(
            c.request or c.requests or c.total_outbufs_len for c in self.active_channels.values()
        )

    def stop(self) -> None:
        """Accept no more connections; the existing connections continue."""
        self.accepting = False
        self.del_channel()

    def add_task(self, task: Channel) -> None:
        """Queue the request of a connection; waitress calls this when a request is complete."""
        task.queue_request()

    def maintenance(self, now: float) -> None:
        """Close connections whose client was too slow; waitress calls this every second."""
        for channel in list(self.active_channels.values()):
            if channel.is_overdue(now):
                channel.close_soon()

    def handle_accept(self) -> None:
        """Accept a connection.

        If there are more than MAX_CONNECTIONS (500), close the connection that was idle for
        longest; if none is idle, the one that has received its response for longest.
        """
        super().handle_accept()
        if len(self.active_channels) <= MAX_CONNECTIONS:
            return
        channels = [*self.active_channels.values()][:-1]  # the last is the new connection
        ended = next((channel for channel in channels if channel.is_idle), None) or next(
            (channel for channel in channels if not channel.requests), None
        )
        if ended is not None:
            ended.handle_close()
