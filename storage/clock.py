"""The clock of the catalogue's database, because the clocks of hosts that share it may differ."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, Connection, Float, cast, extract, func, literal


def seconds(connection: Connection) -> ColumnElement[float]:
    """Build an SQL expression for the current seconds since 1970, with fractions.

    PostgreSQL uses the server's clock at execution; for SQLite it is this host's time at the call.
    """
    if connection.dialect.name == "postgresql":
        # `now()` would be the start of the transaction, which may have waited for a lock.
        return cast(extract("epoch", func.clock_timestamp()), Float(53))
    return literal(time.time(), Float(53))


def timestamp(after: timedelta = timedelta()) -> str:
    """Format the current time plus `after` as stored in tables.

    The format is ISO 8601 in UTC with milliseconds, such as `2026-11-27T09:30:00.000+00:00`, which
    sorts as text.
    """
    return (datetime.now(UTC) + after).isoformat(timespec="milliseconds")


def seconds_since(then: str) -> float:
    """Compute the seconds, with fractions, from a time in the format of `timestamp` until now;
    negative if it is in the future.
    """
    return (datetime.now(UTC) - datetime.fromisoformat(then)).total_seconds()
