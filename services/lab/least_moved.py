"""Front of placements of an attempt that move few bytes from the stored placement, as JSON
types.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from analysis.allocators.least_moved import find_move_front
from analysis.allocators.problem import build_problem, stored_addresses
from services.lab.allocate import Asked
from services.run.memory import MemoryData


def move_front(memory: MemoryData, attempt: int, goal: Asked) -> list[dict[str, Any]]:
    """Return the placements of an attempt with ascending moved bytes and descending extents, each a
    dict: moved_blocks, moved_bytes, extent, bound, placements (block, address).

    Raises ValueError if the question is invalid, and RuntimeError if no compiler is available for
    the search.
    """
    amap = memory.index.map(attempt)
    problem = build_problem(amap, goal.fixed)
    room = None if goal.capacity is None else goal.capacity - problem.static_bytes
    front = find_move_front(
        problem, stored_addresses(problem, amap), replace(goal.question, room=room)
    )
    return [
        {
            "moved_blocks": point.moved_blocks,
            "moved_bytes": point.moved_bytes,
            "extent": point.extent,
            "bound": front.bound,
            "placements": [
                {"block": block, "address": address}
                for block, address in zip(
                    problem.block.tolist(), point.address[problem.demand.of].tolist(), strict=True
                )
            ],
        }
        for point in front.points
    ]
