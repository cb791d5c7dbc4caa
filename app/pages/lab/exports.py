"""Files of the lab with a view state: `GET /lab/<run_id>/<name>?..`.

`name` is problem.csv, solution.csv or answer.json. `GET /snapshot/lab/<run_id>?..` is the page as
one HTML file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import BinaryIO

from flask import request

from app.context import AppContext
from app.pages.lab.binding import open_lab
from app.pages.lab.snapshot import lab_html
from app.pages.page_file import PageFile, PreparedFile, resolve_run
from app.request.errors import RequestError, request_errors
from app.views.lab.registry import parse
from app.views.lab.view import picked_placement
from services.lab.data import LabData
from services.lab.export import placement_json, problem_csv, solution_csv
from services.run.placements import LabPlacement
from storage.errors import RunNotFound

_WRITERS: Mapping[str, tuple[str, Callable[[LabData, LabPlacement | None], str]]] = {
    "problem.csv": ("text/csv", lambda data, _answer: problem_csv(data)),
    "solution.csv": ("text/csv", solution_csv),
    "answer.json": ("application/json", placement_json),
}


def prepare_file(context: AppContext, run_id: str, name: str) -> PreparedFile:
    """Prepare the file `name` of the lab: problem.csv, solution.csv or answer.json.

    Raises RequestError (404) for other names; when the file is written, also if the run does not
    exist or there is no placement.
    """
    if name not in _WRITERS:
        raise RequestError(f"The lab has no {name[:20]}; it has {', '.join(_WRITERS)}.", 404)
    mime, make = _WRITERS[name]
    state = parse(request.query_string.decode("utf-8", "replace"))

    def write(stream: BinaryIO) -> str:
        with request_errors(404, RunNotFound, ValueError, end=""):
            run = context.repository.resolve(run_id)
            data = open_lab(context, run, state)
            stream.write(make(data, picked_placement(data, state)).encode())
        return f"{run[:12]}-{data.asked.attempt}-{name}"

    return PreparedFile(mime, write)


def prepare_snapshot(context: AppContext, run_id: str) -> PreparedFile:
    """Prepare the page of the lab as an HTML file that works offline; raises RequestError (404) if
    the run does not exist.
    """
    state = parse(request.query_string.decode("utf-8", "replace"))
    run = resolve_run(context, run_id)

    def write(stream: BinaryIO) -> str:
        stream.write(lab_html(open_lab(context, run, state), state).encode())
        return f"tilescope-{run[:12]}-lab.html"

    return PreparedFile("text/html", write)


SNAPSHOT = PageFile("/snapshot/lab/<run_id>", prepare_snapshot)
EXPORTS = (PageFile("/lab/<run_id>/<name>", prepare_file),)
