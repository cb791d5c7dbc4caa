"""Run the query of the SQL page and prepare its result for display."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.context import AppContext
from app.pages.sql.state import MAX_LENGTH, MAX_RUNS, SqlState
from components.numbers import count_text
from components.query.grid import Row
from schema.command import COMMAND
from services.query.ask import ask_query
from services.query.errors import QueryError
from services.query.question import QueryQuestion
from storage.errors import RunNotFound

MAX_ROWS = 1_000
"""Maximum rows on the page; files have as many as the setting query_rows allows."""


@dataclass(frozen=True)
class ShownResult:
    """A query result: columns as name and type, displayed rows, a summary and notes, or an error."""

    columns: Sequence[tuple[str, str]] = ()
    rows: Sequence[Row] = ()
    sentence: str = ""
    notes: Sequence[str] = ()
    error: str = ""


def make_query(context: AppContext, state: SqlState, rows: int, fmt: str) -> QueryQuestion:
    """Build the query of a state with a limit of `rows` rows (at most the setting query_rows) and
    its first MAX_RUNS (50) runs.
    """
    limits = context.settings.query_limits()
    return QueryQuestion(state.text, state.run[:MAX_RUNS], limit=min(rows, limits.rows), format=fmt)


def load_result(context: AppContext, state: SqlState) -> ShownResult:
    """Run the query of a state, with at most MAX_ROWS (1,000) rows; if it fails or is too long, the
    result has only `error`, a sentence.
    """
    if len(state.sql) > MAX_LENGTH:
        return ShownResult(
            error=f"A query of this page has at most {MAX_LENGTH:,} characters: run longer queries with {COMMAND} query."
        )
    question = make_query(context, state, MAX_ROWS, "json")
    try:
        with ask_query(context.repository, question, context.settings.query_limits()) as result:
            record = result.record()
    except (QueryError, RunNotFound) as error:
        return ShownResult(error=f"{str(error).rstrip('.')}.")
    columns = [(column["name"], column["type"]) for column in record["columns"]]
    beyond = [f"Only the first {MAX_RUNS} runs of the address are queried."] * (
        len(state.run) > MAX_RUNS
    )
    rows = record["rows"]
    summary = f"{count_text(len(rows), 'row')} from {count_text(record['runs'], 'run')} in {record['seconds']:.2g} s."
    return ShownResult(columns, rows, summary, [*record["notes"], *beyond])
