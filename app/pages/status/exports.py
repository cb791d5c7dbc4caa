"""`GET /status.csv`: the rows of the status page for its view state."""

from __future__ import annotations

from dataclasses import replace
from typing import BinaryIO

from flask import request

from app.context import AppContext
from app.pages.page_file import PageFile, PreparedFile
from app.pages.status.shown_status import WITHIN_S, load_status
from app.pages.status.state import parse
from app.request.errors import RequestError, request_errors
from schema.choices import MIME_TYPES
from schema.moments import MomentError
from schema.plurals import plural
from services.baselines.members import BaselineError
from services.run.export import write_frame
from services.status.status_frame import status_frame


def prepare_rows(context: AppContext) -> PreparedFile:
    """Prepare the rows that match the filters as a CSV file; the query is the view state of the
    page.

    Raises RequestError: 400 if a rule or time is invalid, 503 if comparisons are still missing.
    """
    state = parse(request.query_string.decode("utf-8", "replace"))
    with request_errors(400, BaselineError, MomentError):
        status = load_status(context, state, WITHIN_S)
    if status.missing:
        # A file with missing verdicts would look complete.
        raise RequestError(f"{plural(status.missing, 'comparison')} still running; try again.", 503)
    shown = replace(status, rows=state.shown_rows(status))

    def write(stream: BinaryIO) -> str:
        write_frame(status_frame(shown), "csv", stream)
        return "status.csv"

    return PreparedFile(MIME_TYPES["csv"], write)


EXPORTS = (PageFile("/status.csv", prepare_rows),)
