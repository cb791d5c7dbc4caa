"""HTML files that work offline.

`GET /snapshot?run=<id>&..` is runs as one file, `/snapshot/compare?..` a comparison, `/snapshot/program/<id>?..` what
the compiler did, `/snapshot/lab/<id>?..` placements tried anew.
"""

from __future__ import annotations

from typing import BinaryIO
from urllib.parse import urlencode

from flask import Flask, Response, request

from app.comparison_snapshot import comparison_html
from app.context import AppContext
from app.errors import RequestError
from app.lab_snapshot import lab_html
from app.pages.lab.binding import open_lab
from app.program_snapshot import program_html
from app.server.downloads import Downloads
from app.server.routes.comparison import compared
from app.snapshot import snapshot_html
from app.views.lab.registry import parse as parse_lab
from app.views.program.registry import parse as parse_program
from storage.repository import RunNotFound

_MOST_RUNS = 20


def register(server: Flask, context: AppContext, downloads: Downloads) -> None:
    """Add the routes; the query is the view state of a page, in the first beside the runs."""

    @server.get("/snapshot")
    def snapshot() -> Response:
        wanted = request.args.getlist("run")
        if not 1 <= len(wanted) <= _MOST_RUNS:
            raise RequestError(f"A snapshot is of 1 to {_MOST_RUNS} runs: /snapshot?run=<id>", 400)
        query = urlencode([(key, value) for key, value in request.args.items(multi=True) if key != "run"])
        runs = [_resolved(context, run) for run in wanted]

        def write(stream: BinaryIO) -> str:
            stream.write(snapshot_html(context.repository, runs, query).encode())
            return f"tilescope-{runs[0][:12]}.html"

        return downloads.answer(write, "text/html")

    @server.get("/snapshot/program/<run_id>")
    def snapshot_of_programs(run_id: str) -> Response:
        state = parse_program(request.query_string.decode("utf-8", "replace"))
        run = _resolved(context, run_id)

        def write(stream: BinaryIO) -> str:
            stream.write(program_html(context.compilers.get(run), state).encode())
            return f"tilescope-{run[:12]}-programs.html"

        return downloads.answer(write, "text/html")

    @server.get("/snapshot/lab/<run_id>")
    def snapshot_of_lab(run_id: str) -> Response:
        state = parse_lab(request.query_string.decode("utf-8", "replace"))
        run = _resolved(context, run_id)

        def write(stream: BinaryIO) -> str:
            stream.write(lab_html(open_lab(context, run, state), state).encode())
            return f"tilescope-{run[:12]}-lab.html"

        return downloads.answer(write, "text/html")

    @server.get("/snapshot/compare")
    def snapshot_of_comparison() -> Response:
        query = request.query_string.decode("utf-8", "replace")

        def write(stream: BinaryIO) -> str:
            stream.write(comparison_html(*compared(context, query)).encode())
            return "tilescope-comparison.html"

        return downloads.answer(write, "text/html")


def _resolved(context: AppContext, run_id: str) -> str:
    """Return the whole id of a run; raises RequestError (404)."""
    try:
        return context.repository.resolve(run_id)
    except RunNotFound as error:
        raise RequestError(str(error), 404) from error
