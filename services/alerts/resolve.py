"""Resolution of host names in limited time with a limited number of threads."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from services.alerts.errors import AlertError


@dataclass
class _Lookup:
    """A look-up in progress; `addresses` is valid when `is_done` is set."""

    addresses: Sequence[str] = ()
    is_done: threading.Event = field(default_factory=threading.Event)


_RUNNING: dict[tuple[str, int], _Lookup] = {}
"""Look-ups in progress by name and port; guarded by `_LOCK`."""
_LOCK = threading.Lock()


def resolve_name(name: str, port: int, within_s: float) -> Sequence[str]:
    """Return the IP addresses of a name as texts; empty if it has none or the look-up fails.

    Raises AlertError if the look-up takes longer than `within_s` seconds.
    """
    lookup = _lookup(name, port)
    if not lookup.is_done.wait(within_s):
        raise AlertError(f"the name {name} was not resolved in time")
    return lookup.addresses


def _lookup(name: str, port: int) -> _Lookup:
    """Return the running look-up of a name; if there is none, begin it."""
    # The system's resolver has no timeout, so its thread may outlive the attempt. All attempts for
    # a name share one thread: if each began its own, a resolver that hangs would collect threads.
    with _LOCK:
        lookup = _RUNNING.get((name, port))
        if lookup is None:
            lookup = _Lookup()
            # The thread waits for _LOCK before it removes the entry, which is made only if the
            # thread could start.
            threading.Thread(
                target=_resolve, args=(name, port, lookup), name="resolve", daemon=True
            ).start()
            _RUNNING[name, port] = lookup
        return lookup


def _resolve(name: str, port: int, lookup: _Lookup) -> None:
    try:
        rows = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
        lookup.addresses = [str(row[4][0]).partition("%")[0] for row in rows]
    except (OSError, UnicodeError):
        lookup.addresses = ()
    finally:
        with _LOCK:
            del _RUNNING[name, port]
        lookup.is_done.set()
