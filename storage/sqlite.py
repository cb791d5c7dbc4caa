"""SQLite connections for all readers of an embedded catalogue; invalid bytes or JSON affect only
their row.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

BUSY_TIMEOUT_S = 30
"""Seconds that a process waits for a transaction of another process."""


class Unreadable:
    """Placeholder for a JSON column whose value is not valid JSON, so that one damaged row hides no
    other row.
    """


def text(value: bytes) -> str:
    """Decode UTF-8; invalid bytes become lone surrogates, so that only their own row is rejected
    later.
    """
    return value.decode("utf-8", "surrogateescape")


def parse_json(value: str | bytes) -> object:
    """Parse the value of a JSON column; returns an `Unreadable` object if it is not valid JSON."""
    try:
        return json.loads(value)
    except (ValueError, TypeError, RecursionError):
        return Unreadable()


def connect(path: Path) -> sqlite3.Connection:
    """Open an existing database without creating it; raises sqlite3.Error if that fails.

    Statements wait up to 30 s (BUSY_TIMEOUT_S) while another process writes.
    """
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=BUSY_TIMEOUT_S)


def check_sqlite(path: Path) -> None:
    """Read the whole database through a new connection, which has an empty cache.

    Raises sqlite3.Error if the file is damaged or cannot be read.
    """
    with closing(connect(path)) as connection:
        connection.text_factory = bytes
        result = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if result != b"ok":
        damage = sqlite3.DatabaseError("database disk image is malformed")
        damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise damage
