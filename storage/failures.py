"""Convert errors of the database and the disk to sentences.

The message for the log names the address or path; the public sentence for browsers does not.
"""

from __future__ import annotations

import errno
import sqlite3

from storage.errors import StorageError

_LOCKED, _UNREADABLE = "is locked by another process", "cannot be read or written"
_SQLITE_REASONS = {
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_READONLY: "cannot be written to",
    sqlite3.SQLITE_IOERR: _UNREADABLE,
    sqlite3.SQLITE_CORRUPT: "is damaged",
    sqlite3.SQLITE_NOTADB: "is damaged",
    sqlite3.SQLITE_FULL: "has no space left on its disk",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened",
}
TEMPORARY_FILES = "temporary files, TMPDIR"
DATA_FOLDER = "the data folder"
STORED_FRAMES = "the stored frames"
"""Public names of the places whose disk may be full: temporary files, data folder, stored frames.
"""
_OUT_OF_REACH = ("08", "53300", "57P")
"""Prefixes of SQLSTATE codes: failed connections, too many connections, a server that starts or
stops.
"""
_DISK_REASONS = {
    errno.ENOSPC: "its disk is full",
    errno.EDQUOT: "its disk is full",
    errno.EROFS: "it cannot be written to",
    errno.EACCES: "it cannot be read or written",
    errno.EPERM: "it cannot be read or written",
    errno.ENOENT: "one of its folders no longer exists",
    errno.EIO: "its disk cannot be read or written",
}


def catalogue_failed(address: str, error: BaseException) -> StorageError:
    """Convert an error of the database to a StorageError, which the caller raises.

    Its message has the reason and `address`, the catalogue's URL. Its public sentence has neither.
    """
    cause = getattr(error, "orig", None) or error
    code = getattr(cause, "sqlite_errorcode", 0) & 0xFF  # the low byte is the kind of error
    reason = " ".join(str(cause).split())
    otherwise = "cannot be reached: try again in a moment" if _is_out_of_reach(cause) else "fails"
    public = _public(f"its catalogue {_SQLITE_REASONS.get(code, otherwise)}")
    return StorageError(f"the catalogue {address} cannot be used: {reason}", public)


def _is_out_of_reach(cause: BaseException) -> bool:
    """Whether a database server cannot be reached, or accepts no connection at the moment.

    False for every error of SQLite, and for other errors of a server, such as a full disk.
    """
    # By the class name, which all drivers share: importing a driver would slow down every command.
    kinds = {kind.__name__ for kind in type(cause).__mro__}
    if "OperationalError" not in kinds or isinstance(cause, sqlite3.Error):
        return False
    state = getattr(cause, "sqlstate", None)
    return state is None or str(state).startswith(_OUT_OF_REACH)


def catalogue_gone(address: str) -> StorageError:
    """Build the StorageError for a catalogue that existed and was removed; the caller raises it."""
    return StorageError(
        f"the catalogue {address} no longer exists", _public("its catalogue no longer exists")
    )


def frames_failed(url: str, error: OSError) -> StorageError:
    """Convert an error of the file system with the frames at `url` to a StorageError, which the
    caller raises.
    """
    sentence = f"the frames at {url} cannot be used: {error.strerror or error}"
    return StorageError(sentence, disk_sentence(error, STORED_FRAMES))


def disk_sentence(error: OSError, place: str = "") -> str:
    """Build the public sentence for an error of the server's disk or of its object storage, such as
    "The server's storage failed: its disk is full (the data folder)."

    `place` names the disk and is added only if it is full.
    """
    reason = getattr(error, "public", "") or _DISK_REASONS.get(
        error.errno or 0, "its disk cannot be read or written"
    )
    return _public(f"{reason} ({place})" if place and is_full(error) else reason)


def is_full(error: OSError) -> bool:
    """Whether the error means that a disk, or the user's quota on it, has no space left."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def is_disk_error(error: OSError) -> bool:
    """Whether an error concerns the whole disk and not only a file: full, read-only, or failing."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)


def _public(what: str) -> str:
    return f"The server's storage failed: {what}."
