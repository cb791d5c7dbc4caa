"""Table of the operands of a tiled operator with the number of tiles in their blocks, and a switch
for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dash import html

from components.numbers import DASH, count_text, shorten
from components.tiling.words import exact_size

DO = "tiling-buffers"
"""Type of the ids of the switches, which also have the keys `operand` and `copies`."""
_MAX_NAME_CHARACTERS = 60
_HEAD = ("operand", "tile", "bytes of a tile", "its block holds", "")


@dataclass(frozen=True)
class Operand:
    """An operand: shape and size of its tile, and number of tiles in its block.

    `stored` is the number that the tool chose, `now` the number that the user chose (None: unknown,
    shown as 1).
    """

    name: str
    shape: Sequence[int] | None
    tile_bytes: int
    stored: int
    now: int | None


def buffers_table(operands: Sequence[Operand]) -> html.Div:
    """Build the table of tiles in the blocks of an operator, a row per operand in the given order.

    Each has a button that switches between one and two tiles. When there are no operands, there are
    no rows.
    """
    head = html.Thead(html.Tr([html.Th(text) for text in _HEAD]))
    return html.Div(
        html.Table(
            [head, html.Tbody([_row(operand) for operand in operands])], className="ts-changes"
        ),
        className="ts-changes-frame",
    )


def _row(operand: Operand) -> html.Tr:
    now = operand.now or 1
    # Users choose between single and double buffering only.
    other = 1 if now > 1 else 2
    switch = html.Button(
        f"hold {count_text(other, 'tile')}",
        id={"type": DO, "operand": operand.name, "copies": other},
        className="ts-button",
    )
    changed = "" if now == operand.stored else f", in place of {operand.stored}"
    shape = "×".join(map(str, operand.shape)) if operand.shape else DASH
    # Bdi isolates the direction of a name: letters of some scripts would reorder the row.
    name = html.Bdi(shorten(operand.name, _MAX_NAME_CHARACTERS))
    holds = f"{count_text(now, 'tile')}{changed}"
    return html.Tr(
        [html.Td(cell) for cell in (name, shape, exact_size(operand.tile_bytes), holds, switch)]
    )
