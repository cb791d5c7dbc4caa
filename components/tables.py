"""Tables of a run's frames as grids, with columns, units and meanings from the schema."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import dash_ag_grid as dag
import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from components.columns import NO_TOOLTIP, GridColumn, column_definitions
from components.numbers import count_text, tame
from schema.frames import FRAMES
from schema.spec import Column
from schema.table_columns import number_format
from schema.time_units import NANOSECONDS

MAX_SENT = 2_000
"""Rows up to which a table is sent whole; a longer table is fetched in blocks while it scrolls."""
_BLOCK_ROWS = 200
"""Rows of a block."""
_LABELS = {"gmacs_per_s": "GMAC/s", "utilization": "utilisation"}
_NUMERIC = ("int64", "Int64", "float64")
_WIDE = {"lane": 150, "name": 150, "message": 520, "location": 220, "reason": 260, "code": 170}
_CODES = ("colours",)
"""Columns that only encode how another column is drawn; tables leave them out."""
_ROW_PX, _HEADER_PX = 28, 52
_MAX_ROWS_SHOWN = 14


def table(
    table_id: str,
    name: str,
    frame: pd.DataFrame,
    *,
    unit: str = "",
    hidden: Collection[str] | None = None,
) -> dag.AgGrid:
    """Build a grid of a schema frame `name` that sorts and filters; when there are no rows, it says
    "No rows."

    `unit` is the time unit of the run's ticks, `hidden` the result of `hidden_columns` if the caller
    has it. The id of a row is its position in `frame`. Beyond
    2,000 rows (MAX_SENT) the grid requests blocks: a callback must answer its `getRowsRequest` with
    `rows_response` as `getRowsResponse`.
    """
    whole = len(frame) <= MAX_SENT
    return dag.AgGrid(
        id=table_id,
        columnDefs=column_definitions(frame_columns(name, frame, unit=unit, hidden=hidden)),
        rowModelType="clientSide" if whole else "infinite",
        getRowId="params.data.row",
        defaultColDef={
            "resizable": True,
            "sortable": True,
            "filter": True,
            "floatingFilter": False,
        },
        dashGridOptions={
            "theme": {"function": "gridTheme(themeBalham)"},
            "tooltipShowDelay": 400,
            "animateRows": False,
            "localeText": {"noRowsToShow": "No rows."},
            **({} if whole else {"cacheBlockSize": _BLOCK_ROWS}),
        },
        className="ts-table",
        style=table_style(frame),
        **({"rowData": records(frame)} if whole else {}),
    )


def table_style(frame: pd.DataFrame) -> dict[str, str]:
    """Return the style of a table's grid: its height, which shows 2 to 14 rows."""
    rows = min(max(len(frame), 2), _MAX_ROWS_SHOWN)
    return {"height": f"{_HEADER_PX + _ROW_PX * rows}px"}


def table_line(frame: pd.DataFrame) -> str:
    """Format the number of rows of a table, such as `12 rows`; beyond 2,000 rows with a note that
    they are fetched in blocks.
    """
    rows = count_text(len(frame), "row")
    return (
        rows if len(frame) <= MAX_SENT else f"{rows}, fetched {_BLOCK_ROWS} at a time as you scroll"
    )


def column_defs(name: str, frame: pd.DataFrame, *, unit: str = "") -> list[dict[str, Any]]:
    """Build AG Grid's column definitions, a dict per column of `frame_columns`; `unit` is the time
    unit of ticks.
    """
    return column_definitions(frame_columns(name, frame, unit=unit))


def frame_columns(
    name: str, frame: pd.DataFrame, *, unit: str = "", hidden: Collection[str] | None = None
) -> list[GridColumn]:
    """Build a grid column for each column that both the schema and the frame have, in the schema's
    order.

    A column without any value is hidden; `hidden` has the names of these columns if the caller knows
    them. If the run's ticks (`unit`) are nanoseconds, times are shown in a fitting unit with the
    exact nanoseconds in the tooltip.
    """
    hidden = hidden_columns(name, frame) if hidden is None else hidden
    columns = [_grid_column(_in_unit(column, unit)) for column in read_columns(name, frame)]
    return [
        replace(column, is_hidden=True) if column.name in hidden else column for column in columns
    ]


def hidden_columns(name: str, frame: pd.DataFrame) -> list[str]:
    """List the columns of a frame that its table hides, because they have no value."""
    if not len(frame):
        return []
    # A row of all columns costs less than the first value of each column.
    first = dict(zip(frame.columns, frame.iloc[0].tolist(), strict=True))
    columns = [column.name for column in read_columns(name, frame)]
    return [column for column in columns if _is_blank(first[column]) and blank(frame[column])]


def _in_unit(column: Column, ticks: str) -> Column:
    is_time = column.unit == "ticks" and ticks == NANOSECONDS
    return replace(column, unit=NANOSECONDS) if is_time else column


def read_columns(name: str, frame: pd.DataFrame) -> list[Column]:
    """List the schema columns that the frame has, in the schema's order, without columns of codes
    (_CODES).
    """
    return [
        column
        for column in FRAMES[name].every
        if column.name in frame.columns and column.name not in _CODES
    ]


def blank(values: pd.Series[Any]) -> bool:
    """Whether a column has rows and all of them are null or empty texts.

    A column without rows is not blank.
    """
    if len(values) == 0 or not _is_blank(values.iloc[0]):
        return False  # the usual case, decided without reading the other values
    if is_numeric_dtype(values.dtype):
        return bool(values.isna().all())
    present = values.dropna()
    return all(value == "" for value in present.head(1)) and bool(
        (present.astype("str") == "").all()
    )


def _is_blank(value: object) -> bool:
    return bool(pd.isna(value)) or value == ""


