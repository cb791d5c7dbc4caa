"""Files of a run.

`GET /export/<run_id>/<frame>.<format>` is a frame of a run, `GET /table/<run_id>.<format>` the
table that a view shows, `GET /export/<run_id>/perfetto.json.gz` and `perfetto.pftrace` are the run
as a trace for Perfetto, `GET /minimalloc/<run_id>/<attempt>-<problem|solution>.csv` is an attempt
or level in the format of MiniMalloc, `GET /graph/<run_id>/design` is the data from which the page
draws the locks and flows of a design, and `GET /snapshot?run=<id>&..` runs as one HTML file. The
query has `method` and overridden settings, or the view state of the run's page.
"""

from __future__ import annotations

import hashlib
from functools import partial
from typing import BinaryIO
from urllib.parse import urlencode

import pandas as pd
from flask import request

from app import __version__ as version
from app.context import AppContext
from app.pages.page_file import PageFile, PreparedFile, resolve_run
from app.pages.run.snapshot import snapshot_html
from app.request.errors import RequestError, request_errors
from app.views.memory.shown import LAYOUT
from app.views.registry import parse
from app.views.state import RunState
from app.views.tables import shown_table, table_frame
from schema.choices import METHODS, MIME_TYPES
from services.run.design_graph import design_graph_text
from services.run.export import write_frame
from services.run.frames import find_frame
from services.run.minimalloc import problem_text
from services.run.perfetto.formats import FORMATS, write_trace
from storage.errors import FrameNotFound, RunNotFound

_MAX_RUNS = 20


def prepare_frame(context: AppContext, run_id: str, frame: str, fmt: str) -> PreparedFile:
    """Prepare a frame of a run as a file in a format.

    Raises RequestError (404) if there is no such format; when the file is written, also if there is
    no such run or frame (404) or an option is invalid (400).
    """
    _check_format(fmt)
    options = request.args.to_dict()

    def write(stream: BinaryIO) -> str:
        write_frame(_frame(context, run_id, frame, options), fmt, stream)
        return f"{run_id[:12]}-{frame}.{fmt}"

    return PreparedFile(MIME_TYPES[fmt], write)


def prepare_trace(context: AppContext, run_id: str, fmt: str) -> PreparedFile:
    """Prepare a run as a trace in a format of Perfetto (`json` or `proto`).

    Raises RequestError: 404 if the run does not exist; when the file is written, 400 if the format
    cannot hold its times.
    """
    trace_format = FORMATS[fmt]
    run = resolve_run(context, run_id)

    def write(stream: BinaryIO) -> str:
        with request_errors(400, ValueError, end=""):
            write_trace(context.repository, run, fmt, stream)
        return f"{run[:12]}-perfetto.{trace_format.suffix}"

    return PreparedFile(trace_format.mimetype, write)


def prepare_table(context: AppContext, run_id: str, fmt: str) -> PreparedFile:
    """Prepare the table that the view shows as a file in a format; raises RequestError (404) if
    there is no such format.
    """
    _check_format(fmt)
    state = parse(request.query_string.decode("utf-8", "replace"))
    return PreparedFile(MIME_TYPES[fmt], partial(_write_table, context, run_id, state, fmt))


def prepare_placement(context: AppContext, run_id: str, attempt: int, kind: str) -> PreparedFile:
    """Prepare the problem of an attempt, or its solution (`kind`), as a MiniMalloc CSV file.

    Raises RequestError: 404 for other kinds; when the file is written, 404 if there is no such
    attempt, 400 if blocks have no addresses.
    """
    state = parse(request.query_string.decode("utf-8", "replace"))
    solution = _is_solution(kind)

    def write(stream: BinaryIO) -> str:
        stream.write(_problem(context, run_id, attempt, state, solution=solution).encode())
        return f"{run_id[:12]}-{attempt}-{kind}.csv"

    return PreparedFile("text/csv", write)


