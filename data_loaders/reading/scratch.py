"""Temporary folders that do not outlive their process, even where it is killed."""

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
    """Give a new folder in `parent` (default: TMPDIR) and remove it afterwards.

    The folders of killed processes are removed first. A parent belongs to the application and is made if it is
    missing, unless it is `shared`: a folder of a person, where only folders of this module's names are removed. An
    OSError of the block that names no file names the folder, so that whoever reports a full disk knows which one it is.
    """
    place = parent or Path(tempfile.gettempdir())
    if not shared:
        place.mkdir(parents=True, exist_ok=True)
    sweep(place, whole=parent is not None and not shared)
    folder = place / f"{_PREFIX}{secrets.token_hex(8)}"
    lock: int | None = None
    owner = os.getpid()
    try:  # before the folder is there: a signal may end this process at any moment
        lock = _create_locked(folder)
        yield folder
    except OSError as error:
        if error.filename is None:
            error.filename = str(folder)
        raise
    finally:
        if os.getpid() == owner:  # a process that was forked meanwhile ends here as well
            shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def sweep(place: Path | None = None, *, whole: bool = False) -> None:
    """Remove the folders whose process is gone: a living one holds a lock on its own, which the system takes back.

    Where the `whole` place belongs to the application it may hold folders of any name, those of earlier versions.
    """
    for folder in (place or Path(tempfile.gettempdir())).glob("*" if whole else f"{_PREFIX}*"):
        with suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                _remove_if_abandoned(folder, lock)
            finally:
                os.close(lock)


def _remove_if_abandoned(folder: Path, lock: int) -> None:
    if os.fstat(lock).st_uid == os.geteuid():
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)


def _create_locked(folder: Path) -> int:
    """Make a folder that its owner alone may enter, and lock it; if a sweep removes it before that, make it again."""
    while True:
        folder.mkdir(mode=0o700)
        with suppress(FileNotFoundError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            with suppress(OSError):  # a network mount may lack locks: there no sweep gets one either
                fcntl.flock(lock, fcntl.LOCK_EX)
            if folder.exists():
                return lock
            os.close(lock)
