"""The piece of a run's page with the table that is shown."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from app.pages.run.head import table_links
from app.views.drawing import Piece, Properties
from app.views.state import RunState
from app.views.tables import shown_table, table_frame
from components.tables import MAX_SENT, hidden_columns, records, table, table_line, table_style
from services.run.data import RunData


@dataclass(frozen=True)
class _ShownTable:
    """The table that a page shows in a view state; its rows are selected once for key and drawing."""

    data: RunData
    state: RunState

    @cached_property
    def name(self) -> str:
        """Name of the table."""
        return shown_table(self.data, self.state)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The rows of the table that the selection covers."""
        return table_frame(self.data, self.state, self.name)

    @cached_property
    def hidden_names(self) -> list[str]:
        """Names of the columns that the grid hides."""
        return hidden_columns(self.name, self.frame)

    @property
    def key(self) -> str:
        """Text that changes with the grid: table, hidden columns, and for a table that is fetched in
        blocks the selection too.
        """
        if len(self.frame) > MAX_SENT:
            return f"{self.name} {self.state.query()}"
        return f"{self.name} without {','.join(self.hidden_names)}"

    def draw(self) -> Properties:
        """Return the properties of the grid and of the line above it."""
        unit = self.data.unit
        grid = table("run-grid", self.name, self.frame, unit=unit, hidden=self.hidden_names)
        return {"run-table-body": {"children": grid}, **self._line()}

    def draw_rows(self) -> Properties:
        """Return the properties that change with the rows of a table that is sent whole."""
        grid = {"rowData": records(self.frame), "style": table_style(self.frame)}
        return {"run-grid": grid, **self._line()}

    def _line(self) -> Properties:
        return {
            "run-table-line": {"children": table_line(self.frame)},
            "run-table-export": {"children": table_links(self.data.run_id, self.state)},
        }


def _prepare(data: RunData, state: RunState) -> Piece:
    shown = _ShownTable(data, state)
    return replace(
        TABLE,
        draw=lambda _data, _state, _theme: shown.draw(),
        key=lambda _data, _state: shown.key,
        marks=lambda _data, _state: shown.draw_rows(),
    )


TABLE: Piece = Piece(
    "table",
    lambda data, state, _theme: _ShownTable(data, state).draw(),
    lambda data, state: _ShownTable(data, state).key,
    lambda data, state: _ShownTable(data, state).draw_rows(),
    prepare=_prepare,
)
FOOT = (TABLE,)
"""Pieces that are drawn below the views."""
