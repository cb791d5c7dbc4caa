"""Locks for the processes and threads of a machine, as files of a folder."""

from __future__ import annotations

import fcntl
import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_LOOK_S = 0.02
"""Seconds between two attempts to lock a file."""


@contextmanager
def hold_lock(
    folder: Path, name: str, locks: int, max_wait_s: float | None = None
) -> Iterator[bool]:
    """Context in which no other process or thread holds the lock for `name`; its value is whether
    that is so.

    The folder has at most `locks` files, so that a few names share a lock. The system releases the
    lock of a process that ends. After `max_wait_s` seconds the context begins without the lock (at
    0 it does not wait).
    Raises OSError if the folder cannot be written.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Not `hash`, which differs between processes.
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4]) % locks
    with (folder / f"{number:02x}").open("ab") as file:
        if max_wait_s is None:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield True
        else:
            yield _try_until(file, time.monotonic() + max_wait_s)


def _try_until(file: BinaryIO, until: float) -> bool:
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(_LOOK_S)
        else:
            return True
