"""Files that the processes of a server share as a cache: written whole, read only if they are the
server's own, and deleted when there are too many bytes.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def open_own(file: Path, max_bytes: int) -> Iterator[BinaryIO]:
    """Open a file for reading.

    Raises OSError if there is none or it is a link, ValueError if it is no plain file of the user of
    this process, or has more than `max_bytes` bytes.
    """
    # Not through a link, and without waiting for the writer of a pipe.
    descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        is_own = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
        if not is_own or status.st_size > max_bytes:
            raise ValueError("not a file of this server")
        yield stream


def mark_used(stream: BinaryIO) -> None:
    """Set the time of an open file, by which `drop_oldest` decides, to now."""
    os.utime(stream.fileno())


def replace_file(file: Path, pieces: Iterable[bytes], prefix: str = "") -> None:
    """Write a file as a whole, because another process may read it at the same time; only the user
    of this process may read it and list its folder.

    The name of the part that is being written begins with `prefix`. Raises OSError if it cannot be
    written.
    """
    descriptor, part = _create_part(file.parent, prefix)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.writelines(pieces)
    except OSError:
        Path(part).unlink()  # an incomplete file would keep the disk full
        raise
    Path(part).replace(file)


def _create_part(folder: Path, prefix: str) -> tuple[int, str]:
    """Create a file with a new name; return its descriptor and its path."""
    try:
        return tempfile.mkstemp(prefix=prefix, dir=folder)
    except FileNotFoundError:  # the first file of the folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return tempfile.mkstemp(prefix=prefix, dir=folder)


def drop_oldest(folder: Path, limit_bytes: int) -> None:
    """Delete the least recently used files of a folder until it has at most `limit_bytes` bytes.

    Raises OSError if the folder cannot be listed.
    """
    files = []
    for file in folder.iterdir():
        status = file.lstat()
        files.append((status.st_mtime, status.st_size, file))
    total = sum(size for _, size, _ in files)
    for _, size, file in sorted(files):
        if total <= limit_bytes:
            break
        total -= size
        file.unlink(missing_ok=True)
