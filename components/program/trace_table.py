"""Table of the thread traces of kernels; a trace can be selected."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import dash_ag_grid as dag
import pandas as pd

from components.columns import GridColumn
from components.grid import marked_options, memory_grid
from components.numbers import integer
from components.tables import records
from schema.table_columns import Format

MAX_ROWS = 5_000
"""Traces that are listed at most."""
GRID = "program-traces-grid"
"""Id of the table."""


def trace_table(traces: pd.DataFrame, selected: int | None) -> dag.AgGrid:
    """Build the table of the first 5,000 rows (MAX_ROWS) of a frame `thread_traces`.

    A row's id is its trace, the row `selected` is marked and scrolled into view. When there are no
    rows, the table shows a text about that.
    """
    rows = records(traces.head(MAX_ROWS)[_SENT])
    return memory_grid(
        GRID,
        _columns(traces),
        len(rows),
        mark_options(selected),
        rowData=rows,
        getRowId="params.data.trace.toString()",
        scrollTo=None if selected is None else {"rowId": str(selected), "rowPosition": "middle"},
    )


def mark_options(selected: int | None) -> dict[str, Any]:
    """Build the `dashGridOptions` of the table that mark the row `selected`, no row if it is None."""
    return marked_options("No thread trace matches.", selected)


def left_out(count: int) -> str:
    """Return the note about the number of traces beyond 5,000 (MAX_ROWS) that are not listed, with
    a space in front, "" if all of `count` are.
    """
    return f" {integer(count - MAX_ROWS)} more are not listed." if count > MAX_ROWS else ""


def _columns(traces: pd.DataFrame) -> list[GridColumn]:
    # The column only takes room when all traces are of one device.
    several = traces["device"].nunique() > 1
    return [
        replace(column, is_hidden=column.name == "device" and not several) for column in _COLUMNS
    ]


_number = partial(GridColumn, format=Format.WHOLE)
_COLUMNS = (
    _number("trace", "no.", width=52),
    GridColumn(
        "kernel",
        "kernel",
        160,
        grows=1,
        is_mono=True,
        tooltip_field="kernel",
        is_filtered=True,
        more={"floatingFilter": True},
    ),
    GridColumn("device", "device", 200, tooltip_field="device", is_filtered=True),
    _number("run", "run", width=54),
    _number("engine", "engine", width=66),
    GridColumn("bytes", "size", 92, Format.SIZE),
    _number("packets", "packets", width=78),
    _number("waves", "waves", width=66),
    _number("executed", "instructions", width=112),
    GridColumn("why", "note", 160, grows=1, tooltip_field="why", is_filtered=True),
)
_SENT = [column.name for column in _COLUMNS]
