"""Least disturbance of a stored attempt, as records."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from analysis.allocators.least_moved import find_move_front
from analysis.allocators.problem import problem_of, stored_addresses
from services.lab.allocate import Asked
from services.run.memory import MemoryData


def move_front(memory: MemoryData, attempt: int, asked: Asked) -> list[dict[str, Any]]:
    """Return placements of an attempt by moved bytes, ascending, extents falling.

    Raises ValueError with a sentence for what cannot be asked, and RuntimeError where nothing compiles the search.
    """
    amap = memory.index.map(attempt)
    problem = problem_of(amap, asked.fixed)
    room = None if asked.capacity is None else asked.capacity - problem.static_bytes
    front = find_move_front(problem, stored_addresses(problem, amap), replace(asked.question, room=room))
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
