"""Compute the block sizes of a level for other tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from analysis.tiling.deeploy.choices import Choice
from analysis.tiling.deeploy.network import PlannedOperator

Sizes = tuple[tuple[int, int], ...]


def resized_blocks(operators: Sequence[PlannedOperator], chosen: Sequence[Choice]) -> Sizes:
    """List (block, bytes) of each block whose size a choice of tiles per operator changes, sorted
    by block; () if no size changes.

    A block that several operators hold gets the largest size that any of them needs.
    """
    stored: dict[int, int] = {}
    wanted: dict[int, int] = {}
    for operator, choice in zip(operators, chosen, strict=True):
        parts = _part_bytes(operator, choice)
        for held in operator.found.operator.held:
            if held.block is not None:
                stored[held.block] = held.bytes
                size = parts.get(held.operand, held.bytes) if held.access else held.bytes
                wanted[held.block] = max(wanted.get(held.block, 0), size)
    return tuple(sorted((block, size) for block, size in wanted.items() if size != stored[block]))


def _part_bytes(operator: PlannedOperator, choice: Choice) -> Mapping[str, int]:
    """Map each operand of a choice to the bytes of its block; {} for the tool's own choice, and
    without a model.
    """
    model = operator.found.model
    if choice.own or model is None:
        return {}
    tiles = {name: np.array([size]) for name, size in choice.tile.items()}
    return {part.operand: int(model.block_bytes(part, tiles)[0]) for part in model.parts}
