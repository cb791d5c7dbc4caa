"""Grid of the steps of an attempt in execution order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_ag_grid as dag

from components.columns import GridColumn
from components.grid import marked_options, memory_grid
from schema.table_columns import Format

GRID = "lab-order-grid"


def order_grid(rows: Sequence[dict[str, Any]], shown: int | None) -> dag.AgGrid:
    """Build the grid from steps, dicts with the fields of its columns, in execution order.

    The step at position `shown` (from 0) is marked and scrolled into view. When there are no steps,
    the grid shows a text about that.
    """
    return memory_grid(
        GRID,
        _COLUMNS,
        len(rows),
        marked_options("No steps.", shown),
        rowData=[{**row, "row": str(rank)} for rank, row in enumerate(rows)],
        getRowId="params.data.row",
        scrollTo={"rowIndex": shown, "rowPosition": "middle"} if shown is not None else {},
    )


_COLUMNS = (
    GridColumn("position", "runs as", 76, Format.WHOLE),
    GridColumn("step", "in the file", 88, Format.WHOLE),
    GridColumn("name", "step", 130, grows=1, tooltip_field="name"),
    GridColumn("op_type", "operator", 130, tooltip_field="op_type"),
    GridColumn("alive", "alive", 90, Format.SIZE, help="bytes in use while it runs"),
    GridColumn(
        "may",
        "may run at",
        94,
        help="first and last place that it can have while all others keep their order",
        more={"type": "rightAligned"},
    ),
)
