"""The blocks of a level with the sizes that other tiles give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from analysis.tiling.deeploy.choices import Choice
from analysis.tiling.deeploy.network import PlannedOperator

Sizes = tuple[tuple[int, int], ...]


def resized_blocks(operators: Sequence[PlannedOperator], chosen: Sequence[Choice]) -> Sizes:
    """Return the blocks whose bytes differ from the file's with a choice per operator, as pairs of block and bytes.

    A block that several operators hold has the most that any of them asks for.
    """
    stored: dict[int, int] = {}
    wanted: dict[int, int] = {}
    for one, choice in zip(operators, chosen, strict=True):
        parts = _part_bytes(one, choice)
        for held in one.found.operator.held:
            if held.block is not None:
                stored[held.block] = held.bytes
                size = parts.get(held.operand, held.bytes) if held.access else held.bytes
                wanted[held.block] = max(wanted.get(held.block, 0), size)
    return tuple(sorted((block, size) for block, size in wanted.items() if size != stored[block]))


def _part_bytes(one: PlannedOperator, choice: Choice) -> Mapping[str, int]:
    """Return the bytes of each operand's block, empty for the tool's own choice."""
    model = one.found.model
    if choice.own or model is None:
        return {}
    tiles = {name: np.array([size]) for name, size in choice.tile.items()}
    return {part.operand: int(model.block_bytes(part, tiles)[0]) for part in model.parts}
