"""`GET /snapshot?run=<id>&..` is runs as one HTML file that works offline, `/snapshot/compare?..` a comparison."""

from __future__ import annotations

from typing import BinaryIO
from urllib.parse import urlencode

from flask import Flask, Response, request

from app.comparison_snapshot import comparison_html
from app.context import AppContext
from app.errors import RequestError
from app.server.downloads import Downloads
from app.server.routes.comparison import compared
from app.snapshot import snapshot_html
from storage.repository import RunNotFound

_MOST_RUNS = 20


def register(server: Flask, context: AppContext, downloads: Downloads) -> None:
    """Add the route; what is not `run` in the query is the view state of the run page."""

    @server.get("/snapshot")
    def snapshot() -> Response:
        wanted = request.args.getlist("run")
        if not 1 <= len(wanted) <= _MOST_RUNS:
            raise RequestError(f"A snapshot is of 1 to {_MOST_RUNS} runs: /snapshot?run=<id>", 400)
        query = urlencode([(key, value) for key, value in request.args.items(multi=True) if key != "run"])
        try:
            runs = [context.repository.resolve(run) for run in wanted]
        except RunNotFound as error:
            raise RequestError(str(error), 404) from error

        def write(stream: BinaryIO) -> str:
            stream.write(snapshot_html(context.repository, runs, query).encode())
            return f"tilescope-{runs[0][:12]}.html"

        return downloads.answer(write, "text/html")

    @server.get("/snapshot/compare")
    def snapshot_of_comparison() -> Response:
        query = request.query_string.decode("utf-8", "replace")

        def write(stream: BinaryIO) -> str:
            stream.write(comparison_html(*compared(context, query)).encode())
            return "tilescope-comparison.html"

        return downloads.answer(write, "text/html")
