"""Build the cost model of an operator from its dimensions and the cuts of its operands."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from analysis.tiling.deeploy.model import Dimension, Model, Part
from analysis.tiling.deeploy.operators import Operator
from schema.memory import MAX_BYTES

_MAX_SIZE = 65_536
"""Maximum length of a dimension."""


def assemble_model(
    operator: Operator,
    dimensions: tuple[Dimension, ...],
    cut: Mapping[str, tuple[int | str, ...]],
    windowed: str = "",
) -> Model | None:
    """Build the cost model of an operator from its dimensions and operands; `cut` has the shape of
    each operand, with names of dimensions in place of sizes that are cut.

    `windowed` is the operand that is read through the windows of the dimensions. None if the
    operator holds an operand that is not in `cut`, or without an element size, or is too large (a
    dimension above 65,536, or byte sums near 2^62).
    """
    parts = []
    fixed = 0
    for held in operator.held:
        if held.access is None:
            fixed += held.bytes
        elif held.operand not in cut or not held.element_bytes:
            return None
        else:
            written = held.operand == "data_out"
            copies = held.copies or 1
            shape = cut[held.operand]
            parts.append(
                Part(
                    held.operand,
                    shape,
                    held.element_bytes,
                    copies,
                    written,
                    held.operand == windowed,
                )
            )
    return (
        Model(dimensions, tuple(parts), fixed, operator.grain)
        if _is_small(dimensions, parts)
        else None
    )


def _is_small(dimensions: tuple[Dimension, ...], parts: list[Part]) -> bool:
    """Whether every dimension is from 1 to 65,536 long, and sums of bytes over all tiles fit into
    64 bits even if all tiles have a single element.
    """
    lengths = [max(d.full, d.window.full if d.window else 0) for d in dimensions]
    most = prod(max(length, 1) for length in lengths)
    short = all(
        d.full > 0 and length <= _MAX_SIZE for d, length in zip(dimensions, lengths, strict=True)
    )
    return short and all(0 < part.unit * most * most * 2 < MAX_BYTES // 8 for part in parts)
