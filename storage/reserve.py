"""Space of a disk that is held for removals, so that a full disk can be emptied through the application.

SQLite writes to its journal before it removes anything. On a full disk nobody could delete a run, sign in to do so, or
revoke a token.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from storage.sqlite import connect

RESERVE_BYTES = 4 * 2**20
"""Enough for the removal of a run: SQLite starts its journal again after 4 MiB."""
_PIECE = 2**14
_CHECKPOINT_S = 0.2


class Reserve:
    """A file beside an SQLite database that takes up space until a removal needs it."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._file = database.with_name(f"{database.name}-reserve")
        self._is_owed = False

    def hold(self) -> None:
        """Take the space up as far as it is free; what is missing is taken after a later removal."""
        self._is_owed = True
        with suppress(OSError), _lock_folder(self._database.parent), self._file.open("ab", buffering=0) as stream:
            # random bytes: a file system may store zeros in no space at all
            while stream.tell() < RESERVE_BYTES and stream.write(os.urandom(_PIECE)):
                pass
            self._is_owed = stream.tell() < RESERVE_BYTES

    @contextmanager
    def spend(self) -> Iterator[None]:
        """Give the space to a removal within the block, if the disk is nearly full, and hold it again afterwards."""
        folder = self._database.parent
        try:
            with self._release(folder):
                yield
        finally:
            if self._is_owed:
                self.hold()

    @contextmanager
    def _release(self, folder: Path) -> Iterator[None]:
        if not folder.is_dir() or shutil.disk_usage(folder).free >= RESERVE_BYTES:
            yield
        else:
            with _lock_folder(folder):  # else another removal would hold the space again while this one needs it
                self._file.unlink(missing_ok=True)
                self._is_owed = True
                yield
                self._empty_journal()

    def _empty_journal(self) -> None:
        """Let SQLite give the space of its journal back; a reader in the way is not waited for."""
        with suppress(sqlite3.Error), closing(connect(self._database)) as connection:
            connection.execute(f"PRAGMA busy_timeout = {int(_CHECKPOINT_S * 1000)}")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


@contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    """Hold a lock on a folder, which the system releases if the process is killed."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
