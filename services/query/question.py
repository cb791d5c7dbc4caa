"""A query, and the limits of a query."""

from __future__ import annotations

from dataclasses import dataclass

from storage.run_query import EVERY_RUN, RunFilter

FORMATS = ("json", "csv", "parquet", "arrow")
"""Formats of results; the first is the default."""
MAX_QUERY_CHARACTERS = 200_000
"""Maximum characters of a query."""
DEFAULT_ROWS = 10_000
"""Maximum rows of a result if the query requests no other number."""


@dataclass(frozen=True)
class QueryLimits:
    """Limits of a query: `seconds` of its process, `memory_mb` (MiB) beyond the modules, `rows` of
    its result, `load_mb` (MiB) of tables.
    """

    seconds: float = 30.0
    memory_mb: int = 1024
    rows: int = 100_000
    load_mb: int = 1024


@dataclass(frozen=True)
class QueryQuestion:
    """A query.

    `runs` are ids or beginnings of ids, empty for all runs that match `fits`; at most `limit` rows
    are returned. If `seconds` is `None`, the limit of the installation applies.
    """

    sql: str
    runs: tuple[str, ...] = ()
    fits: RunFilter = EVERY_RUN
    limit: int = DEFAULT_ROWS
    seconds: float | None = None
    format: str = FORMATS[0]
