"""Tables of text, which commands print and a page lays out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TextTable:
    """A table of text: heads, rows, and how many of its last columns are numbers.

    `shares` of the rows, from 0 to 1, are drawn as bars behind their last cells; none where it is empty.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: int = 0
    shares: tuple[float, ...] = ()


def table_lines(table: TextTable) -> list[str]:
    """Return the lines of a table, its columns aligned."""
    first_number = len(table.heads) - table.numbers
    columns = zip(table.heads, *table.rows, strict=True)
    return column_lines((cells, rank >= first_number) for rank, cells in enumerate(columns))


def column_lines(columns: Iterable[tuple[Sequence[str], bool]]) -> list[str]:
    """Return the lines of columns, each as wide as its widest cell, those of numbers on the right."""
    padded = []
    for cells, is_number in columns:
        width = max(map(len, cells))
        padded.append([cell.rjust(width) if is_number else cell.ljust(width) for cell in cells])
    return ["  ".join(row).rstrip() for row in zip(*padded, strict=True)]
