"""SQLite as every reader of an embedded catalogue uses it; bad bytes or JSON affect their own row alone."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

BUSY_TIMEOUT_S = 30
"""How long one process waits for another one's transaction."""


class Unreadable:
    """Stands for a value of a JSON column that is no JSON: one damaged row hides no other."""


def text(value: bytes) -> str:
    """Return text; bytes that are none fail for their own row, not for every row that is read with it."""
    return value.decode("utf-8", "surrogateescape")


def parse_json(value: str | bytes) -> object:
    """Return the value of a JSON column."""
    try:
        return json.loads(value)
    except (ValueError, TypeError, RecursionError):
        return Unreadable()


def connect(path: Path) -> sqlite3.Connection:
    """Open a database that is there, never make one; raises sqlite3.Error."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True, timeout=BUSY_TIMEOUT_S)


def check_sqlite(path: Path) -> None:
    """Read the whole database with a connection of its own, which has nothing in memory; raises sqlite3.Error."""
    with closing(connect(path)) as connection:
        connection.text_factory = bytes
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != b"ok":
        damage = sqlite3.DatabaseError("database disk image is malformed")
        damage.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise damage
