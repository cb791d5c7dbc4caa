"""Frames as files.

`GET /export/<run_id>/<frame>.<format>` is a frame of a run, `GET /table/<run_id>.<format>` the table that a view shows,
`GET /minimalloc/<run_id>/<attempt>-<problem|solution>.csv` an attempt or level as MiniMalloc reads it.
"""

from __future__ import annotations

from functools import partial
from typing import BinaryIO

import pandas as pd
from flask import Flask, Response, request

from app.context import AppContext
from app.errors import RequestError
from app.server.downloads import Downloads
from app.views.memory.shown import LAYOUT
from app.views.registry import parse
from app.views.state import RunState
from app.views.tables import shown_table, table_frame
from schema.choices import MIME_TYPES
from services.export import write_frame
from services.frames import find_frame
from services.minimalloc import problem_text
from storage.errors import FrameNotFound, RunNotFound


def register(server: Flask, context: AppContext, downloads: Downloads) -> None:
    """Add the routes; the query holds `method` and changed settings, or the view state of the run's page."""

    @server.get("/export/<run_id>/<frame>.<fmt>")
    def export(run_id: str, frame: str, fmt: str) -> Response:
        _writable(fmt)
        options = request.args.to_dict()

        def write(stream: BinaryIO) -> str:
            write_frame(_frame(context, run_id, frame, options), fmt, stream)
            return f"{run_id[:12]}-{frame}.{fmt}"

        return downloads.answer(write, MIME_TYPES[fmt])

    @server.get("/table/<run_id>.<fmt>")
    def table(run_id: str, fmt: str) -> Response:
        _writable(fmt)
        state = parse(request.query_string.decode("utf-8", "replace"))
        return downloads.answer(partial(_write_table, context, run_id, state, fmt), MIME_TYPES[fmt])

    @server.get("/minimalloc/<run_id>/<int:attempt>-<kind>.csv")
    def minimalloc(run_id: str, attempt: int, kind: str) -> Response:
        state = parse(request.query_string.decode("utf-8", "replace"))
        solution = _solution(kind)

        def write(stream: BinaryIO) -> str:
            stream.write(_problem(context, run_id, attempt, state, solution=solution).encode())
            return f"{run_id[:12]}-{attempt}-{kind}.csv"

        return downloads.answer(write, "text/csv")


def _solution(kind: str) -> bool:
    if kind not in ("problem", "solution"):
        raise RequestError(f"There is no {kind} of an attempt; there are problem and solution.", 404)
    return kind == "solution"


def _problem(context: AppContext, run_id: str, attempt: int, state: RunState, *, solution: bool) -> str:
    try:
        return problem_text(context.data, run_id, attempt, solution=solution, layout=LAYOUT.of(state))
    except (RunNotFound, FrameNotFound) as error:
        raise RequestError(str(error), 404) from error
    except ValueError as error:
        raise RequestError(str(error), 400) from error


def _write_table(context: AppContext, run_id: str, state: RunState, fmt: str, stream: BinaryIO) -> str:
    """Write the table that the view shows and return the file's name."""
    try:
        data = context.data.with_kept(run_id, state.method, state.overrides)
    except RunNotFound as error:
        raise RequestError(str(error), 404) from error
    name = shown_table(data, state)
    write_frame(table_frame(data, state, name), fmt, stream)
    return f"{run_id[:12]}-{name}-selection.{fmt}"


def _writable(fmt: str) -> None:
    """Refuse an unknown format."""
    if fmt not in MIME_TYPES:
        raise RequestError(f"There is no format {fmt}; there are {', '.join(MIME_TYPES)}.", 404)


def _frame(context: AppContext, run_id: str, frame: str, options: dict[str, str]) -> pd.DataFrame:
    method = options.pop("method", "robust")
    try:
        return find_frame(context.repository, run_id, frame, method, options)
    except (RunNotFound, FrameNotFound) as error:
        raise RequestError(str(error), 404) from error
    except ValueError as error:
        raise RequestError(str(error), 400) from error
