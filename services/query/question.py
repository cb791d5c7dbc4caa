"""What is asked, and what an answer may take."""

from __future__ import annotations

from dataclasses import dataclass

from storage.run_query import EVERY_RUN, RunFilter

FORMATS = ("json", "csv", "parquet", "arrow")
"""Formats of answers, the default first."""
LONGEST_TEXT = 200_000
"""Characters of a question."""
DEFAULT_ROWS = 10_000
"""Rows of an answer where nothing else is asked for."""


@dataclass(frozen=True)
class QueryLimits:
    """What a question may take: `seconds` of its process, `memory_mb` beyond the modules, `rows` of its answer, and
    `load_mb` of tables.
    """

    seconds: float = 30.0
    memory_mb: int = 1024
    rows: int = 100_000
    load_mb: int = 1024


@dataclass(frozen=True)
class QueryQuestion:
    """A question: `runs` are ids or beginnings of them, none for all that fit; at most `limit` rows are given."""

    sql: str
    runs: tuple[str, ...] = ()
    fits: RunFilter = EVERY_RUN
    limit: int = DEFAULT_ROWS
    seconds: float | None = None
    format: str = FORMATS[0]
