"""`GET /sql.csv` and `GET /sql.parquet`: the rows of the query in the page's address."""

from __future__ import annotations

from functools import partial
from typing import BinaryIO

from flask import request

from app.context import AppContext
from app.pages.page_file import PageFile, PreparedFile
from app.pages.sql.shown_result import make_query
from app.pages.sql.state import MAX_LENGTH, parse
from app.request.errors import RequestError, request_errors
from schema.choices import MIME_TYPES
from services.query.ask import ask_query
from services.query.errors import QueryError

FORMATS = ("csv", "parquet")


def prepare_rows(fmt: str, context: AppContext) -> PreparedFile:
    """Prepare the rows of a query as a file in a format; the query string is the view state of the
    page.

    Raises RequestError: 413 if the query is too long for an address; when the file is written, 400
    if the query is refused.
    """
    state = parse(request.query_string.decode("utf-8", "replace"))
    if len(state.sql) > MAX_LENGTH:
        raise RequestError(
            f"A query in an address has at most {MAX_LENGTH:,} characters: POST longer ones to the API.",
            413,
        )
    limits = context.settings.query_limits()
    question = make_query(context, state, limits.rows, fmt)

    def write(stream: BinaryIO) -> str:
        with (
            request_errors(400, QueryError),
            ask_query(context.repository, question, limits) as result,
        ):
            result.write(stream)
        return f"query.{fmt}"

    return PreparedFile(MIME_TYPES[fmt], write)


EXPORTS = tuple(
    PageFile(f"/sql.{fmt}", partial(prepare_rows, fmt), is_query=True) for fmt in FORMATS
)
