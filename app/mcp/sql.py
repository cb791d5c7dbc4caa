"""Tool that runs SQL queries."""

from __future__ import annotations

from functools import cache
from typing import Annotated
from urllib.parse import urlencode

from pydantic import Field

from app.context import AppContext
from app.mcp.answers import cursor_at, place_of
from app.mcp.kept_answers import KeptAnswers
from app.mcp.tool import AskedPage, Filters, Found, Record, Texts, Tool, ToolError
from components.numbers import count_text
from services.query.ask import ask_query
from services.query.errors import QueryError
from services.query.question import LONGEST_TEXT, QueryQuestion

_LONGEST_ADDRESS = 4_000
"""Maximum length of a query string in characters; a longer query is left out of the link."""
_MOST_ROWS = 10_000
"""Maximum number of rows that a query may return."""


class Query(Filters, AskedPage):
    """Arguments of the tool `query`."""

    sql: str = Field(
        max_length=LONGEST_TEXT, description="One SELECT of DuckDB. Tables: runs, findings, frames, each frame."
    )
    runs: Texts = Field([], description="Only these runs: ids.")
    limit: Annotated[int, Field(ge=0, le=_MOST_ROWS)] = 1_000


def _query(context: AppContext, asked: Query) -> Found:
    kept = KeptAnswers(context.settings.data)
    match place_of(asked.cursor):
        case ():
            return _page_of_rows(kept, _answer(context, asked), asked, "", 0)
        case (str(token), int(begin)) if begin >= 0:
            return _page_of_rows(kept, kept.find(token), asked, token, begin)
    raise ToolError("cursor: this is none that the answer before gave")


def _answer(context: AppContext, asked: Query) -> Record:
    question = QueryQuestion(asked.sql, tuple(asked.runs), asked.fits(), asked.limit)
    try:
        with ask_query(context.repository, question, context.settings.query_limits()) as answer:
            return answer.record()
    except QueryError as error:
        raise ToolError(str(error)) from error


def _page_of_rows(kept: KeptAnswers, answer: Record, asked: Query, token: str, begin: int) -> Found:
    rows, columns = answer["rows"], answer["columns"]
    # The result is cached only if a cursor needs it, and at most once.
    name = cache(lambda: token or kept.keep(answer))
    known = {name: answer[name] for name in ("truncated", "seconds", "runs", "notes")}

    def after(given: int) -> str | None:
        return cursor_at(name(), begin + given) if begin + given < len(rows) else None

    first = " ".join(answer["notes"])
    size = f"{count_text(len(rows), 'row')} of {count_text(len(columns), 'column')}"
    said = f"{size}, from {count_text(answer['runs'], 'run')}."
    query = urlencode([("sql", asked.sql), *(("run", run) for run in asked.runs)])
    path = f"/sql?{query}" if len(query) <= _LONGEST_ADDRESS else "/sql"
    data = {"columns": columns, "rows": []} | known
    return Found(f"{said} {first}".strip(), path, lambda items: data | {"rows": items}, rows[begin:], begin, after)


QUERY = Tool(
    "query",
    "Ask runs and frames in SQL (DuckDB, one SELECT). `SELECT * FROM frames` says what there is; `run_id` joins.",
    Query,
    _query,
    is_query=True,
)
