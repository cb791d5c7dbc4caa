"""Table of the parts of a memory peak on two sides."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html

from components.memory.peak_words import PART_LABELS
from components.numbers import signed_text, size

Row = tuple[str, int, int]
"""Name of a part, or `peak`, with its bytes on both sides."""
_HEADS = ("part of the peak", "base", "new", "change")


def peak_parts_table(rows: Sequence[Row]) -> html.Table:
    """Lay out a row for each part that has bytes on either side."""
    heads = html.Thead(
        html.Tr([html.Th(words, scope="col", className="ts-number") for words in _HEADS])
    )
    body = [_row(*row) for row in rows if row[1] or row[2]]
    return html.Table([heads, html.Tbody(body)], className="ts-metrics")


def peak_parts_caption(rows: Sequence[Row]) -> str:
    """Describe the change of the peak, and the part that changed most; "" without rows."""
    if not rows:
        return ""
    (_, base, new), *parts = rows
    if base == new:
        return f"The peak is {size(new)} on both sides."
    change = f"The peak changed by {_change(new - base)} from {size(base)} to {size(new)}"
    name, before, after = max(parts, key=lambda part: abs(part[2] - part[1]))
    return f"{change}, most of it {part_label(name)}: {_change(after - before)}."


def part_label(name: str) -> str:
    """Return the label of a part, or of the whole peak."""
    return PART_LABELS.get(name, name)


def _row(name: str, base: int, new: int) -> html.Tr:
    cells = [size(base), size(new), _change(new - base)]
    head = html.Th(part_label(name), scope="row")
    return html.Tr([head, *(html.Td(cell, className="ts-number") for cell in cells)])


def _change(change: int) -> str:
    return signed_text(size(abs(change)), change)
