"""Memory plan of a whole network: traffic of all operators, capacities that suffice, and bytes per
allocator.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from analysis.allocators.listed import LISTED
from analysis.tiling.deeploy.capacity_note import capacity_note
from analysis.tiling.deeploy.joint import JointPoint
from analysis.tiling.deeploy.network import LevelPlan, PlannedOperator, SweptCapacity
from analysis.tiling.deeploy.network_summary import joint_points
from analysis.tiling.deeploy.resized import Sizes, resized_blocks
from analysis.tiling.deeploy.tile_placement import place_level
from schema.plurals import plural
from services.run.data import RunData
from services.run.memory import MemoryData
from services.run.network import plan_tiled_levels

MAX_CAPACITIES = 64
"""Maximum number of capacities of one sweep."""


def plan_mapping(data: RunData, level: str | None, capacities: Sequence[int]) -> dict[str, Any]:
    """Convert the plan of a run to JSON types: run_id, levels (each with operators, traffic in
    bytes, needs and a sweep of capacities), joint; of `level`, or of all levels if that is `None`.

    `capacities` are the bytes to sweep; if it is empty, the `capacities_to_try` of each level are
    used. `joint` is empty for a single level. Raises ValueError if the level is unknown, no
    operator is tiled, or there are more than MAX_CAPACITIES (64).
    """
    if len(capacities) > MAX_CAPACITIES:
        raise ValueError(
            f"{plural(len(capacities), 'capacity')}: the limit of a sweep is {MAX_CAPACITIES}"
        )
    levels = plan_tiled_levels(data.tiling)
    names = [plan.level for plan in levels]
    if level is not None and level not in names:
        raise ValueError(
            f"the run has no operators that are tiled at level {level!r}: its levels are {', '.join(names)}"
        )
    shown = [plan for plan in levels if level in (None, plan.level)]
    joint = joint_points(levels) if level is None else ([], [])
    return {
        "run_id": data.run_id,
        "levels": [
            _level_mapping(plan, data.memory, capacities or plan.capacities_to_try)
            for plan in shown
        ],
        "joint": [_joint_mapping(point, joint[0]) for point in joint[1]],
    }


def _joint_mapping(point: JointPoint, names: Sequence[str]) -> dict[str, Any]:
    return {
        names[0]: point.inner,
        names[1]: point.outer,
        "feasible": point.moved_bytes is not None,
        "bytes": point.moved_bytes,
        "smallest": point.is_smallest,
    }


def _level_mapping(
    plan: LevelPlan, memory: MemoryData, capacities: Sequence[int]
) -> dict[str, Any]:
    place = lru_cache(len(capacities))(lambda sizes: _extents(plan, memory, sizes))
    moved = plan.bytes_in + plan.bytes_out
    return {
        "level": plan.level,
        "capacity": plan.capacity,
        "operators": [_operator_mapping(operator) for operator in plan.operators],
        "bytes_in": plan.bytes_in,
        "bytes_out": plan.bytes_out,
        "unknown": plan.unknown,
        "worst": [
            _operator_mapping(one) | {"share": (one.own.moved_bytes or 0) / max(moved, 1)}
            for one in plan.worst
        ],
        "least_capacity": {
            "chosen": plan.least_as_tiled,
            "any": plan.least_of_any,
            "chosen_with_static": plan.least_as_tiled + plan.added_static,
            "any_with_static": plan.least_of_any + plan.added_static,
        },
        "added_static": plan.added_static,
        "capacity_note": capacity_note(plan) or None,
        "sweep": [
            _swept_mapping(plan, plan.sweep(size), place) for size in sorted(set(capacities))
        ],
    }


def _operator_mapping(planned: PlannedOperator) -> dict[str, Any]:
    operator = planned.found.operator
    own = planned.own
    return {
        "step": operator.step,
        "name": operator.name,
        "op": operator.op_type or None,
        "held": operator.held_bytes,
        "static": operator.static + operator.added_static,
        "bytes_in": None if own.moved_bytes is None else own.dma_in,
        "bytes_out": None if own.moved_bytes is None else own.dma_out,
    }


def _swept_mapping(plan: LevelPlan, swept: SweptCapacity, place: Any) -> dict[str, Any]:  # noqa: ANN401 - a cached function
    chosen = [choice for choice in swept.chosen if choice is not None]
    extent = place(resized_blocks(plan.operators, chosen) if swept.is_feasible else None)
    return {
        "capacity": swept.capacity,
        "fitting": swept.fitting,
        "feasible": swept.is_feasible,
        "bytes": swept.moved_bytes,
        "extent": extent,
    }


def _extents(plan: LevelPlan, memory: MemoryData, sizes: Sizes | None) -> dict[str, int | None]:
    """Map each allocator to the highest end (bytes) of its placement of a level with tiles of these
    sizes; all `None` if `sizes` is `None`.
    """
    return (
        dict.fromkeys(LISTED)
        if sizes is None
        else place_level(memory.index.map(plan.attempt), sizes, plan.static)
    )
