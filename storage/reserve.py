"""Disk space reserved for removals, so that a full disk can be emptied through the application.

SQLite writes to its journal before it removes anything. On a full disk, users could neither delete
a run nor sign in to do so nor revoke a token.
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
"""Size of the reserve, enough to remove a run: SQLite restarts its journal after 4 MiB."""
_CHUNK_BYTES = 2**14
_CHECKPOINT_S = 0.2


class Reserve:
    """A file next to an SQLite database that occupies disk space until a removal needs it."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._file = database.with_name(f"{database.name}-reserve")
        self._is_owed = False

    def hold(self) -> None:
        """Fill the reserve file up to 4 MiB (RESERVE_BYTES), or as far as the disk permits.

        The rest is filled after a later removal. Errors of the disk are ignored.
        """
        self._is_owed = True
        with (
            suppress(OSError),
            _lock_folder(self._database.parent),
            self._file.open("ab", buffering=0) as stream,
        ):
            # Random bytes, because a file system may store zeros without allocating space.
            while stream.tell() < RESERVE_BYTES and stream.write(os.urandom(_CHUNK_BYTES)):
                pass
            self._is_owed = stream.tell() < RESERVE_BYTES

    @contextmanager
    def spend(self) -> Iterator[None]:
        """Delete the reserve file for the removal in the block if the disk has less than 4 MiB
        free.

        It is filled again afterwards. With more space the block runs without a change.
        """
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
            # The lock keeps another removal from filling the reserve while this removal needs it.
            with _lock_folder(folder):
                self._file.unlink(missing_ok=True)
                self._is_owed = True
                yield
                self._empty_journal()

    def _empty_journal(self) -> None:
        """Let SQLite truncate its journal, without waiting for readers; errors of SQLite are
        ignored.
        """
        with suppress(sqlite3.Error), closing(connect(self._database)) as connection:
            connection.execute(f"PRAGMA busy_timeout = {int(_CHECKPOINT_S * 1000)}")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


@contextmanager
def _lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder for the length of the block, and wait while another process has locked it.

    The operating system releases the lock if the process is killed.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
