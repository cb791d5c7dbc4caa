"""Ports for servers that need a number instead of a socket."""

import fcntl
import os
import socket
import tempfile
from pathlib import Path

_FIRST, _LAST = 20_000, 32_000
"""Linux uses ports from 32,768 on for outgoing connections and port 0, so these are never chosen by
chance.
"""
_LOCKS = Path(tempfile.gettempdir()) / f"tilescope-ports-{os.getuid()}"
_own = {"file": None, "ports": set()}


def free_port():
    """Return a free port of this machine that no other test process gets meanwhile.

    A lock on a byte of a file reserves it until this process ends.
    """
    if _own["file"] is None:
        _own["file"] = os.open(_LOCKS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    count = _LAST - _FIRST
    start = os.getpid() * 61 % count
    for rank in range(count):
        port = _FIRST + (start + rank) % count
        if port not in _own["ports"] and _is_locked(port) and _is_free(port):
            _own["ports"].add(port)
            return port
    raise OSError("no port is free")


def _is_locked(port):
    try:
        fcntl.lockf(_own["file"], fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    return True


def _is_free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
