"""Format texts from files for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def line(text: str) -> str:
    """Return text as one line, with control characters replaced by spaces: terminals obey them."""
    return "".join(character if character.isprintable() else " " for character in text).rstrip()


def text_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Format rows as a table with column names; columns of numbers are aligned to the right."""
    cells = [[line("" if value is None else str(value)) for value in row] for row in rows]
    widths = [
        # Without rows `max` would get one number, which it would try to iterate; hence the 0.
        max(len(name), 0, *(len(row[at]) for row in cells))
        for at, name in enumerate(columns)
    ]
    right = [
        all(isinstance(row[at], (int, float, type(None))) for row in rows)
        for at in range(len(columns))
    ]

    def format_row(row: Sequence[str]) -> str:
        padded = []
        for at, text in enumerate(row):
            padded.append(text.rjust(widths[at]) if right[at] else text.ljust(widths[at]))
        return "  ".join(padded).rstrip()

    return "\n".join(map(format_row, [list(map(line, columns)), *cells]))
