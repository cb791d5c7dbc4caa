"""`GET /comparison/all.json` and `/comparison/<table>.<format>`: a comparison as files; the query is the page's."""

from __future__ import annotations

import json
from typing import BinaryIO

from flask import Flask, Response, request

from app.context import AppContext
from app.errors import RequestError
from app.pages.compare.question import opened, resolved
from app.server.downloads import Downloads
from app.views.comparison.registry import parse
from app.views.comparison.state import CompareState
from app.views.comparison.tables import TABLES
from schema.choices import MIME_TYPES
from services.compare import CompareError
from services.comparisons import CompareData
from services.export import write_frame
from services.members import BaselineError
from storage.errors import BaselineNotFound, RunNotFound


def register(server: Flask, context: AppContext, downloads: Downloads) -> None:
    """Add the routes."""

    @server.get("/comparison/all.json")
    def comparison_whole() -> Response:
        query = request.query_string.decode("utf-8", "replace")

        def write(stream: BinaryIO) -> str:
            found, _, notes = compared(context, query)
            stream.write(json.dumps(found.answer.record() | ({"notes": notes} if notes else {}), indent=2).encode())
            return "comparison.json"

        return downloads.answer(write, MIME_TYPES["json"])

    @server.get("/comparison/<table>.<fmt>")
    def comparison_table(table: str, fmt: str) -> Response:
        if fmt not in MIME_TYPES:
            raise RequestError(f"There is no format {fmt}; there are {', '.join(MIME_TYPES)}.", 404)
        if table not in TABLES:
            raise RequestError(f"A comparison has no table {table}; it has {', '.join(TABLES)}.", 404)
        query = request.query_string.decode("utf-8", "replace")

        def write(stream: BinaryIO) -> str:
            write_frame(TABLES[table](compared(context, query)[0]), fmt, stream)
            return f"comparison-{table}.{fmt}"

        return downloads.answer(write, MIME_TYPES[fmt])


def compared(context: AppContext, query: str) -> tuple[CompareData, CompareState, list[str]]:
    """Return the comparison that a query asks for, its state with whole ids, and notes; raises RequestError."""
    state = parse(query)
    if state.refused:
        raise RequestError(f"This cannot be compared: {', '.join(state.refused)}", 400)
    try:
        state = resolved(context.repository, state)
        data, notes = opened(context.repository, context.comparisons, state)
        return data, state, notes
    except (RunNotFound, BaselineNotFound) as error:
        raise RequestError(str(error), 404) from error
    except (CompareError, BaselineError, ValueError) as error:
        raise RequestError(str(error), 400) from error
