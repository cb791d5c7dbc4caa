"""The memory levels that the operators of a run are tiled at, and what all of them move and need."""

from __future__ import annotations

from analysis.tiling.deeploy.network import LevelPlan, PlannedOperator, plan_levels
from analysis.tiling.deeploy.network_summary import Network, build_network
from services.run.memory import MemoryData
from services.run.tiling import TilingData


def levels_of(tiling: TilingData) -> list[LevelPlan]:
    """Return the memory levels that operators are tiled at; raises ValueError with a sentence where there are none."""
    if not tiling.tiles_operators:
        raise ValueError("the run has no operators that are cut into tiles, as memory maps of Deeploy have them")
    operators = enumerate(tiling.tiled_operators)
    return plan_levels(PlannedOperator(found, tiling.choices(number)[0]) for number, found in operators)


def summarize_network(tiling: TilingData, memory: MemoryData) -> Network | None:
    """Return what all tiled operators of a run move and need, None where none are tiled."""
    return build_network(levels_of(tiling), memory.index.map) if tiling.tiles_operators else None
