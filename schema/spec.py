"""What a frame of the schema is: its columns with their types, units and meaning."""

from __future__ import annotations

from dataclasses import dataclass

LOADED = "loader"
DERIVED = "analysis"
_NULL_BY_TYPE = ("Int64", "boolean")
"""Dtypes that are there for the sake of their nulls."""


@dataclass(frozen=True)
class Column:
    """One column of a frame: its pandas dtype, its unit, what it means, and whether it may be null (text: empty).

    `words` are the only values of a category that has a closed set of them.
    """

    name: str
    dtype: str
    unit: str
    meaning: str
    nullable: bool = False
    words: tuple[str, ...] = ()

    @property
    def type(self) -> str:
        """Return the dtype, with a `?` where the column may be null."""
        return f"{self.dtype}?" if self.nullable else self.dtype


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
    """Parse `name | dtype | unit | meaning` lines.

    `?` after a dtype says that the column may be null, `category(a b)` that its values are `a` and `b`.
    """
    return tuple(map(_column, rows))


def _column(row: str) -> Column:
    name, dtype, unit, meaning = (part.strip() for part in row.split("|", 3))
    plain, _, words = dtype.removesuffix("?").rstrip(")").partition("(")
    return Column(name, plain, unit, meaning, dtype.endswith("?") or plain in _NULL_BY_TYPE, tuple(words.split()))
