"""Thread traces of kernels as a table, of which one is on display."""

from __future__ import annotations

from typing import Any

import dash_ag_grid as dag
import pandas as pd

from components.memory.grid import CHOSEN_BY_KEY, TEXT_FILTER, memory_grid, number_column, options, size_column
from components.numbers import integer
from components.tables import records

MOST_ROWS = 5_000
GRID = "program-traces-grid"
_SENT = ("trace", "kernel", "device", "run", "engine", "bytes", "packets", "waves", "executed", "why")


def trace_table(traces: pd.DataFrame, selected: int | None) -> dag.AgGrid:
    """Lay out rows of frame `thread_traces`, the first MOST_ROWS; a row's id is its trace, `selected` is marked."""
    rows = records(traces.head(MOST_ROWS)[[*_SENT]])
    columns = [
        _number("trace", "no.", 52),
        _text("kernel", "kernel", 160) | {"flex": 1, "cellClass": "ts-mono", "floatingFilter": True},
        _text("device", "device", 80) | {"hide": traces["device"].nunique() < 2},
        _number("run", "run", 54),
        _number("engine", "engine", 66),
        size_column("size", 92) | {"field": "bytes"},
        _number("packets", "packets", 78),
        _number("waves", "waves", 66),
        _number("executed", "instructions", 112),
        _text("why", "note", 160) | {"flex": 1},
    ]
    return memory_grid(
        GRID,
        columns,
        len(rows),
        marked(selected),
        rowData=rows,
        getRowId="params.data.trace.toString()",
        eventListeners={"cellKeyDown": [CHOSEN_BY_KEY]},
        scrollTo=None if selected is None else {"rowId": str(selected), "rowPosition": "middle"},
    )


def marked(selected: int | None) -> dict[str, Any]:
    """Return the `dashGridOptions` of the table: set alone, they move the mark of the selected row."""
    mark = f"params.node.id == '{'' if selected is None else int(selected)}'"
    return options("No thread trace matches.") | {"rowClassRules": {"ts-row-shown": mark}}


def left_out(count: int) -> str:
    """Say how many traces are not listed; empty for none."""
    return f" {integer(count - MOST_ROWS)} more are not listed." if count > MOST_ROWS else ""


def _number(field: str, title: str, width: int) -> dict[str, Any]:
    return number_column(title, width, "tsInteger(params.value)", "tsInteger(params.value)") | {"field": field}


def _text(field: str, title: str, width: int) -> dict[str, Any]:
    return {"field": field, "headerName": title, "minWidth": width, "tooltipField": field, **TEXT_FILTER}
