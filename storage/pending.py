"""Prefixes that no run owns: who writes under them, and what to do with those whose writer is gone."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from storage.catalogue import Catalogue, Pending
from storage.errors import StorageError
from storage.frame_store import FrameStore

STALE_AFTER_S = 15 * 60.0
"""Seconds without a sign of life after which an ingest whose process cannot be looked at (another host's) is dead."""
_BEAT_S = 15.0

_LOG = logging.getLogger(__name__)


def reservation(run_id: str) -> Pending:
    """Return a prefix of its own for an attempt of this process to write a run."""
    return garbage(f"{run_id}/{secrets.token_hex(8)}")


def garbage(prefix: str) -> Pending:
    """Return the prefix as one that this process is about to remove."""
    return Pending(prefix, own_host(), own_process())


def discard(catalogue: Catalogue, store: FrameStore, prefix: str) -> None:
    """Remove a pending prefix, files first: if that is cut short, the next sweep goes on."""
    store.remove(prefix)
    catalogue.forget(prefix)


def tidy(catalogue: Catalogue, store: FrameStore, prefix: str) -> None:
    """Remove a pending prefix that nothing waits for; where the storage fails, the next sweep tries again."""
    try:
        discard(catalogue, store, prefix)
    except StorageError as error:
        _LOG.warning("%s could not be removed: %s", prefix, error)


def sweep(catalogue: Catalogue, store: FrameStore, stale_after_s: float = STALE_AFTER_S) -> None:
    """Remove what dead processes left behind; an ingest in progress, here or elsewhere, is left alone."""
    for pending in catalogue.pending():
        if is_abandoned(pending, stale_after_s):
            _LOG.info("removing %s, left behind by process %s on %s", pending.prefix, pending.process, pending.host)
            tidy(catalogue, store, pending.prefix)


def is_abandoned(pending: Pending, stale_after_s: float) -> bool:
    """Return whether the process is known to be gone, or cannot be asked and was quiet for `stale_after_s`."""
    if pending.host == own_host():
        pid = int(pending.process.partition(":")[0] or 0)
        return process_identity(pid) != pending.process
    return pending.quiet_s > stale_after_s


@contextmanager
def alive(catalogue: Catalogue) -> Iterator[None]:
    """Give signs of life for the prefixes of this process, on a thread, until the block ends."""
    ended = threading.Event()
    thread = threading.Thread(target=_beat, args=(catalogue, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()


def _beat(catalogue: Catalogue, ended: threading.Event) -> None:
    while not ended.wait(_BEAT_S):
        try:
            catalogue.beat(own_host(), own_process())
        except StorageError as error:
            _LOG.warning("the heartbeat could not be written: %s", error)


def own_process() -> str:
    """Return the name of this process."""
    return process_identity(os.getpid()) or ""


def own_host() -> str:
    """Return a name for where process numbers mean the same: containers may share a host name but not their numbers."""
    try:
        return f"{socket.gethostname()} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return socket.gethostname()


def process_identity(pid: int) -> str | None:
    """Return a name for the running process that outlives the reuse of its number; None where it is gone."""
    stat = Path(f"/proc/{pid}/stat")
    if not Path("/proc/self/stat").exists():
        return _identity_without_proc(pid)
    try:
        fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    state, started = fields[0], fields[19]
    return None if state in "ZX" else f"{pid}:{started}"


def _identity_without_proc(pid: int) -> str | None:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return str(pid)
