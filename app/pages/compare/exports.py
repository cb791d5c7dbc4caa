"""Files of a comparison; the query is the view state of its page.

`GET /comparison/all.json` is the whole result, `/comparison/<table>.<format>` one of its tables,
`/comparison/graph/columns` the data from which the page draws the graphs of a kernel, and
`/snapshot/compare` the page as one HTML file.
"""

from __future__ import annotations

import json
from typing import BinaryIO

from flask import request

from app.context import AppContext
from app.pages.compare.question import open_comparison, resolve_state
from app.pages.compare.snapshot import comparison_html
from app.pages.page_file import PageFile, PreparedFile
from app.request.errors import RequestError, request_errors
from app.views.comparison.programs import graph_difference
from app.views.comparison.registry import parse
from app.views.comparison.state import CompareState
from app.views.comparison.tables import TABLES
from schema.choices import MIME_TYPES
from services.baselines.members import BaselineError
from services.comparison.compare import CompareError
from services.comparison.data import CompareData
from services.run.export import write_frame
from storage.errors import BaselineNotFound, RunNotFound


def prepare_result(context: AppContext) -> PreparedFile:
    """Prepare the whole result of the requested comparison as a JSON file; errors are raised when
    the file is written, see `compare`.
    """
    query = request.query_string.decode("utf-8", "replace")

    def write(stream: BinaryIO) -> str:
        data, _, notes = compare(context, query)
        stream.write(
            json.dumps(
                data.result.record() | ({"notes": notes} if notes else {}), indent=2
            ).encode()
        )
        return "comparison.json"

    return PreparedFile(MIME_TYPES["json"], write)


def prepare_table(context: AppContext, table: str, fmt: str) -> PreparedFile:
    """Prepare a table of the requested comparison as a file in a format.

    Raises RequestError (404) if there is no such format or table.
    """
    if fmt not in MIME_TYPES:
        raise RequestError(f"There is no format {fmt}; there are {', '.join(MIME_TYPES)}.", 404)
    if table not in TABLES:
        raise RequestError(f"A comparison has no table {table}; it has {', '.join(TABLES)}.", 404)
    query = request.query_string.decode("utf-8", "replace")

    def write(stream: BinaryIO) -> str:
        write_frame(TABLES[table](compare(context, query)[0]), fmt, stream)
        return f"comparison-{table}.{fmt}"

    return PreparedFile(MIME_TYPES[fmt], write)


def prepare_graph(context: AppContext) -> PreparedFile:
    """Prepare the JSON file from which the page draws the graphs of the selected kernel;
    RequestError (404) is raised when it is written without graphs.
    """
    query = request.query_string.decode("utf-8", "replace")

    def write(stream: BinaryIO) -> str:
        data, state, _ = compare(context, query)
        with request_errors(404, ValueError, end=""):
            # Names from files may have lone surrogates, which UTF-8 cannot encode.
            stream.write(graph_difference(data, state).encode("utf-8", "replace"))
        return "difference.json"

    return PreparedFile(MIME_TYPES["json"], write)


def prepare_snapshot(context: AppContext) -> PreparedFile:
    """Prepare the snapshot of the requested comparison: its page as an HTML file that works
    offline.

    RequestError is raised when it is written: 404 if a run or baseline does not exist, 400 if the
    query is invalid.
    """
    query = request.query_string.decode("utf-8", "replace")

    def write(stream: BinaryIO) -> str:
        stream.write(comparison_html(*compare(context, query)).encode())
        return "tilescope-comparison.html"

    return PreparedFile("text/html", write)


def compare(context: AppContext, query: str) -> tuple[CompareData, CompareState, list[str]]:
    """Compute the comparison for a query string; return (data, state with full run ids, notes about
    its baseline).

    Raises RequestError: 404 if a run or baseline does not exist, 400 if the query is invalid.
    """
    state = parse(query)
    if state.refused:
        raise RequestError(f"This cannot be compared: {', '.join(state.refused)}", 400)
    with (
        request_errors(400, CompareError, BaselineError, ValueError, end=""),
        request_errors(404, RunNotFound, BaselineNotFound, end=""),
    ):
        state = resolve_state(context.repository, state)
        data, notes = open_comparison(context.repository, context.comparisons, state)
        return data, state, notes


SNAPSHOT = PageFile("/snapshot/compare", prepare_snapshot)
EXPORTS = (
    PageFile("/comparison/all.json", prepare_result),
    PageFile("/comparison/<table>.<fmt>", prepare_table),
    PageFile("/comparison/graph/columns", prepare_graph),
)
