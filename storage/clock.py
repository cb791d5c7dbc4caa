"""The time as the catalogue's database has it: hosts that share it need not agree on theirs."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, Connection, Float, cast, extract, func, literal


def seconds(connection: Connection) -> ColumnElement[float]:
    """Return the seconds since 1970, an expression; an embedded database has the clock of its host."""
    if connection.dialect.name == "postgresql":
        return cast(extract("epoch", func.clock_timestamp()), Float(53))
    return literal(time.time(), Float(53))


def timestamp(after: timedelta = timedelta()) -> str:
    """Return this moment, or one after it, as tables have it: ISO 8601 with milliseconds, in UTC, sorted as text."""
    return (datetime.now(UTC) + after).isoformat(timespec="milliseconds")


def seconds_since(then: str) -> float:
    """Return the seconds since a moment that `timestamp` gave."""
    return (datetime.now(UTC) - datetime.fromisoformat(then)).total_seconds()
