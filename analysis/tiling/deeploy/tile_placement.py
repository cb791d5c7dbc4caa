"""Place the blocks of a level with each allocator, with the tiles for a capacity."""

from __future__ import annotations

from analysis.allocators.listed import is_of_use
from analysis.allocators.placement import Question
from analysis.allocators.problem import build_problem
from analysis.allocators.search import NoCompilerError
from analysis.allocators.strategies import STRATEGIES
from analysis.allocators.what_if import Changes, apply_changes
from analysis.memory.attempt_map import AttemptMap
from analysis.tiling.deeploy.resized import Sizes

EFFORT = 20_000
"""Number of placements that an allocator may try for a level.

A count instead of a time limit gives equal results each time.
"""


def place_level(amap: AttemptMap, sizes: Sizes, static: int) -> dict[str, int | None]:
    """Map each allocator to the highest end in bytes, `static` constants included, if the level's
    blocks have the new `sizes`.

    None if an allocator does not suit the problem, finds no placement within EFFORT (20,000) tries
    or if its compiler is missing. Raises ValueError if the blocks cannot be placed.
    """
    problem = build_problem(apply_changes(amap, Changes(sizes=sizes)))
    extents: dict[str, int | None] = {}
    for name, strategy in STRATEGIES.items():
        extents[name] = None
        if not is_of_use(name, problem):
            continue
        try:
            extent = strategy.allocate(problem, Question(effort=EFFORT), None).extent
        except NoCompilerError:
            continue
        extents[name] = None if extent is None else extent + static
    return extents
