"""`GET /snapshot?run=<id>&..`: runs as one HTML file that works offline."""

from __future__ import annotations

from urllib.parse import urlencode

from flask import Flask, Response, request

from app.context import AppContext
from app.errors import RequestError
from app.snapshot import snapshot_html
from storage.repository import RunNotFound

_MOST_RUNS = 20


def register(server: Flask, context: AppContext) -> None:
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
        return _download(snapshot_html(context.repository, runs, query), runs[0])


def _download(html: str, run_id: str) -> Response:
    response = Response(html, mimetype="text/html")
    response.headers["Content-Disposition"] = f'attachment; filename="tilescope-{run_id[:12]}.html"'
    return response
