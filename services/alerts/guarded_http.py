"""POST to a permitted host: to an address that was checked, without redirects and proxies, in limited time."""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import closing

from services.alerts.addresses import Target, permitted_addresses
from services.alerts.connections import connect_first, ended_at
from services.alerts.errors import AlertError, SendError


class _Connection(http.client.HTTPConnection):
    """HTTP on a connection that exists already; Host and the name of TLS are those of the target."""

    def __init__(self, target: Target, line: socket.socket) -> None:
        super().__init__(target.host, target.port)
        self.default_port = 443 if target.scheme == "https" else 80
        self._target = target
        self._line = line

    def connect(self) -> None:
        """Encrypt the connection if the target asks for TLS."""
        self.sock = self._line
        if self._target.scheme == "https":
            self.sock = ssl.create_default_context().wrap_socket(self._line, server_hostname=self._target.host)


def post(target: Target, hosts: str, body: bytes, headers: Mapping[str, str], timeout_s: float) -> None:
    """Send a body; raises SendError unless the whole attempt ends with a status of 2xx within `timeout_s`.

    The address is checked again: a name may resolve to another one than when it was set.
    """
    until = time.monotonic() + timeout_s
    try:
        addresses = permitted_addresses(target, hosts, timeout_s)
    except AlertError as error:
        raise SendError(str(error)) from error
    try:
        with connect_first(addresses, target.port, until) as line, ended_at(line, until):
            status = _post_status(_Connection(target, line), target.path, body, headers)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise SendError(_reason(error, target, is_late=time.monotonic() >= until)) from error
    if not 200 <= status < 300:
        raise SendError(f"{target.place} answered with status {status}")


def _post_status(connection: _Connection, path: str, body: bytes, headers: Mapping[str, str]) -> int:
    with closing(connection):
        connection.request("POST", path, body, dict(headers))
        return connection.getresponse().status


def _reason(error: Exception, target: Target, *, is_late: bool) -> str:
    if is_late or isinstance(error, TimeoutError):
        return f"{target.place} did not answer in time"
    if isinstance(error, ssl.SSLError):
        return f"TLS with {target.place} failed: {error.reason or 'no connection'}"
    if isinstance(error, OSError) and error.strerror:
        return f"{target.place}: {error.strerror}"
    return f"{target.place} gave no answer of HTTP"
