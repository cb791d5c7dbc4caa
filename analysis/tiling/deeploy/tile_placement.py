"""The blocks of a level placed by each allocator, with the tiles that a capacity leaves."""

from __future__ import annotations

from analysis.allocators.listed import is_of_use
from analysis.allocators.placement import Question
from analysis.allocators.problem import problem_of
from analysis.allocators.search import NoCompilerError
from analysis.allocators.strategies import STRATEGIES
from analysis.allocators.what_if import Changes, apply_changes
from analysis.memory.attempt_map import AttemptMap
from analysis.tiling.deeploy.resized import Sizes

EFFORT = 20_000
"""Placements that an allocator may try for a level: equal numbers each time."""


def place_level(amap: AttemptMap, sizes: Sizes) -> dict[str, int | None]:
    """Return the highest end in bytes for each allocator, constants included, of a level with other block sizes.

    None where an allocator is of no use for it, or nothing compiles it. Raises ValueError for more than can be placed.
    """
    problem = problem_of(apply_changes(amap, Changes(sizes=sizes)))
    found: dict[str, int | None] = {}
    for name, strategy in STRATEGIES.items():
        found[name] = None
        if not is_of_use(name, problem):
            continue
        try:
            extent = strategy.allocate(problem, Question(effort=EFFORT), None).extent
        except NoCompilerError:
            continue
        found[name] = None if extent is None else extent + problem.static_bytes
    return found
