"""Frames as files.

`GET /export/<run_id>/<frame>.<format>` is a frame of a run, `GET /table/<run_id>.<format>` the table that a view shows,
`GET /minimalloc/<run_id>/<attempt>-<problem|solution>.csv` an attempt or level as MiniMalloc reads it.
"""

from __future__ import annotations

import tempfile
from typing import BinaryIO, cast

import pandas as pd
from flask import Flask, Response, request, send_file

from app.context import AppContext
from app.errors import RequestError
from app.views.memory.shown import LAYOUT
from app.views.registry import parse
from app.views.tables import shown_table, table_frame
from services.export import MIME_TYPES, write_frame
from services.frames import find_frame
from services.minimalloc import problem_text
from storage.errors import FrameNotFound, RunNotFound

_IN_MEMORY = 8 * 2**20


def register(server: Flask, context: AppContext) -> None:
    """Add the routes; the query holds `method` and changed settings, or the view state of the run's page."""

    @server.get("/export/<run_id>/<frame>.<fmt>")
    def export(run_id: str, frame: str, fmt: str) -> Response:
        _writable(fmt)
        table = _frame(context, run_id, frame, request.args.to_dict())
        return _as_file(table, fmt, f"{run_id[:12]}-{frame}.{fmt}")

    @server.get("/table/<run_id>.<fmt>")
    def table(run_id: str, fmt: str) -> Response:
        _writable(fmt)
        state = parse(request.query_string.decode("utf-8", "replace"))
        try:
            data = context.data.get(run_id, state.method, state.overrides)
        except RunNotFound as error:
            raise RequestError(str(error), 404) from error
        name = shown_table(data, state)
        return _as_file(table_frame(data, state, name), fmt, f"{run_id[:12]}-{name}-selection.{fmt}")

    @server.get("/minimalloc/<run_id>/<int:attempt>-<kind>.csv")
    def minimalloc(run_id: str, attempt: int, kind: str) -> Response:
        state = parse(request.query_string.decode("utf-8", "replace"))
        try:
            text = problem_text(context.data, run_id, attempt, solution=_solution(kind), layout=LAYOUT.of(state))
        except (RunNotFound, FrameNotFound) as error:
            raise RequestError(str(error), 404) from error
        except ValueError as error:
            raise RequestError(str(error), 400) from error
        return Response(text, mimetype="text/csv", headers=_attachment(f"{run_id[:12]}-{attempt}-{kind}.csv"))


def _solution(kind: str) -> bool:
    if kind not in ("problem", "solution"):
        raise RequestError(f"There is no {kind} of an attempt; there are problem and solution.", 404)
    return kind == "solution"


def _attachment(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def _writable(fmt: str) -> None:
    """Refuse a format that there is none of."""
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


def _as_file(table: pd.DataFrame, fmt: str, name: str) -> Response:
    spool = cast("BinaryIO", tempfile.SpooledTemporaryFile(_IN_MEMORY))  # noqa: SIM115 -- the response closes it
    write_frame(table, fmt, spool)
    spool.seek(0)
    return send_file(spool, mimetype=MIME_TYPES[fmt], as_attachment=True, download_name=name)
