"""Change an operator to single or double buffering of its operands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from analysis.tiling.deeploy.choices import Tiled, fits
from analysis.tiling.deeploy.operators import Held

SINGLE, DOUBLE = 1, 2
"""Number of tiles of an operand in its block."""


def with_buffers(found: Tiled, copies: Mapping[str, int]) -> Tiled:
    """Return the operator with other numbers of tiles in the blocks of its operands; the same
    record if no number differs.

    `copies` has SINGLE (1) or DOUBLE (2) by operand; other operands stay as they are. Tile and
    transfers stay the same, because double buffering moves the same tiles earlier.
    """
    held = tuple(_holding(tile, copies) for tile in found.operator.held)
    if held == found.operator.held:
        return found
    operator = replace(found.operator, held=held)
    model = found.model
    if model is not None:
        parts = tuple(
            replace(part, copies=copies.get(part.operand, part.copies)) for part in model.parts
        )
        model = replace(model, parts=parts)
    own = replace(found.own, bytes=operator.bytes, fits=fits(operator, operator.bytes))
    return Tiled(operator, model, found.shapes, own)


def _holding(held: Held, copies: Mapping[str, int]) -> Held:
    current = held.copies or SINGLE
    wanted = copies.get(held.operand, current) if held.access else current
    return (
        held
        if wanted == current
        else replace(held, copies=wanted, bytes=held.bytes // current * wanted)
    )
