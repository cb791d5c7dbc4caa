"""Files of a run's programs.

`GET /graph/<run_id>.<json|dot|txt>?context=..&step=..&match=..` is the compiler's graph after a
match. `GET /graph/<run_id>/columns?..` is the data from which the page draws it, `GET
/graph/<run_id>/flow?program=..` the data of a program's control flow, and `GET
/snapshot/program/<run_id>?..` the page with that view state as one HTML file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import BinaryIO

from flask import request

from analysis.program.picture import Folding
from app import __version__ as version
from app.context import AppContext
from app.pages.page_file import PageFile, PreparedFile, resolve_run
from app.pages.program.snapshot import program_html
from app.request.errors import RequestError, request_errors
from app.views.program.registry import parse
from schema.digits import is_whole
from services.program.columns import Wanted, columns_text
from services.program.export import GRAPH_FILES, graph_text
from services.program.flow import flow_text
from storage.errors import RunNotFound

_TYPES: Mapping[str, str] = MappingProxyType(
    {"json": "application/json", "dot": "text/vnd.graphviz", "text": "text/plain"}
)
"""Format of a graph -> media type."""
_MAX_NUMBER = 10**9
_MAX_DIGITS = 15


def prepare_graph(context: AppContext, run_id: str, fmt: str) -> PreparedFile:
    """Prepare the graph after a match, which the query names, as a file `fmt`: json, dot or txt.

    Raises RequestError: 404 if there is no such format, run or graph (the latter when the file is
    written), 400 if a number is invalid.
    """
    if fmt not in GRAPH_FILES:
        # The text comes from the address, so only its beginning is repeated.
        raise RequestError(
            f"There is no format {fmt[:20]} of a graph; there are {', '.join(GRAPH_FILES)}.", 404
        )
    form = GRAPH_FILES[fmt]
    place = _parse_number("context", None), _parse_number("step", None), _parse_number("match", "0")

    def write(stream: BinaryIO) -> str:
        with request_errors(404, RunNotFound, ValueError, end=""):
            run = context.repository.resolve(run_id)
            stream.write(graph_text(context.compilers.get(run).program, *place, form).encode())
        return f"{run[:12]}-graph-{'-'.join(map(str, place))}.{fmt}"

    return PreparedFile(_TYPES[form], write)


def prepare_columns(context: AppContext, run_id: str) -> PreparedFile:
    """Prepare the JSON file from which the page draws the graph after a match, with an `etag`.

    Raises RequestError: 400 if a number of the query is invalid, 404 if there is no such run or
    graph.
    """
    place = _parse_number("context", None), _parse_number("step", None), _parse_number("match", "0")
    near = request.args.get("around")
    wanted = Wanted(
        Folding(request.args.get("constants") != "shown", request.args.get("movement") == "passed"),
        near is not None,
        int(near) if near is not None and is_whole(near, _MAX_DIGITS) else None,
    )
    run = resolve_run(context, run_id)
    # The release is part of the tag, because another release may produce other data from the same
    # run.
    content = f"{context.compilers.version(run)} {version} {place} {wanted}"

    def write(stream: BinaryIO) -> str:
        with request_errors(404, RunNotFound, ValueError, end=""):
            program = context.compilers.get(run).program
            stream.write(columns_text(program, *place, wanted).encode("utf-8", "replace"))
        return "columns.json"

    return PreparedFile(_TYPES["json"], write, hashlib.sha256(content.encode()).hexdigest()[:32])


def prepare_flow(context: AppContext, run_id: str) -> PreparedFile:
    """Prepare the JSON file from which the page draws the control flow of a program, with an ETag.

    Raises RequestError: 400 if the program's number is invalid, 404 without run or blocks.
    """
    program = _parse_number(
        "program", None, "The control flow needs program as a whole number: ?program=0"
    )
    run = resolve_run(context, run_id)
    content = f"{context.compilers.version(run)} {version} flow {program}"

    def write(stream: BinaryIO) -> str:
        with request_errors(404, RunNotFound, ValueError, end=""):
            stream.write(
                flow_text(context.compilers.get(run).program, program).encode("utf-8", "replace")
            )
        return "flow.json"

    return PreparedFile(_TYPES["json"], write, hashlib.sha256(content.encode()).hexdigest()[:32])


def prepare_snapshot(context: AppContext, run_id: str) -> PreparedFile:
    """Prepare the program page as an HTML file that works offline; raises RequestError (404) if the
    run does not exist.
    """
    state = parse(request.query_string.decode("utf-8", "replace"))
    run = resolve_run(context, run_id)

    def write(stream: BinaryIO) -> str:
        stream.write(program_html(context.compilers.get(run), state).encode())
        return f"tilescope-{run[:12]}-programs.html"

    return PreparedFile("text/html", write)


_PLACE = "A graph needs context, step and match as whole numbers: ?context=0&step=0&match=0"


def _parse_number(name: str, default: str | None, wanted: str = _PLACE) -> int:
    text = request.args.get(name, default)
    if text is None or not is_whole(text, len(str(_MAX_NUMBER))):
        raise RequestError(wanted, 400)
    return int(text)


SNAPSHOT = PageFile("/snapshot/program/<run_id>", prepare_snapshot)
EXPORTS = (
    PageFile("/graph/<run_id>.<fmt>", prepare_graph),
    PageFile("/graph/<run_id>/columns", prepare_columns),
    PageFile("/graph/<run_id>/flow", prepare_flow),
)
