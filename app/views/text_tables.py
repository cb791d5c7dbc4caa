"""Format frames as tables of text in the units of their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from components.columns import GridColumn, cell_text
from components.numbers import address, count_text, in_unit, integer, shorten
from components.tables import blank, column_label, read_columns
from schema.spec import Column

_MAX_ROWS = 500
"""Maximum rows of a table in a snapshot; the table also has the total number."""
_MAX_OPEN_ROWS = 20
"""Maximum rows of a table of a view that is open at first."""
_MAX_LENGTH = 200
"""Maximum characters of a text in a table."""
_SIZES = ("size_a", "size_b")
_ADDRESSES = ("address", "address_a", "address_b", "hint")


@dataclass(frozen=True)
class Table:
    """A table of a snapshot: title, number of rows in words, labels with meanings, cells as text,
    and the id of its view, "" for a frame.
    """

    name: str
    line: str
    labels: list[tuple[str, str]]
    rows: list[list[str]]
    view: str = ""

    @property
    def is_open(self) -> bool:
        """Whether the file shows the rows at once: a short table of a view, since the reader of a
        file has no page that shows them.
        """
        return bool(self.view) and len(self.rows) <= _MAX_OPEN_ROWS


def frame_table(name: str, frame: pd.DataFrame, title: str = "") -> Table:
    """Format frame `name` of the schema by the units of its columns; columns without values are
    omitted, and rows after 500 (_MAX_ROWS).

    The title is the frame's name if it is "".
    """
    columns = [column for column in read_columns(name, frame) if not blank(frame[column.name])]
    labels = [(column_label(column), column.meaning) for column in columns]
    return _table(
        title or name.replace("_", " "), frame[[column.name for column in columns]], labels, columns
    )


def plain_table(title: str, frame: pd.DataFrame) -> Table:
    """Format a frame that is not part of the schema; its column names become labels. Rows after 500
    (_MAX_ROWS) are omitted.
    """
    labels = [(str(name).replace("_", " "), "") for name in frame.columns]
    units: Mapping[str, str] = dict.fromkeys(_SIZES, "bytes")
    columns = [
        Column(str(name), str(frame[name].dtype), units.get(str(name), ""), "")
        for name in frame.columns
    ]
    return _table(title, frame, labels, columns)


def rows_tables(title: str, frame: pd.DataFrame) -> list[Table]:
    """List the `plain_table` of a frame; empty if the frame has no rows."""
    return [plain_table(title, frame)] if len(frame) else []


def column_table(
    title: str, columns: Sequence[GridColumn], rows: Sequence[Mapping[str, Any]]
) -> Table:
    """Format the rows of a grid with the labels, meanings and formats of its columns; rows after
    500 (_MAX_ROWS) are omitted.
    """
    labels = [(column.label, column.help) for column in columns]
    cells = [
        [shorten(cell_text(column, row), _MAX_LENGTH) for column in columns]
        for row in rows[:_MAX_ROWS]
    ]
    return Table(title, _rows_line(len(cells), len(rows)), labels, cells)


def _rows_line(shown: int, rows: int) -> str:
    more = f"the first {integer(shown)} of " if shown < rows else ""
    return f"{more}{count_text(rows, 'row')}"


def _table(
    name: str, frame: pd.DataFrame, labels: list[tuple[str, str]], columns: list[Column]
) -> Table:
    shown = frame.head(_MAX_ROWS)
    rows = [
        [_cell(value, column) for value, column in zip(row, columns, strict=True)]
        for row in shown.itertuples(index=False)
    ]
    return Table(name, _rows_line(len(shown), len(frame)), labels, rows)


def _cell(value: object, column: Column) -> str:
    if pd.isna(value):
        return ""
    if column.name in _ADDRESSES:
        return address(int(str(value)))
    if column.dtype in ("int64", "Int64", "float64"):
        return in_unit(float(str(value)), column.unit)
    if column.dtype in ("bool", "boolean"):
        return "yes" if value else "no"
    return shorten(str(value), _MAX_LENGTH)
