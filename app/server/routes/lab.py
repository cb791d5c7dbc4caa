"""`GET /lab/<run_id>/<name>?..` is what the lab shows with that view state: problem.csv, solution.csv, answer.json."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import BinaryIO

from flask import Flask, Response, request

from app.context import AppContext
from app.errors import RequestError
from app.pages.lab.binding import open_lab
from app.server.downloads import Downloads
from app.views.lab.registry import parse
from app.views.lab.view import picked
from services.lab.answers import LabAnswer
from services.lab.data import LabData
from services.lab.export import answer_json, problem_csv, solution_csv
from storage.errors import RunNotFound

_MADE: Mapping[str, tuple[str, Callable[[LabData, LabAnswer | None], str]]] = {
    "problem.csv": ("text/csv", lambda data, _answer: problem_csv(data)),
    "solution.csv": ("text/csv", solution_csv),
    "answer.json": ("application/json", answer_json),
}


def register(server: Flask, context: AppContext, downloads: Downloads) -> None:
    """Add the route."""

    @server.get("/lab/<run_id>/<name>")
    def exported(run_id: str, name: str) -> Response:
        if name not in _MADE:
            raise RequestError(f"The lab has no {name[:20]}; it has {', '.join(_MADE)}.", 404)
        mime, make = _MADE[name]
        state = parse(request.query_string.decode("utf-8", "replace"))

        def write(stream: BinaryIO) -> str:
            try:
                run = context.repository.resolve(run_id)
                data = open_lab(context, run, state)
                stream.write(make(data, picked(data, state)).encode())
            except (RunNotFound, ValueError) as error:
                raise RequestError(str(error), 404) from error
            return f"{run[:12]}-{data.asked.attempt}-{name}"

        return downloads.answer(write, mime)