def records(frame: pd.DataFrame, positions: np.ndarray | None = None) -> list[dict[str, Any]]:
    """Convert rows to JSON records: texts without control characters, None for missing values, and
    the row's position in the frame as text in `row`.

    `positions` selects and orders the rows; all rows if None.
    """
    at = np.arange(len(frame)) if positions is None else positions
    part = frame.iloc[at]
    columns = {str(name): _cells(column) for name, column in part.items()} | {
        "row": at.astype("str").tolist()
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _cells(column: pd.Series[Any]) -> list[Any]:
    """Convert a column to a list of JSON values.

    Texts lose control characters, missing values become None.
    """
    missing = column.isna().to_numpy(dtype=bool)
    values: list[Any] = column.tolist()
    if not is_numeric_dtype(column.dtype):
        values = [tame(value) if isinstance(value, str) else value for value in values]
    if not missing.any():
        return values
    return [None if gone else value for value, gone in zip(values, missing.tolist(), strict=True)]


def rows_response(frame: pd.DataFrame, request: Mapping[str, Any]) -> dict[str, Any]:
    """Build the response to a grid's `getRowsRequest`: `rowData`, the requested rows after
    filtering and sorting, and `rowCount`, the number of rows that pass the filter.

    Filters and sort keys of columns that the frame lacks are ignored.
    """
    positions = np.flatnonzero(_mask(frame, request.get("filterModel") or {}))
    # Stable sorts from the last key to the first leave the rows in the order of all keys.
    for sort in reversed(request.get("sortModel") or []):
        if sort.get("colId") in frame.columns:
            positions = _sort_positions(frame[sort["colId"]], positions, sort.get("sort") == "desc")
    begin = int(request.get("startRow") or 0)
    end = int(request.get("endRow") or _BLOCK_ROWS)
    return {"rowData": records(frame, positions[begin:end]), "rowCount": len(positions)}


def _sort_positions(column: pd.Series[Any], positions: np.ndarray, falling: bool) -> np.ndarray:
    values = column.iloc[positions]
    values = values.astype("str") if str(values.dtype) == "category" else values
    order = values.reset_index(drop=True).sort_values(ascending=not falling, kind="stable").index
    return np.asarray(positions[order.to_numpy()])


def _mask(frame: pd.DataFrame, model: Mapping[str, Any]) -> np.ndarray:
    mask = np.ones(len(frame), dtype=bool)
    for name, condition in model.items():
        if name in frame.columns:
            numeric = str(frame[name].dtype) in _NUMERIC
            mask &= (
                _number_mask(frame[name], condition)
                if numeric
                else _text_mask(frame[name], condition)
            )
    return mask


def _number_mask(column: pd.Series[Any], condition: Mapping[str, Any]) -> np.ndarray:
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    low, high = (float(str(condition.get(key) or 0)) for key in ("filter", "filterTo"))
    tests = {
        "equals": values == low,
        "notEqual": values != low,
        "greaterThan": values > low,
        "greaterThanOrEqual": values >= low,
        "lessThan": values < low,
        "lessThanOrEqual": values <= low,
        "inRange": (values >= low) & (values <= high),
        "blank": np.isnan(values),
        "notBlank": ~np.isnan(values),
    }
    return np.asarray(tests.get(str(condition.get("type")), np.ones(len(values), dtype=bool)))


def _text_mask(column: pd.Series[Any], condition: Mapping[str, Any]) -> np.ndarray:
    values = column.astype("str").fillna("").str.lower()
    wanted = str(condition.get("filter") or "").lower()
    patterns = {
        "contains": re.escape(wanted),
        "equals": f"^{re.escape(wanted)}$",
        "startsWith": f"^{re.escape(wanted)}",
        "endsWith": f"{re.escape(wanted)}$",
        "blank": r"^$",
    }
    kind = str(condition.get("type"))
    negated = {"notContains": "contains", "notEqual": "equals", "notBlank": "blank"}
    matches = values.str.contains(patterns.get(negated.get(kind, kind), ""), regex=True).to_numpy(
        dtype=bool
    )
    return np.asarray(~matches if kind in negated else matches)


def column_label(column: Column) -> str:
    """Return the heading of a column: its own label if it has one, else its name with spaces for
    `_`.
    """
    return _LABELS.get(column.name) or column.name.replace("_", " ")


@cache
def _grid_column(column: Column) -> GridColumn:
    """Return the grid column of a column of the schema; cached, because there are few of them."""
    unit = f", {column.unit}" if column.unit not in ("", "ratio", "address") else ""
    shared = GridColumn(
        column.name,
        column_label(column),
        help=f"{column.meaning}{unit}",
        width=_WIDE.get(column.name, 110),
        marks=_SEVERITY if column.name == "severity" else {},
        more={"filterParams": {"maxNumConditions": 1}},
    )
    if column.dtype in _NUMERIC:
        return _number_column(column, shared)
    if column.dtype in ("bool", "boolean"):
        # AG Grid recognises booleans by itself and would draw check boxes in place of yes and no.
        more = {**shared.more, "filter": False, "cellDataType": False}
        return replace(shared, shown="tsYesNo(params.value)", more=more)
    return replace(
        shared, shown="tsText(params.value)", tooltip_field=column.name, is_filtered=True
    )


def _number_column(column: Column, shared: GridColumn) -> GridColumn:
    return replace(
        shared,
        format=number_format(column.unit),
        unit=column.unit,
        tooltip=None if column.unit == NANOSECONDS else NO_TOOLTIP,
        more={**shared.more, "filter": "agNumberColumnFilter"},
    )


_SEVERITY = {"ts-trouble": "params.value == 'error'", "ts-caution": "params.value == 'warning'"}
