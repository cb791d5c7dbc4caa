"""What a frame of the schema is: its columns with their types, units and meaning."""

from __future__ import annotations

from dataclasses import dataclass

LOADED = "loader"
DERIVED = "analysis"


@dataclass(frozen=True)
class Column:
    """One column of a frame: its pandas dtype, its unit and what it means."""

    name: str
    dtype: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class FrameSpec:
    """One frame: what a row is, where it comes from and its columns in order.

    `further` are columns that a frame has all of or none of, and `having` says which sources have them; `tabled`:
    the page of a run shows it as a table.
    """

    name: str
    row: str
    origin: str
    columns: tuple[Column, ...]
    further: tuple[Column, ...] = ()
    having: str = ""
    tabled: bool = True

    @property
    def names(self) -> list[str]:
        """Return the names of the columns that every source has, in order."""
        return [column.name for column in self.columns]

    @property
    def every(self) -> tuple[Column, ...]:
        """Return all columns that a frame may have, in order."""
        return self.columns + self.further

    def columns_of(self, names: set[str]) -> tuple[Column, ...]:
        """Return the columns that a frame with these names has to have."""
        return self.every if any(column.name in names for column in self.further) else self.columns


def columns(*rows: str) -> tuple[Column, ...]:
    """Parse `name | dtype | unit | meaning` lines."""
    return tuple(Column(*(part.strip() for part in row.split("|", 3))) for row in rows)
