"""The record of the list of runs."""

from __future__ import annotations

from app.pages.page import Page
from app.pages.runs import callbacks, page
from app.pages.runs.listed import list_content
from components.runs.list_address import LIST_PATH

RUNS_PAGE = Page(
    name="runs",
    path=LIST_PATH,
    title="Runs",
    layout=page.layout,
    register=callbacks.register,
    navigation="Runs",
    keys_title="list of runs",
    keys=(
        ("j k", "next and previous run"),
        ("Enter", "open the run"),
        ("Space", "select the run"),
        ("drag", "on the scatter: filter"),
    ),
    is_slow=False,
    # These callbacks compare runs.
    exceptions=("runs-against",),
    list_content=list_content,
    listed=("runs-scatter.figure", "runs-grid.rowData", "runs-grid.columnDefs"),
)
