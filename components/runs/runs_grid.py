"""The grid of runs, a run per row."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import dash_ag_grid as dag

from components.columns import NO_TOOLTIP, GridColumn, column_definitions
from components.numbers import DASH
from components.runs.default_columns import Filled, default_columns
from components.runs.run_records import EXACT_UNITS
from schema.peak_rates import RATES
from schema.run_columns import AGAINST, HEADLINE, LISTED_COLUMNS, Origin, RunColumn
from schema.table_columns import Format

_AGAINST_COLUMN = next(column for column in LISTED_COLUMNS if column.name == AGAINST)


def runs_grid(
    grid_id: str, records: Sequence[Mapping[str, Any]], columns: Sequence[Mapping[str, Any]]
) -> dag.AgGrid:
    """Build the grid of the first runs from `records` of `runs_records` and `columns` of
    `column_defs`.

    The server sorts the rows. Functions in the assets handle changes: `runsSortChanged` a new
    order, `runsScrolled` the end of the rows, `runsSelectionChanged` the selected runs. When there
    are no runs, the grid states that no run matches.
    """
    return dag.AgGrid(
        id=grid_id,
        rowData=records,
        columnDefs=columns,
        getRowId="params.data.run_id",
        defaultColDef={
            "resizable": True,
            "sortable": True,
            "suppressHeaderMenuButton": True,
            "sortingOrder": ["desc", "asc"],
            # The server sorts; the browser must keep the order of the rows.
            "comparator": {"function": "runsAsTheyCome"},
        },
        dashGridOptions=grid_options("No run matches. Clear a filter to see more.") | _SELECTION,
        eventListeners={
            "sortChanged": ["runsSortChanged(params)"],
            "bodyScroll": ["runsScrolled(params)"],
            "firstDataRendered": ["runsInView(params)", "runsFitName(params)"],
            "gridSizeChanged": ["runsFitName(params)"],
            "displayedColumnsChanged": ["runsFitName(params)"],
            "columnResized": ["runsColumnResized(params)"],
            "selectionChanged": ["runsSelectionChanged(params)"],
            "rowDataUpdated": ["runsRowsChanged(params)"],
        },
        className="ts-runs-grid",
        style={"height": "100%"},
    )


def column_defs(
    sort: str, filled: Filled | None, chosen: Sequence[str] = (), *, against: bool = False
) -> list[dict[str, Any]]:
    """Build the column definitions of the grid, in the order of the list of columns.

    Columns that are not `chosen` are hidden, except the name and the sorted column. If no column
    is chosen, those of `default_columns` are shown for `filled`, the numbers of listed runs with
    values, None if no run is listed. `sort` is a column name, prefixed by `-` for falling order.
    Column `against` exists only if there is a baseline.
    """
    columns = [column for column in LISTED_COLUMNS if against or column.name != AGAINST]
    shown = {"name", *(chosen or default_columns(columns, filled)), sort.removeprefix("-")}
    return [
        definition | {"hide": column.name not in shown} | _sorting(column.name, sort)
        for column, definition in zip(
            columns, column_definitions(map(_grid_column, columns)), strict=True
        )
    ]


def visible_columns(definitions: Sequence[Mapping[str, Any]]) -> list[str]:
    """List the field names of the visible columns of column definitions, in order and without the
    name.
    """
    return [
        column["field"]
        for column in definitions
        if not column["hide"] and column["field"] in COLUMN_NAMES
    ]


def choosable_columns(definitions: Sequence[Mapping[str, Any]]) -> list[dict[str, str]]:
    """List the columns that the user can choose, as options (label, value) of their check boxes."""
    fields = {column["field"] for column in definitions}
    return [
        {"label": title, "value": name} for name, title in COLUMN_NAMES.items() if name in fields
    ]


def _sorting(field: str, sort: str) -> dict[str, Any]:
    if sort.removeprefix("-") != field:
        return {}
    return {"initialSort": "desc" if sort.startswith("-") else "asc"}


def _grid_column(column: RunColumn) -> GridColumn:
    """Build the grid's column for a column of the list, from its format and its entry in
    _COLUMN_PROPERTIES.
    """
    look: dict[str, Any] = {"grows": column.grows, "tooltip": NO_TOOLTIP} | _look(column)
    return GridColumn.of(column, **look | _COLUMN_PROPERTIES.get(column.name, {}))


def _look(column: RunColumn) -> dict[str, Any]:
    """Return the properties that follow from a column's format: its text, or a dash whose tooltip
    explains it.
    """
    if column.format is Format.DATE:
        return {"tooltip_field": "date_told", "more": {"cellClass": "ts-number ts-date"}}
    if column.format.is_number:
        is_metric = column.origin is Origin.HEADLINE
        exact = f"params.data.{column.name}_exact" if column.format in EXACT_UNITS else "''"
        is_rate = column.name in RATES
        doubt = "params.data.impossible" if is_rate else exact
        return {
            "text_field": f"{column.name}_text" if is_metric else column.name,
            "tooltip": f"params.value == null ? {_why_missing(column)} : {doubt}",
            "marks": {"ts-trouble": "params.data.impossible !== ''"} if is_rate else {},
        }
    if column.is_optional:
        # A dash would say that a value is missing.
        return {"shown": "params.value || ''", "tooltip_field": column.name}
    return {
        "shown": f"params.value || '{DASH}'",
        "tooltip": f"params.value || {_why_missing(column)}",
    }


def _why_missing(column: RunColumn) -> str:
    """Return the script of the text that explains a dash of the column."""
    return json.dumps(column.why_missing)


_NO_SCRIPT = {"shown": "", "tooltip": NO_TOOLTIP}
"""Properties of a column without the default text and tooltip."""
_COLUMN_PROPERTIES: Mapping[str, dict[str, Any]] = MappingProxyType(
    {
        "name": {
            **_NO_SCRIPT,
            "pinned": "left",
            # `assets/runs.js` gives it the width that is left.
            "more": {"cellRenderer": "RunLink", "minWidth": 120},
        },
        HEADLINE: {
            "shown": "",
            "tooltip": NO_TOOLTIP,
            "tooltip_field": "headline_help",
            "more": {"cellClass": "ts-headline-cell", "cellRenderer": "HeadlineCell"},
        },
        "source": {"shown": ""},
        "capacity_use": {"marks": {"ts-trouble": "params.value > 1"}},
        "failed_blocks": {"marks": {"ts-trouble": "params.value > 0"}},
        AGAINST: {
            "shown": "",
            "tooltip": f"params.data.against_told || {_why_missing(_AGAINST_COLUMN)}",
            "marks": {
                f"ts-{look}": f"params.data.against_look === '{look}'"
                for look in ("good", "trouble", "caution", "muted")
            },
            "more": {"cellClass": "ts-against", "cellRenderer": "AgainstLink"},
        },
        "health": {
            **_NO_SCRIPT,
            "marks": {
                "ts-trouble": "params.data.errors > 0",
                "ts-caution": "params.data.errors == 0 && params.data.warnings > 0",
                "ts-good": "params.data.errors == 0 && params.data.warnings == 0",
            },
        },
        "file": {"tooltip": "params.data.file + ' · run ' + params.data.run_id"},
    }
)
"""Column -> properties that do not follow from its format."""

COLUMN_NAMES: Mapping[str, str] = MappingProxyType(
    {column.name: column.label for column in LISTED_COLUMNS if column.name != "name"}
)
"""Columns that can be chosen, in the grid's order -> heading; the name is always shown."""

_SELECTION: dict[str, Any] = {
    "rowSelection": {
        "mode": "multiRow",
        "enableClickSelection": False,
        "checkboxes": True,
        "headerCheckbox": True,
    },
    "selectionColumnDef": {
        "pinned": "left",
        "width": 36,
        "resizable": False,
        "suppressHeaderMenuButton": True,
    },
}


def grid_options(nothing: str) -> dict[str, Any]:
    """Build the options of the page's grids; `nothing` is the text if the grid has no rows."""
    return {
        "theme": {"function": "gridTheme(themeBalham)"},
        "tooltipShowDelay": 400,
        "suppressCellFocus": False,
        "animateRows": False,
        "localeText": {"noRowsToShow": nothing},
    }
