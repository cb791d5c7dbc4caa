"""What the compiler worked on, as a grid that can be searched, and the rewrite steps of one context as a tree."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import dash_ag_grid as dag
import pandas as pd

from components.memory.grid import CHOSEN_BY_KEY, TEXT_FILTER, memory_grid, number_column, options
from components.numbers import integer
from components.tables import records

MOST_SENT = 5_000
"""Contexts or steps that are listed."""
GRIDS = MappingProxyType({"context": "program-contexts-grid", "step": "program-steps-grid"})
"""Column that a grid's rows go by -> the grid's id."""
_NO_ROWS = MappingProxyType({"context": "No context matches.", "step": "This context has no steps."})
_INDENT = "\u2003"
_DEEPEST = 12


def contexts_grid(contexts: pd.DataFrame, selected: int | None) -> dag.AgGrid:
    """Lay out rows of frame `contexts`; a row's id is its context, `selected` is marked."""
    rows = records(contexts.head(MOST_SENT)[["context", "name", "steps", "matches", "duration"]])
    columns = [
        _number("context", "no.", 52),
        {"field": "name", "headerName": "context", "flex": 1, "minWidth": 120, "cellClass": "ts-mono"}
        | {"tooltipField": "name", **TEXT_FILTER, "floatingFilter": True},
        _number("steps", "steps", 60),
        _number("matches", "matches", 74),
        _time("duration", "time"),
    ]
    return _grid(columns, rows, "context", selected)


def steps_grid(steps: pd.DataFrame, selected: int | None) -> dag.AgGrid:
    """Lay out rows of frame `rewrite_steps` of one context, names indented by their depth in the tree of steps."""
    shown = steps.head(MOST_SENT)[["step", "name", "depth", "matches", "nodes", "duration", "file", "line"]]
    rows = records(shown)
    for row in rows:
        row["name"] = _INDENT * min(int(row["depth"]), _DEEPEST) + str(row["name"] or "")
        row["file"] = f"{row['file']}:{row['line']}" if row["file"] else ""
    columns = [
        _number("step", "no.", 52),
        {"field": "name", "headerName": "step", "flex": 1, "minWidth": 130, "tooltipField": "file", **TEXT_FILTER},
        _number("matches", "matches", 74),
        _number("nodes", "nodes", 64),
        _time("duration", "time"),
    ]
    return _grid(columns, rows, "step", selected)


def marked(selected: int | None, key: str) -> dict[str, Any]:
    """Return the `dashGridOptions` of a grid of GRIDS: set alone, they move the mark of the selected row."""
    mark = f"params.node.id == '{'' if selected is None else int(selected)}'"
    return options(_NO_ROWS[key]) | {"rowClassRules": {"ts-row-shown": mark}}


def scroll_to(selected: int | None) -> dict[str, Any] | None:
    """Return the `scrollTo` that brings the selected row into view; one that is in view stays where it is."""
    return None if selected is None else {"rowId": str(selected), "rowPosition": "auto"}


def left_out(count: int) -> str:
    """Say how many rows are not listed; empty for none."""
    return f"{integer(count - MOST_SENT)} more are not listed." if count > MOST_SENT else ""


def _grid(columns: list[dict[str, Any]], rows: list[dict[str, Any]], key: str, selected: int | None) -> dag.AgGrid:
    return memory_grid(
        GRIDS[key],
        columns,
        len(rows),
        marked(selected, key),
        rowData=rows,
        getRowId=f"params.data.{key}.toString()",
        eventListeners={"cellKeyDown": [CHOSEN_BY_KEY]},
        scrollTo=scroll_to(selected),
    )


def _number(field: str, title: str, width: int) -> dict[str, Any]:
    return number_column(title, width, "tsInteger(params.value)", "tsInteger(params.value)") | {"field": field}


def _time(field: str, title: str) -> dict[str, Any]:
    return number_column(title, 96, "tsDuration(params.value)", "tsWhole(params.value, 'ns')") | {"field": field}
