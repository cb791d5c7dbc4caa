"""Frames as tables of text, cell by cell in the units of their columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from components.numbers import address, counted, in_unit, integer, shorten
from components.tables import blank, column_label, read_columns
from schema.spec import Column

_MOST_ROWS = 500
"""Rows of a table that a snapshot holds; it says how many there are."""
_LONGEST = 200
"""Characters of a text in a table."""
_SIZES = ("size_a", "size_b")
_ADDRESSES = ("address", "address_a", "address_b", "hint")


@dataclass(frozen=True)
class Table:
    """A table in the file: its name, how much of it is there, labels with meanings, and cells as text."""

    name: str
    line: str
    labels: list[tuple[str, str]]
    rows: list[list[str]]


def frame_table(name: str, frame: pd.DataFrame, title: str = "") -> Table:
    """Return a frame of the schema as text, by the units of its columns; without those that no row has a value in."""
    columns = [column for column in read_columns(name, frame) if not blank(frame[column.name])]
    labels = [(column_label(column), column.meaning) for column in columns]
    return _table(title or name.replace("_", " "), frame[[column.name for column in columns]], labels, columns)


def plain_table(title: str, frame: pd.DataFrame) -> Table:
    """Return a frame that the schema does not have as text."""
    labels = [(str(name).replace("_", " "), "") for name in frame.columns]
    units: Mapping[str, str] = dict.fromkeys(_SIZES, "bytes")
    columns = [Column(str(name), str(frame[name].dtype), units.get(str(name), ""), "") for name in frame.columns]
    return _table(title, frame, labels, columns)


def _table(name: str, frame: pd.DataFrame, labels: list[tuple[str, str]], columns: list[Column]) -> Table:
    shown = frame.head(_MOST_ROWS)
    rows = [
        [_cell(value, column) for value, column in zip(row, columns, strict=True)]
        for row in shown.itertuples(index=False)
    ]
    more = f"the first {integer(len(shown))} of " if len(shown) < len(frame) else ""
    return Table(name, f"{more}{counted(len(frame), 'row')}", labels, rows)


def _cell(value: object, column: Column) -> str:
    if pd.isna(value):
        return ""
    if column.name in _ADDRESSES:
        return address(int(str(value)))
    if column.dtype in ("int64", "Int64", "float64"):
        return in_unit(float(str(value)), column.unit)
    return ("yes" if value else "no") if column.dtype in ("bool", "boolean") else shorten(str(value), _LONGEST)
