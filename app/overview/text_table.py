"""Tables of text, which a page lays out and a command prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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


def table_lines(table: TextTable) -> Iterator[str]:
    """Give the lines of a table, its columns aligned."""
    rows: Sequence[Sequence[str]] = [table.heads, *table.rows]
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    first_number = len(widths) - table.numbers
    for row in rows:
        cells = [
            cell.rjust(width) if rank >= first_number else cell.ljust(width)
            for rank, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
