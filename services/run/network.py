"""Memory levels that the operators of a run are tiled at, with the traffic and needs of the whole
network.
"""

from __future__ import annotations

from analysis.tiling.deeploy.network import LevelPlan, PlannedOperator, plan_levels
from analysis.tiling.deeploy.network_summary import Network, build_network
from services.run.memory import MemoryData
from services.run.tiling import TilingData


def plan_tiled_levels(tiling: TilingData) -> list[LevelPlan]:
    """Return the plan of each memory level at which operators are tiled, with the tool's choice of
    tiles first.

    Raises ValueError if no operator is tiled.
    """
    if not tiling.tiles_operators:
        raise ValueError("the run has no tiled operators: only memory maps of Deeploy have them")
    operators = enumerate(tiling.tiled_operators)
    return plan_levels(
        PlannedOperator(tiled, tiling.choices(number)[0]) for number, tiled in operators
    )


def summarize_network(tiling: TilingData, memory: MemoryData) -> Network | None:
    """Compute the traffic and memory needs of all tiled operators of a run; `None` if no operator
    is tiled.
    """
    return (
        build_network(plan_tiled_levels(tiling), memory.index.map)
        if tiling.tiles_operators
        else None
    )
