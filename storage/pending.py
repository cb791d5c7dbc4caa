"""Pending prefixes, which belong to no run: the processes that write them, and removal after a
process has died.
"""

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
"""Seconds without a heartbeat after which an ingest on another host counts as dead."""
_BEAT_S = 15.0

_LOG = logging.getLogger(__name__)


def reservation(run_id: str) -> Pending:
    """Create a pending prefix `<run id>/<16 random hexadecimal digits>` that belongs to this
    process; it is not stored yet.
    """
    return garbage(f"{run_id}/{secrets.token_hex(8)}")


def garbage(prefix: str) -> Pending:
    """Create the record of a pending prefix that this process is about to remove; it is not stored
    yet.
    """
    return Pending(prefix, own_host(), own_process())


def discard(catalogue: Catalogue, store: FrameStore, prefix: str) -> None:
    """Remove the files under a pending prefix, then its row; if this is interrupted, the next sweep
    continues. Raises StorageError if storage fails.
    """
    store.remove(prefix)
    catalogue.forget(prefix)


def tidy(catalogue: Catalogue, store: FrameStore, prefix: str) -> None:
    """Remove a pending prefix as `discard` does; if storage fails, only log a warning, because the
    next sweep tries again.
    """
    try:
        discard(catalogue, store, prefix)
    except StorageError as error:
        _LOG.warning("%s could not be removed: %s", prefix, error)


def sweep(catalogue: Catalogue, store: FrameStore, stale_after_s: float = STALE_AFTER_S) -> None:
    """Remove pending prefixes whose process is dead, with their files; running ingests are not
    touched.

    See `is_abandoned` for `stale_after_s`. Failures of the removal are only logged.
    """
    for pending in catalogue.pending():
        if is_abandoned(pending, stale_after_s):
            _LOG.info(
                "removing %s, which process %s on %s left unfinished",
                pending.prefix,
                pending.process,
                pending.host,
            )
            tidy(catalogue, store, pending.prefix)


def is_abandoned(pending: Pending, stale_after_s: float) -> bool:
    """Whether the process that writes a pending prefix counts as dead.

    If it is a process of this host, it must not be running any more; on another host, it must have
    sent no heartbeat for more than `stale_after_s` seconds.
    """
    if pending.host == own_host():
        pid = int(pending.process.partition(":")[0] or 0)
        return process_identity(pid) != pending.process
    return pending.quiet_s > stale_after_s


@contextmanager
def alive(catalogue: Catalogue) -> Iterator[None]:
    """Until the block ends, send a heartbeat every 15 s (_BEAT_S) for the pending prefixes of this
    process.

    The heartbeats come from a thread, in which failures of storage are only logged.
    """
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
    """Identify this process by its id and start time, such as `123:4567`, see `process_identity`;
    "" if they cannot be read.
    """
    return process_identity(os.getpid()) or ""


def own_host() -> str:
    """Identify the host by its name and its namespace of process ids, such as `name
    pid:[4026531836]`.

    Containers may share a host name, but not their process ids. On systems without `/proc` the
    result is the host name only.
    """
    try:
        # A process id of another namespace must not be looked up here.
        return f"{socket.gethostname()} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return socket.gethostname()


def process_identity(pid: int) -> str | None:
    """Identify a running process as `pid:start time`, as ids are reused; None if it is not running.

    On systems without `/proc` the result is the process id only.
    """
    stat = Path(f"/proc/{pid}/stat")
    if not Path("/proc/self/stat").exists():
        return _identity_without_proc(pid)
    try:
        fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    # The name of the process may contain spaces and parentheses, so fields are counted after its
    # last ")".
    state = fields[0]
    started = fields[19]
    # A zombie (Z) or dead (X) process has an entry, but writes no files any more.
    return None if state in "ZX" else f"{pid}:{started}"


def _identity_without_proc(pid: int) -> str | None:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return str(pid)
