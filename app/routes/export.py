"""`GET /export/<run_id>/<frame>.<format>`: one frame of a run as a file."""

from __future__ import annotations

import tempfile
from typing import BinaryIO, cast

import pandas as pd
from flask import Flask, Response, request, send_file

from app.context import AppContext
from app.errors import RequestError
from app.frame_export import MIME_TYPES, write_frame
from app.run_frames import find_frame
from storage.errors import FrameNotFound, RunNotFound

_IN_MEMORY = 8 * 2**20


def register(server: Flask, context: AppContext) -> None:
    """Add the route; the query holds `method` and the settings that differ from the run's own."""

    @server.get("/export/<run_id>/<frame>.<fmt>")
    def export(run_id: str, frame: str, fmt: str) -> Response:
        if fmt not in MIME_TYPES:
            raise RequestError(f"There is no format {fmt}; there are {', '.join(MIME_TYPES)}.", 404)
        table = _frame(context, run_id, frame, request.args.to_dict())
        return _as_file(table, fmt, f"{run_id[:12]}-{frame}.{fmt}")


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
