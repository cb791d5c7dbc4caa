"""Compute the block sizes of a level for other tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from analysis.tiling.deeploy.choices import Choice
from analysis.tiling.deeploy.network import PlannedOperator

Sizes = tuple[tuple[int, int], ...]


def resized_blocks(operators: Sequence[PlannedOperator], chosen: Sequence[Choice]) -> Sizes:
    """Compute the new size of each block that a choice of tiles per operator makes larger or
    smaller, as (block, bytes).

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
    """Compute the bytes of each operand's block; empty for the tool's own choice."""
    model = operator.found.model
    if choice.own or model is None:
        return {}
    tiles = {name: np.array([size]) for name, size in choice.tile.items()}
    return {part.operand: int(model.block_bytes(part, tiles)[0]) for part in model.parts}
