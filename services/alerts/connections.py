"""Connections of alerts: opened to the first address that accepts, and shut down at a deadline."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress


def connect_first(addresses: Sequence[str], port: int, until: float) -> socket.socket:
    """Connect to the first address that accepts before `until` (of `time.monotonic`), and return
    the socket with the remaining time as its timeout.

    Raises the OSError of the last attempt, TimeoutError if there was no attempt. Each address gets
    an equal share of the remaining time, so that an address that does not respond leaves time for
    the next.
    """
    failed: OSError = TimeoutError()
    for at, address in enumerate(addresses):
        left = until - time.monotonic()
        if left <= 0:
            break
        try:
            connection = socket.create_connection((address, port), left / (len(addresses) - at))
        except OSError as error:
            failed = error
            continue
        # a timeout of 0 would make the socket non-blocking
        connection.settimeout(max(until - time.monotonic(), 0.001))
        return connection
    raise failed


@contextmanager
def shut_down_at_deadline(connection: socket.socket, until: float) -> Iterator[None]:
    """Context in which a connection is shut down at `until` (of `time.monotonic`), even if TLS is
    using it; the connection itself is not closed.

    The timeout of a socket is not sufficient: it restarts with every byte that arrives.
    """
    # Wrapping a socket with TLS detaches it, a duplicate stays valid. It is shut down, not closed:
    # closing a socket that another thread reads a line from waits for the line.
    duplicate = connection.dup()

    def end() -> None:
        with suppress(OSError):
            duplicate.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(max(0.0, until - time.monotonic()), end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        duplicate.close()
