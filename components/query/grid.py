"""The grid of an answer in SQL: a column for each of the answer, whatever it is called."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import dash_ag_grid as dag

from components.columns import GridColumn
from components.grid import memory_grid, options
from components.numbers import shorten, tame
from schema.table_columns import Format

Row = Sequence[object]
"""The values of a row as JSON has them."""
_RUN_ID = "run_id"
"""Column whose values lead to the pages of runs."""
_FRACTIONS = ("DOUBLE", "FLOAT", "REAL", "DECIMAL")
_MOST_SHOWN = 18
_LARGEST_EXACT = 2**53
"""Whole numbers above it are not exact in a browser, which gets them as text."""
_WIDTH, _WIDEST, _PER_CHARACTER, _PADDING = 90, 420, 8, 34
_LOOKED_AT = 50
_LONGEST = 2_000


def is_number_type(type_name: str) -> bool:
    """Return whether a type of DuckDB is one of numbers."""
    return type_name.startswith(_FRACTIONS) or "INT" in type_name.split("[", maxsplit=1)[0].split("(", maxsplit=1)[0]


def answer_grid(grid_id: str, columns: Sequence[tuple[str, str]], rows: Sequence[Row]) -> dag.AgGrid:
    """Lay out rows of an answer; columns are pairs of name and type of DuckDB."""
    fields = [f"c{place}" for place in range(len(columns))]
    defined = [
        _grid_column(field, *column, [row[place] for row in rows])
        for place, (field, column) in enumerate(zip(fields, columns, strict=True))
    ]
    data = [dict(zip(fields, map(_cell, row), strict=True)) for row in rows]
    return memory_grid(grid_id, defined, len(rows), options("The answer has no rows."), most=_MOST_SHOWN, rowData=data)


def _grid_column(field: str, name: str, type_name: str, values: Sequence[object]) -> GridColumn:
    longest = max((len(str(value)) for value in [name, *values[:_LOOKED_AT]]), default=0)
    width = min(max(_WIDTH, longest * _PER_CHARACTER + _PADDING), _WIDEST)
    numeric = is_number_type(type_name) and not any(isinstance(_cell(value), str) for value in values)
    form = (Format.SIGNIFICANT if type_name.startswith(_FRACTIONS) else Format.WHOLE) if numeric else Format.TEXT
    more = {"cellRenderer": "RunId"} if name == _RUN_ID and not numeric else {}
    column = GridColumn(name=field, label=tame(name), width=width, format=form, help=type_name, is_mono=not numeric)
    return replace(column, more=more)


def _cell(value: object) -> object:
    """Return a value as a cell has it: what is no text and no number as JSON, whole numbers beyond 2^53 as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return value if abs(value) <= _LARGEST_EXACT else str(value)
    if value is None or isinstance(value, float):
        return value
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shorten(tame(text), _LONGEST)
