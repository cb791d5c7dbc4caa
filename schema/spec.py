"""Records that describe a frame: its columns with dtype, unit and meaning."""

from __future__ import annotations

from dataclasses import dataclass

LOADED = "loader"
DERIVED = "analysis"
_NULL_BY_TYPE = ("Int64", "boolean")
"""Dtypes whose only purpose is that they can be null."""


@dataclass(frozen=True)
class Column:
    """A column of a frame: pandas dtype, unit, meaning, and whether it may be null (text: empty).

    `words` are the permitted values of a category with a closed set of values, else ().
    """

    name: str
    dtype: str
    unit: str
    meaning: str
    nullable: bool = False
    words: tuple[str, ...] = ()

    @property
    def type(self) -> str:
        """The dtype, followed by `?` if the column may be null."""
        return f"{self.dtype}?" if self.nullable else self.dtype


@dataclass(frozen=True)
class FrameSpec:
    """A frame: the meaning of a row, the frame's origin, and its columns in order.

    A frame has either all of the columns `further` or none of them; `having` says in words which
    sources have them. `tabled`: the page of a run shows the frame as a table.
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
        """Names of the columns that every source has, in order."""
        return [column.name for column in self.columns]

    @property
    def every(self) -> tuple[Column, ...]:
        """All columns that a frame may have, in order."""
        return self.columns + self.further

    def required_columns(self, names: set[str]) -> tuple[Column, ...]:
        """List the columns that a frame must have if it has columns with these names."""
        return self.every if any(column.name in names for column in self.further) else self.columns


def columns(*rows: str) -> tuple[Column, ...]:
    """Parse `name | dtype | unit | meaning` lines into columns.

    `?` after a dtype: the column may be null. `category(a b)`: the permitted values are `a` and
    `b`.
    """
    return tuple(map(_column, rows))


def _column(row: str) -> Column:
    name, dtype, unit, meaning = (part.strip() for part in row.split("|", 3))
    # `category(a b)?` has dtype `category` and the values a and b.
    plain, _, words = dtype.removesuffix("?").rstrip(")").partition("(")
    return Column(
        name,
        plain,
        unit,
        meaning,
        dtype.endswith("?") or plain in _NULL_BY_TYPE,
        tuple(words.split()),
    )
