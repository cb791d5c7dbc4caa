"""Grids of the compiler's contexts, which can be searched, and of the rewrite steps of a context,
as a tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import dash_ag_grid as dag
import pandas as pd

from components.columns import GridColumn
from components.grid import marked_options, memory_grid, row_target
from components.numbers import integer
from components.tables import records
from schema.table_columns import Format

MAX_SENT = 5_000
"""Contexts or steps that are listed at most."""
GRIDS = MappingProxyType({"context": "program-contexts-grid", "step": "program-steps-grid"})
"""Column that identifies a grid's rows -> the grid's id."""
_NO_ROWS = MappingProxyType(
    {"context": "No context matches.", "step": "This context has no steps."}
)
_INDENT = "\u2003"
"""Indentation of a step's name per level of depth, an em space."""
_MAX_INDENT = 12
"""Levels of indentation at most."""


def contexts_grid(contexts: pd.DataFrame, selected: int | None) -> dag.AgGrid:
    """Build the grid of the first 5,000 rows (MAX_SENT) of a frame `contexts`.

    A row's id is its context, the row `selected` is marked and scrolled into view. When there are
    no rows, the grid shows a text about that.
    """
    rows = records(contexts.head(MAX_SENT)[["context", "name", "steps", "matches", "duration"]])
    return _grid(_CONTEXT_COLUMNS, rows, "context", selected)


def steps_grid(steps: pd.DataFrame, selected: int | None) -> dag.AgGrid:
    """Build the grid of the first 5,000 rows of a frame `rewrite_steps` of a single context, names
    indented by their depth.

    A row's id is its step; the row `selected` is marked and scrolled into view.
    """
    shown = steps.head(MAX_SENT)[
        ["step", "name", "depth", "matches", "nodes", "duration", "file", "line"]
    ]
    rows = records(shown)
    for row in rows:
        row["name"] = _INDENT * min(int(row["depth"]), _MAX_INDENT) + str(row["name"] or "")
        row["file"] = f"{row['file']}:{row['line']}" if row["file"] else ""
    return _grid(_STEP_COLUMNS, rows, "step", selected)


def mark_options(selected: int | None, key: str) -> dict[str, Any]:
    """Build the `dashGridOptions` of a grid of GRIDS that mark the row `selected`, no row if it is
    None; `key` is a key of GRIDS.
    """
    return marked_options(_NO_ROWS[key], selected)


def left_out(count: int) -> str:
    """Return the note about the number of rows beyond 5,000 (MAX_SENT) that are not listed, "" if
    all of `count` are.
    """
    return f"{integer(count - MAX_SENT)} more are not listed." if count > MAX_SENT else ""


def _grid(
    columns: Sequence[GridColumn], rows: list[dict[str, Any]], key: str, selected: int | None
) -> dag.AgGrid:
    return memory_grid(
        GRIDS[key],
        columns,
        len(rows),
        mark_options(selected, key),
        rowData=rows,
        # ag-grid requires ids that are texts.
        getRowId=f"params.data.{key}.toString()",
        scrollTo=row_target(selected),
    )


def _number_rows(name: str) -> GridColumn:
    return _number(name, "no.", width=52)


_number = partial(GridColumn, format=Format.WHOLE)
_MATCHES = _number("matches", "matches", width=74)
_DURATION = GridColumn("duration", "time", 96, Format.DURATION)
_CONTEXT_COLUMNS = (
    _number_rows("context"),
    GridColumn(
        "name",
        "context",
        120,
        grows=1,
        is_mono=True,
        tooltip_field="name",
        is_filtered=True,
        more={"floatingFilter": True},
    ),
    _number("steps", "steps", width=60),
    _MATCHES,
    _DURATION,
)
_STEP_COLUMNS = (
    _number_rows("step"),
    GridColumn("name", "step", 130, grows=1, tooltip_field="file", is_filtered=True),
    _MATCHES,
    _number("nodes", "nodes", width=64),
    _DURATION,
)
