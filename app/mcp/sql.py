"""Tool that runs SQL queries."""

from __future__ import annotations

from functools import cache
from typing import Annotated
from urllib.parse import urlencode

from pydantic import Field

from app.context import AppContext
from app.mcp.bounded_results import make_cursor, read_cursor
from app.mcp.cached_results import CachedResults
from app.mcp.tool import Filters, PageArguments, Record, Texts, Tool, ToolError, ToolResult
from components.numbers import count_text
from services.query.ask import ask_query
from services.query.errors import QueryError
from services.query.question import MAX_QUERY_CHARACTERS, QueryQuestion

_MAX_QUERY_LENGTH = 4_000
"""Maximum length of a query string in characters; a longer query is left out of the link."""
_MAX_ROWS = 10_000
"""Maximum number of rows that a query may return."""


class Query(Filters, PageArguments):
    """Arguments of the tool `query`."""

    sql: str = Field(max_length=MAX_QUERY_CHARACTERS)
    runs: Texts = Field([], description="Run ids.")
    limit: Annotated[int, Field(ge=0, le=_MAX_ROWS)] = 1_000


def _query(context: AppContext, arguments: Query) -> ToolResult:
    cached = CachedResults(context.settings.data)
    match read_cursor(arguments.cursor):
        case ():
            return _page_of_rows(cached, _run_query(context, arguments), arguments, "", 0)
        case (str(token), int(begin)) if begin >= 0:
            return _page_of_rows(cached, cached.find(token), arguments, token, begin)
    raise ToolError("cursor: not a cursor of the previous response")


def _run_query(context: AppContext, arguments: Query) -> Record:
    question = QueryQuestion(
        arguments.sql, tuple(arguments.runs), arguments.fits(), arguments.limit
    )
    try:
        with ask_query(context.repository, question, context.settings.query_limits()) as result:
            return result.record()
    except QueryError as error:
        raise ToolError(str(error)) from error


def _page_of_rows(
    cached: CachedResults, result: Record, arguments: Query, token: str, begin: int
) -> ToolResult:
    rows = result["rows"]
    columns = result["columns"]
    # The result is cached only if a cursor needs it, and at most once.
    name = cache(lambda: token or cached.save(result))
    facts = {name: result[name] for name in ("truncated", "seconds", "runs", "notes")}

    def after(count: int) -> str | None:
        return make_cursor(name(), begin + count) if begin + count < len(rows) else None

    first = " ".join(result["notes"])
    size = f"{count_text(len(rows), 'row')} of {count_text(len(columns), 'column')}"
    lead = f"{size}, from {count_text(result['runs'], 'run')}."
    query = urlencode([("sql", arguments.sql), *(("run", run) for run in arguments.runs)])
    path = f"/sql?{query}" if len(query) <= _MAX_QUERY_LENGTH else "/sql"
    data = {"columns": columns, "rows": []} | facts
    return ToolResult(
        f"{lead} {first}".strip(),
        path,
        lambda items: data | {"rows": items},
        rows[begin:],
        begin,
        after,
    )


QUERY = Tool(
    "query",
    "Query runs with one SELECT of DuckDB. Tables: runs, findings, frames (the list of all), each frame; `run_id` joins.",
    Query,
    _query,
    is_query=True,
)
