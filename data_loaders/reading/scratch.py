"""Temporary folders that are removed even if their process is killed."""

from __future__ import annotations

import fcntl
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "tilescope-scratch-"


@contextmanager
def scratch_folder(parent: Path | None = None, *, shared: bool = False) -> Iterator[Path]:
    """Create a new folder in `parent` (default: TMPDIR), yield its path, and remove it when the
    context ends.

    Folders of killed processes are removed first. A parent belongs to the application and is
    created if it is missing. If it is `shared`, it belongs to the user: only folders with this
    module's prefix are removed. An OSError of the block without a file name gets the folder's name,
    so that a report of a full disk names the disk.
    """
    place = parent or Path(tempfile.gettempdir())
    if not shared:
        place.mkdir(parents=True, exist_ok=True)
    sweep(place, whole=parent is not None and not shared)
    folder = place / f"{_PREFIX}{secrets.token_hex(8)}"
    lock: int | None = None
    owner = os.getpid()
    try:  # entered before the folder exists: a signal may end this process at any moment
        lock = _create_locked(folder)
        yield folder
    except OSError as error:
        if error.filename is None:
            error.filename = str(folder)
        raise
    finally:
        if os.getpid() == owner:  # a process that was forked within the context gets here as well
            shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def sweep(place: Path | None = None, *, whole: bool = False) -> None:
    """Remove the scratch folders in `place` (default: TMPDIR) whose process has ended.

    A living process holds a lock on its folder. If `whole`, the place belongs to the application
    and folders of any name are removed, such as the folders of earlier versions.
    """
    for folder in (place or Path(tempfile.gettempdir())).glob("*" if whole else f"{_PREFIX}*"):
        with suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                _remove_if_abandoned(folder, lock)
            finally:
                os.close(lock)


def _remove_if_abandoned(folder: Path, lock: int) -> None:
    """Remove the folder if it is this user's and its lock is free; another user's folder stays.

    Raises OSError if a process holds the lock. `lock` is the open folder.
    """
    if os.fstat(lock).st_uid == os.geteuid():
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)


def _create_locked(folder: Path) -> int:
    """Create and lock a folder for this user only; returns the file descriptor that holds the lock.

    Tries again if a sweep removes the folder before it is locked.
    """
    while True:
        folder.mkdir(mode=0o700)
        with suppress(FileNotFoundError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            with suppress(OSError):  # a network mount may lack locks; a sweep fails there too
                fcntl.flock(lock, fcntl.LOCK_EX)
            if folder.exists():
                return lock
            os.close(lock)
