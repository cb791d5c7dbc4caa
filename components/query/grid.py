"""Grid of a query result, for any names and types of columns."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace

import dash_ag_grid as dag

from components.columns import GridColumn
from components.grid import memory_grid, options
from components.numbers import shorten, tame
from schema.table_columns import Format

Row = Sequence[object]
"""The values of a row, as decoded from JSON."""
_RUN_ID = "run_id"
"""Column whose values link to the pages of runs."""
_FRACTION = r"DOUBLE|FLOAT|REAL|DECIMAL\(\d+,\d+\)"
_WHOLE = r"U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|BIGNUM|VARINT"
_FRACTION_TYPE = re.compile(_FRACTION)
_NUMBER_TYPE = re.compile(f"{_FRACTION}|{_WHOLE}")
"""DuckDB types of single numbers; lists, structs and intervals are not numbers."""
_MAX_ROWS_SHOWN = 18
_MAX_EXACT = 2**53
"""Larger whole numbers are not exact in a browser, so they are sent as text."""
_MIN_WIDTH, _MAX_WIDTH, _PER_CHARACTER, _PADDING = 90, 420, 8, 34
"""Widths in pixels: of a column at least and at most, of a character, and of a cell's padding."""
_MEASURED_ROWS = 50
"""Rows whose texts determine the width of a column."""
_MAX_CELL_CHARACTERS = 2_000
"""Characters of a cell at most."""


def is_number_type(type_name: str) -> bool:
    """Whether a DuckDB type is a type of single numbers; False for booleans, lists, structs and
    intervals.
    """
    return _NUMBER_TYPE.fullmatch(type_name) is not None


def result_grid(
    grid_id: str, columns: Sequence[tuple[str, str]], rows: Sequence[Row]
) -> dag.AgGrid:
    """Build the grid of a result; `columns` are pairs of name and DuckDB type, `rows` have a value
    per column. When there are no rows, the grid shows a text about that.
    """
    # Fields are numbered because names in a result can repeat and contain dots, which AG Grid reads
    # as paths.
    fields = [f"c{place}" for place in range(len(columns))]
    defined = [
        _grid_column(field, *column, [row[place] for row in rows])
        for place, (field, column) in enumerate(zip(fields, columns, strict=True))
    ]
    data = [dict(zip(fields, map(_cell, row), strict=True)) for row in rows]
    return memory_grid(
        grid_id,
        defined,
        len(rows),
        options("The answer has no rows."),
        most=_MAX_ROWS_SHOWN,
        rowData=data,
        is_clicked=False,
    )


def _grid_column(field: str, name: str, type_name: str, values: Sequence[object]) -> GridColumn:
    longest = max((len(str(value)) for value in [name, *values[:_MEASURED_ROWS]]), default=0)
    width = min(max(_MIN_WIDTH, longest * _PER_CHARACTER + _PADDING), _MAX_WIDTH)
    numeric = is_number_type(type_name) and not any(
        isinstance(_cell(value), str) for value in values
    )
    form = Format.TEXT
    if numeric:
        form = Format.SIGNIFICANT if _FRACTION_TYPE.fullmatch(type_name) else Format.WHOLE
    more = {"cellRenderer": "RunId"} if name == _RUN_ID and not numeric else {}
    column = GridColumn(field, tame(name), width, form, help=type_name, is_mono=not numeric)
    return replace(column, more=more)


def _cell(value: object) -> object:
    """Convert a value for a cell: lists and other structures to JSON text, booleans to `true` or
    `false`, whole numbers beyond 2^53 to text. Other numbers and None stay.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return value if abs(value) <= _MAX_EXACT else str(value)
    if value is None or isinstance(value, float):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shorten(tame(text), _MAX_CELL_CHARACTERS)
