"""Text tables that commands print and a page lays out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class TextTable:
    """A table of text; the last `numbers` columns contain numbers and are aligned right.

    `shares`, from 0 to 1 per row, are drawn as bars behind the last cells; empty for no bars.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: int = 0
    shares: tuple[float, ...] = ()


def table_lines(table: TextTable) -> list[str]:
    """Format a table as lines with aligned columns, the first with the headings."""
    first_number = len(table.heads) - table.numbers
    columns = zip(table.heads, *table.rows, strict=True)
    return column_lines((cells, rank >= first_number) for rank, cells in enumerate(columns))


def column_lines(columns: Iterable[tuple[Sequence[str], bool]]) -> list[str]:
    """Format columns of (cells, whether numeric) as lines, a line per cell of a column, two spaces
    between columns; numeric columns are aligned right.
    """
    padded = []
    for cells, is_number in columns:
        width = max(map(len, cells))
        padded.append([cell.rjust(width) if is_number else cell.ljust(width) for cell in cells])
    return ["  ".join(row).rstrip() for row in zip(*padded, strict=True)]
