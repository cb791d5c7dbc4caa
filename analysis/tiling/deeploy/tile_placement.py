"""The blocks of a level placed by each allocator, with the tiles that a capacity leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from analysis.allocators.listed import refusal
from analysis.allocators.placement import Question
from analysis.allocators.problem import problem_of
from analysis.allocators.search import NoCompilerError
from analysis.allocators.strategies import STRATEGIES
from analysis.allocators.what_if import Changes, apply_changes
from analysis.memory.attempt_map import AttemptMap
from analysis.tiling.deeploy.choices import Choice
from analysis.tiling.deeploy.network import PlannedOperator

EFFORT = 20_000
"""Placements that an allocator may try for a level: equal numbers each time."""

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


def place_level(amap: AttemptMap, sizes: Sizes) -> dict[str, int | None]:
    """Return the highest end in bytes for each allocator, constants included, of a level with other block sizes.

    None where an allocator is of no use for it, or nothing compiles it. Raises ValueError for more than can be placed.
    """
    problem = problem_of(apply_changes(amap, Changes(sizes=sizes)))
    found: dict[str, int | None] = {}
    for name, strategy in STRATEGIES.items():
        found[name] = None
        if refusal(name, problem):
            continue
        try:
            extent = strategy.allocate(problem, Question(effort=EFFORT), None).extent
        except NoCompilerError:
            continue
        found[name] = None if extent is None else extent + problem.static_bytes
    return found
