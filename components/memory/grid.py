"""What the grids of attempts and of memory blocks have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import dash_ag_grid as dag

CHOSEN_BY_KEY = "cellKey(params, setGridProps)"
"""Listener of `cellKeyDown`: enter and space set `cellClicked` as a click does."""

_ROW_PX, _FRAME_PX = 28, 36
_MOST_SHOWN = 8


def memory_grid(
    grid_id: str,
    columns: Sequence[Mapping[str, Any]],
    count: int,
    grid_options: Mapping[str, Any],
    *,
    most: int = _MOST_SHOWN,
    **more: Any,  # noqa: ANN401
) -> dag.AgGrid:
    """Lay out a grid that is as high as its `count` rows, up to `most`; `more` are properties of Dash's."""
    return dag.AgGrid(
        id=grid_id,
        columnDefs=[dict(column) for column in columns],
        defaultColDef={"resizable": True, "sortable": True, "suppressHeaderMenuButton": True},
        dashGridOptions=dict(grid_options),
        className="ts-memory-grid",
        style={"height": f"{_FRAME_PX + _ROW_PX * min(max(count, 2), most)}px"},
        **more,
    )


def options(no_rows: str) -> dict[str, Any]:
    """Return the options of AG Grid; `no_rows` is said where there is none."""
    return {
        "theme": {"function": "gridTheme(themeBalham)"},
        "tooltipShowDelay": 400,
        "animateRows": False,
        "localeText": {"noRowsToShow": no_rows},
    }


TEXT_FILTER: Mapping[str, Any] = MappingProxyType(
    {"filter": "agTextColumnFilter", "filterParams": {"maxNumConditions": 1}}
)
"""What a column of names has that can be filtered; a filter's button is too wide for every column."""


def number_column(title: str, width: int, shown: str, tooltip: str) -> dict[str, Any]:
    """Return what a column of numbers has but its field; `shown` and `tooltip` are expressions of `params`."""
    return {
        "headerName": title,
        "width": width,
        "type": "rightAligned",
        "cellClass": "ts-number ag-right-aligned-cell",
        "valueFormatter": {"function": shown},
        "tooltipValueGetter": {"function": tooltip},
    }


def size_column(title: str, width: int = 82) -> dict[str, Any]:
    """Return a column of sizes in KiB and MiB, to the byte in the tooltip."""
    return number_column(title, width, "tsBytes(params.value)", "tsExact(params.value, 'B')")


def address_column(title: str, width: int = 92) -> dict[str, Any]:
    """Return a column of hexadecimal addresses, decimal in the tooltip."""
    return number_column(title, width, "tsHex(params.value)", "tsExact(params.value, '')")