def prepare_snapshot(context: AppContext) -> PreparedFile:
    """Prepare runs as a single HTML file; the rest of the query is the view state.

    Raises RequestError: 400 unless the query has 1 to 20 runs, 404 if a run does not exist.
    """
    wanted = request.args.getlist("run")
    if not 1 <= len(wanted) <= _MAX_RUNS:
        raise RequestError(f"A snapshot is of 1 to {_MAX_RUNS} runs: /snapshot?run=<id>", 400)
    # `run` names the runs here and is not a field of the view state.
    query = urlencode(
        [(key, value) for key, value in request.args.items(multi=True) if key != "run"]
    )
    runs = [resolve_run(context, run) for run in wanted]

    def write(stream: BinaryIO) -> str:
        failures = context.lab.searches.groups.kept
        stream.write(snapshot_html(context.repository, runs, query, failures).encode())
        return f"tilescope-{runs[0][:12]}.html"

    return PreparedFile("text/html", write)


def prepare_design_graph(context: AppContext, run_id: str) -> PreparedFile:
    """Prepare the JSON file from which the page draws the locks and flows of a design, with an ETag.

    Raises RequestError (404) if the run does not exist; when the file is written, also if it has no
    design.
    """
    run = resolve_run(context, run_id)
    # Another release may produce other data from the same run.
    content = f"{context.data.version(run)} {version} design"

    def write(stream: BinaryIO) -> str:
        with request_errors(404, RunNotFound, end=""):
            design = context.data.get(run, METHODS[0], {}).design
        if design is None:
            raise RequestError("The run has no design.", 404)
        stream.write(design_graph_text(design).encode("utf-8", "replace"))
        return "design.json"

    etag = hashlib.sha256(content.encode()).hexdigest()[:32]
    return PreparedFile("application/json", write, etag)


def _is_solution(kind: str) -> bool:
    if kind not in ("problem", "solution"):
        raise RequestError(
            f"There is no {kind} of an attempt; there are problem and solution.", 404
        )
    return kind == "solution"


def _problem(
    context: AppContext, run_id: str, attempt: int, state: RunState, *, solution: bool
) -> str:
    with (
        request_errors(400, ValueError, end=""),
        request_errors(404, RunNotFound, FrameNotFound, end=""),
    ):
        return problem_text(
            context.data, run_id, attempt, solution=solution, layout=LAYOUT.of(state)
        )


def _write_table(
    context: AppContext, run_id: str, state: RunState, fmt: str, stream: BinaryIO
) -> str:
    """Write the table that the view shows and return the file's name; raises RequestError (404) if
    the run does not exist.
    """
    with request_errors(404, RunNotFound, end=""):
        data = context.data.with_saved(run_id, state.method, state.overrides)
    name = shown_table(data, state)
    write_frame(table_frame(data, state, name), fmt, stream)
    return f"{run_id[:12]}-{name}-selection.{fmt}"


def _check_format(fmt: str) -> None:
    """Raise RequestError (404) if the format is unknown."""
    if fmt not in MIME_TYPES:
        raise RequestError(f"There is no format {fmt}; there are {', '.join(MIME_TYPES)}.", 404)


def _frame(context: AppContext, run_id: str, frame: str, options: dict[str, str]) -> pd.DataFrame:
    method = options.pop("method", "robust")
    with (
        request_errors(400, ValueError, end=""),
        request_errors(404, RunNotFound, FrameNotFound, end=""),
    ):
        return find_frame(context.repository, run_id, frame, method, options)


SNAPSHOT = PageFile("/snapshot", prepare_snapshot)
EXPORTS = (
    PageFile("/export/<run_id>/<frame>.<fmt>", prepare_frame),
    *(
        PageFile(f"/export/<run_id>/perfetto.{found.suffix}", partial(prepare_trace, fmt=name))
        for name, found in FORMATS.items()
    ),
    PageFile("/table/<run_id>.<fmt>", prepare_table),
    PageFile("/graph/<run_id>/design", prepare_design_graph),
    PageFile("/minimalloc/<run_id>/<int:attempt>-<kind>.csv", prepare_placement),
)
