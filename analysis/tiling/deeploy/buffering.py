"""Change an operator to single or double buffering of its operands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from analysis.tiling.deeploy.choices import Tiled, fits
from analysis.tiling.deeploy.operators import Held

SINGLE, DOUBLE = 1, 2
"""Number of tiles of an operand in its block."""


def with_buffers(found: Tiled, copies: Mapping[str, int]) -> Tiled:
    """Return the operator with other numbers of tiles in the blocks of its operands.

    `copies` has SINGLE or DOUBLE by operand; other operands stay as they are. Tile and transfers
    stay the same, because double buffering moves the same tiles earlier.
    """
    held = tuple(_holding(one, copies) for one in found.operator.held)
    if held == found.operator.held:
        return found
    operator = replace(found.operator, held=held)
    model = found.model and replace(
        found.model, parts=tuple(replace(one, copies=copies.get(one.operand, one.copies)) for one in found.model.parts)
    )
    own = replace(found.own, bytes=operator.bytes, fits=fits(operator, operator.bytes))
    return Tiled(operator, model, found.shapes, own)


def _holding(held: Held, copies: Mapping[str, int]) -> Held:
    now = held.copies or SINGLE
    wanted = copies.get(held.operand, now) if held.access else now
    return held if wanted == now else replace(held, copies=wanted, bytes=held.bytes // now * wanted)
