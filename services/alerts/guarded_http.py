"""Requests to permitted hosts: to a checked address, without redirects and proxies, within
limited time.
"""

from __future__ import annotations

import http.client
import socket
import ssl
import time
from collections.abc import Mapping
from contextlib import closing
from typing import NamedTuple

from schema.byte_text import size_text
from services.alerts.addresses import Target, permitted_addresses
from services.alerts.connections import connect_first, shut_down_at_deadline
from services.alerts.errors import AlertError, SendError


class _Connection(http.client.HTTPConnection):
    """HTTP on an existing connection.

    The Host header and the name for TLS are taken from the target.
    """

    def __init__(self, target: Target, line: socket.socket) -> None:
        super().__init__(target.host, target.port)
        # http.client leaves a default port out of the Host header
        self.default_port = 443 if target.scheme == "https" else 80
        self._target = target
        self._line = line

    def connect(self) -> None:
        """Use the existing connection; encrypt it if the target's scheme is https."""
        self.sock = self._line
        if self._target.scheme == "https":
            self.sock = ssl.create_default_context().wrap_socket(
                self._line, server_hostname=self._target.host
            )


class Response(NamedTuple):
    """Response of a server, whatever its status; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def post(
    target: Target, hosts: str, body: bytes, headers: Mapping[str, str], timeout_s: float
) -> None:
    """Send a body. Raises SendError unless the response has status 2xx within `timeout_s`, also if
    the host is not permitted.
    """
    response = request("POST", target, hosts, body=body, headers=headers, timeout_s=timeout_s)
    if not 200 <= response.status < 300:
        raise SendError(f"{target.place} returned status {response.status}")


def request(
    method: str,
    target: Target,
    hosts: str,
    *,
    body: bytes,
    headers: Mapping[str, str],
    timeout_s: float,
    max_bytes: int = 0,
) -> Response:
    """Send a request and return the response; its body is not read if `max_bytes` is 0.

    Raises SendError if there is no response within `timeout_s`, if its body has more than
    `max_bytes` bytes, or if the host is not permitted. The address is checked again for each
    attempt: a name can resolve to other addresses than when the alert was set.
    """
    until = time.monotonic() + timeout_s
    try:
        addresses = permitted_addresses(target, hosts, timeout_s)
    except AlertError as error:
        raise SendError(str(error)) from error
    try:
        with (
            connect_first(addresses, target.port, until) as line,
            shut_down_at_deadline(line, until),
        ):
            # http.client follows no redirects and uses no proxy, so no other host can be reached
            connection = _Connection(target, line)
            with closing(connection):
                connection.request(method, target.path, body, dict(headers))
                response = _read(connection.getresponse(), max_bytes)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise SendError(_reason(error, target, is_late=time.monotonic() >= until)) from error
    if max_bytes and len(response.body) > max_bytes:
        raise SendError(f"{target.place} returned more than {size_text(max_bytes)}")
    return response


def _read(response: http.client.HTTPResponse, max_bytes: int) -> Response:
    headers = {name.lower(): value for name, value in response.getheaders()}
    # A byte more than permitted shows that the body is too long.
    body = response.read(max_bytes + 1) if max_bytes else b""
    if max_bytes and len(body) <= max_bytes and response.length:
        # `read` with a size does not report that the connection ended early.
        raise http.client.IncompleteRead(body)
    return Response(response.status, headers, body)


def _reason(error: Exception, target: Target, *, is_late: bool) -> str:
    if is_late or isinstance(error, TimeoutError):
        return f"{target.place} did not respond in time"
    if isinstance(error, ssl.SSLError):
        return f"TLS with {target.place} failed: {error.reason or 'no connection'}"
    if isinstance(error, OSError) and error.strerror:
        return f"{target.place}: {error.strerror}"
    return f"{target.place} did not return an HTTP response"
