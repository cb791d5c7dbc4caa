"""A POST to a permitted host: connected to an address that was checked, without redirects and proxies, in time."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from services.alerts.addresses import Target, permitted_addresses
from services.alerts.errors import AlertError, SendError


class _Connection(http.client.HTTPConnection):
    """A connection to one of the addresses that were checked; Host and the name of TLS stay those of the target."""

    def __init__(self, target: Target, addresses: Sequence[str], until: float) -> None:
        super().__init__(target.host, target.port)
        self.default_port = 443 if target.scheme == "https" else 80
        self._target, self._addresses, self._until = target, addresses, until

    def connect(self) -> None:
        self.sock = self._connect_first()
        if self._target.scheme == "https":
            context = ssl.create_default_context()
            # The handshake comes after the socket is known here: whoever ends the connection in time needs it.
            name = self._target.host
            secure = context.wrap_socket(self.sock, server_hostname=name, do_handshake_on_connect=False)
            self.sock = secure
            secure.do_handshake()

    def _connect_first(self) -> socket.socket:
        failed: OSError = TimeoutError()
        for address in self._addresses:
            left = self._until - time.monotonic()
            if left <= 0:
                break
            try:
                return socket.create_connection((address, self._target.port), left)
            except OSError as error:
                failed = error
        raise failed


def post(target: Target, hosts: str, body: bytes, headers: Mapping[str, str], timeout_s: float) -> None:
    """Send a body; raises SendError unless a status of 2xx comes within `timeout_s`.

    The address is checked again: a name may resolve to another one than when it was set.
    """
    until = time.monotonic() + timeout_s
    try:
        addresses = permitted_addresses(target, hosts, timeout_s)
    except AlertError as error:
        raise SendError(str(error)) from error
    connection = _Connection(target, addresses, until)
    try:
        with close_at(connection, until):
            connection.request("POST", target.path, body, dict(headers))
            status = connection.getresponse().status
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise SendError(_reason(error, target, is_late=time.monotonic() >= until)) from error
    finally:
        connection.close()
    if not 200 <= status < 300:
        raise SendError(f"{target.place} answered with status {status}")


@contextmanager
def close_at(connection: http.client.HTTPConnection, until: float) -> Iterator[None]:
    """End a connection at a moment: the timeout of a socket begins anew with every byte."""

    def end() -> None:
        sock = connection.sock
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                return

    timer = threading.Timer(max(0.0, until - time.monotonic()), end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _reason(error: Exception, target: Target, *, is_late: bool) -> str:
    if is_late or isinstance(error, TimeoutError):
        return f"{target.place} did not answer in time"
    if isinstance(error, ssl.SSLError):
        return f"TLS with {target.place} failed: {error.reason or 'no connection'}"
    if isinstance(error, OSError) and error.strerror:
        return f"{target.place}: {error.strerror}"
    return f"{target.place} gave no answer of HTTP"
