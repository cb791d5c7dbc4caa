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
        """The column's dtype, followed by `?` if the column may be null: `int64`, `category?`.

        A dtype that exists only for nulls, such as `Int64`, also gets the mark.
        """
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
        """Names of the frame's `columns` in order, without the `further` columns of
        some sources.
        """
        return [column.name for column in self.columns]

    @property
    def every(self) -> tuple[Column, ...]:
        """All columns that the frame may have: `columns`, then `further`."""
        return self.columns + self.further

    def required_columns(self, names: set[str]) -> tuple[Column, ...]:
        """List the columns, in the order of the schema, that the frame must have if it has columns
        with these names. These are all columns if one of `further` is among the names, else only
        `columns`.
        """
        return self.every if any(column.name in names for column in self.further) else self.columns


def columns(*rows: str) -> tuple[Column, ...]:
    """Parse `name | dtype | unit | meaning` texts into a column each, in order.

    `?` after a dtype: the column may be null, as Int64 and boolean always may. `category(a b)`: the
    permitted values are `a` and `b`. Raises ValueError if a text has fewer than four parts.
    """
    return tuple(map(_column, rows))


def _column(row: str) -> Column:
    name, dtype, unit, meaning = (part.strip() for part in row.split("|", 3))
    # `category(a b)?` has dtype `category` and the values a and b.
    plain, _, words = dtype.removesuffix("?").rstrip(")").partition("(")
    nullable = dtype.endswith("?") or plain in _NULL_BY_TYPE
    return Column(name, plain, unit, meaning, nullable, tuple(words.split()))
