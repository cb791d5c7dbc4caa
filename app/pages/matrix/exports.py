"""`GET /matrix.csv`: the cells of the page of allocators and runs for its view state."""

from __future__ import annotations

from typing import BinaryIO

from flask import request

from app.context import AppContext
from app.pages.matrix.shown_rows import load_rows
from app.pages.matrix.state import parse
from app.pages.page_file import PageFile, PreparedFile
from app.request.errors import RequestError
from schema.choices import MIME_TYPES
from services.lab.matrix_page import matrix_of_rows
from services.lab.matrix_table import matrix_frame
from services.run.export import write_frame


def prepare_cells(context: AppContext) -> PreparedFile:
    """Prepare the cells of the page as a CSV file; the query is the view state of the page.

    Raises RequestError (400) if the query has no runs.
    """
    state = parse(request.query_string.decode("utf-8", "replace"))
    if not state.run:
        raise RequestError("The matrix needs runs: run=ID for each.", 400)

    def write(stream: BinaryIO) -> str:
        cells = matrix_of_rows(load_rows(context, state), state.seed, state.effort)
        write_frame(matrix_frame(cells), "csv", stream)
        return "matrix.csv"

    return PreparedFile(MIME_TYPES["csv"], write)


EXPORTS = (PageFile("/matrix.csv", prepare_cells),)
