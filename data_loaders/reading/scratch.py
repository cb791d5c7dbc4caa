"""Temporary folders that do not outlive their process, even where it is killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "tilescope-scratch-"


@contextmanager
def scratch_folder(parent: Path | None = None) -> Iterator[Path]:
    """Give a new folder in `parent` (default: the system's place for such), gone afterwards.

    Those of processes that are gone are removed first.
    """
    place = parent or Path(tempfile.gettempdir())
    place.mkdir(parents=True, exist_ok=True)
    sweep(place, whole=parent is not None)
    folder, lock = _create_locked(place)
    owner = os.getpid()
    try:
        yield folder
    finally:
        if os.getpid() == owner:  # a process that was forked meanwhile ends here as well
            shutil.rmtree(folder, ignore_errors=True)
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


def _create_locked(place: Path) -> tuple[Path, int]:
    """Return a new folder and the lock on it; one that a sweep took before it was locked is left to the sweep."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        with suppress(FileNotFoundError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            fcntl.flock(lock, fcntl.LOCK_EX)
            if folder.exists():
                return folder, lock
            os.close(lock)
