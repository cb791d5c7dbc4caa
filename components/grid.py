"""AG Grid options that most grids share.

The list of runs and the tables of frames have their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import dash_ag_grid as dag

from components.columns import GridColumn, column_definitions

CHOSEN_BY_KEY = "cellKey(params, setGridProps)"
"""Handler of `cellKeyDown`: Enter and Space set `cellClicked`, as a click does."""

_FIT = ["gridFitPinned(params)"]
_WIDTH_LISTENERS: Mapping[str, list[str]] = MappingProxyType(
    {
        "rowDataUpdated": _FIT,
        "gridSizeChanged": _FIT,
        "columnResized": ["gridColumnResized(params)"],
    }
)
"""Handlers that fit the width of the column that stays in view (`assets/grid.js`)."""
_ROW_PX, _FRAME_PX = 28, 36
_MAX_ROWS_SHOWN = 8


def memory_grid(
    grid_id: str,
    columns: Sequence[GridColumn],
    count: int,
    grid_options: Mapping[str, Any],
    *,
    most: int = _MAX_ROWS_SHOWN,
    is_clicked: bool = True,
    **more: Any,  # noqa: ANN401
) -> dag.AgGrid:
    """Build a grid of `count` rows that is as high as its rows, at least 2 and up to `most` rows;
    further rows are reached by scrolling.

    If `is_clicked`, a click, Enter or Space on a cell sets `cellClicked`. `more` are further
    properties of Dash's AgGrid, such as `rowData`. A column that stays in view takes the free
    width.
    """
    by_key = {"cellKeyDown": [CHOSEN_BY_KEY]} if is_clicked else {}
    return dag.AgGrid(
        id=grid_id,
        columnDefs=column_definitions(columns),
        defaultColDef={"resizable": True, "sortable": True, "suppressHeaderMenuButton": True},
        dashGridOptions=dict(grid_options),
        className="ts-memory-grid",
        eventListeners={**_WIDTH_LISTENERS, **by_key},
        style={"height": f"{_FRAME_PX + _ROW_PX * min(max(count, 2), most)}px"},
        **more,
    )


def options(no_rows: str) -> dict[str, Any]:
    """Build the `dashGridOptions` that most grids share; `no_rows` is the text shown if the grid
    has no rows.
    """
    return {
        "theme": {"function": "gridTheme(themeBalham)"},
        "tooltipShowDelay": 400,
        "animateRows": False,
        "localeText": {"noRowsToShow": no_rows},
    }


def marked_options(no_rows: str, *marked: int | None) -> dict[str, Any]:
    """Build `options` with a mark on the rows with the ids `marked`; None marks no row.

    A callback that sets only this property moves the marks of a grid on the page.
    """
    return options(no_rows) | {"rowClassRules": {"ts-row-shown": row_condition(*marked)}}


def row_condition(*ids: int | None) -> str:
    """Write the condition of the browser for a row with one of these ids; None is no row.

    The browser evaluates it for every row, so that callers limit the number of ids.
    """
    # `int`, because the browser runs this text: only a number may enter it.
    conditions = [f"params.node.id == '{int(row)}'" for row in ids if row is not None]
    return " || ".join(conditions) or "false"


def row_target(row: int | None) -> dict[str, Any] | None:
    """Build the `scrollTo` that brings the row with this id into view; None if `row` is None."""
    # AG Grid defines top, middle and bottom. Any other word, such as "auto", moves the row only if
    # it is out of view.
    return None if row is None else {"rowId": str(row), "rowPosition": "auto"}
