"""The steps of an attempt in the order in which they run, as a grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_ag_grid as dag

from components.memory.grid import CHOSEN_BY_KEY, memory_grid, number_column, options, size_column

GRID = "lab-order-grid"


def order_grid(rows: Sequence[dict[str, Any]], shown: int | None) -> dag.AgGrid:
    """Lay out steps with the fields of the columns; the one at position `shown` is marked."""
    return memory_grid(
        GRID,
        _COLUMNS,
        len(rows),
        _marked(shown),
        rowData=[{**row, "row": str(rank)} for rank, row in enumerate(rows)],
        getRowId="params.data.row",
        scrollTo={"rowIndex": shown, "rowPosition": "middle"} if shown is not None else {},
        eventListeners={"cellKeyDown": [CHOSEN_BY_KEY]},
    )


def _marked(shown: int | None) -> dict[str, Any]:
    mark = f"params.node.id == '{'' if shown is None else shown}'"
    return options("No steps.") | {"rowClassRules": {"ts-row-shown": mark}}


def _whole(field: str, title: str, width: int) -> dict[str, Any]:
    return number_column(title, width, "tsInteger(params.value)", "tsInteger(params.value)") | {"field": field}


_COLUMNS: tuple[dict[str, Any], ...] = (
    _whole("position", "runs as", 76),
    _whole("step", "in the file", 88),
    {"field": "name", "headerName": "step", "flex": 1, "minWidth": 130, "tooltipField": "name"},
    {"field": "op_type", "headerName": "operator", "width": 130, "tooltipField": "op_type"},
    size_column("alive", 90) | {"field": "alive", "headerTooltip": "bytes in use while it runs"},
    {
        "field": "may",
        "headerName": "may run at",
        "width": 94,
        "type": "rightAligned",
        "headerTooltip": "first and last place that it can have while all others keep their order",
    },
)
