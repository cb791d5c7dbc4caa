"""The layer groups of a run: why attempts failed, and whether the built-in search fits what the compiler could not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from analysis.allocators.fingerprint import fingerprint
from analysis.allocators.free_ranges import layout_of
from analysis.allocators.placement import Placement, Question
from analysis.allocators.problem import problem_of
from analysis.allocators.reasons import TOO_BIG, attempt_reason
from analysis.allocators.strategies import DEFAULT, STRATEGIES
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.group_table import GroupAttempt, LayerGroup, layer_groups
from analysis.memory.selection import MemorySelection
from services.run.memory import MemoryData

EFFORT = 20_000
"""Placements that the search may try for each failed attempt."""


class LabVerdicts:
    """Answers of the search at the capacity of an attempt; attempts that pose one problem are answered once."""

    def __init__(self, effort: int = EFFORT) -> None:
        self._effort = effort
        self._known: dict[tuple[str, int], Placement] = {}

    def verdict(self, amap: AttemptMap) -> dict[str, Any] | None:
        """Return status, proof, extent, bound and capacity (bytes) of an attempt; None where none is known.

        A problem that is too large to be placed has no answer.
        """
        capacity = amap.whole("capacity")
        if capacity is None:
            return None
        try:
            problem = problem_of(amap)
        except ValueError:
            return None
        room = capacity - problem.static_bytes
        key = fingerprint(problem), room
        if key not in self._known:
            question = Question(room=room, effort=self._effort)
            self._known[key] = STRATEGIES[DEFAULT].allocate(problem, question, None)
        found = self._known[key]
        return {name: getattr(found, name) for name in ("status", "proof", "extent", "bound")} | {"capacity": capacity}


def list_groups(memory: MemoryData, run_id: str, effort: int = EFFORT) -> dict[str, Any]:
    """Return the layer groups of a run as JSON has them; the search tries `effort` placements per failed attempt."""
    verdicts = LabVerdicts(effort)
    found = layer_groups(memory.attempts, memory.allocations, memory.steps)
    headline = memory.number(MemorySelection())
    return {
        "run_id": run_id,
        "headline": {"attempt": headline},
        "groups": [_group_mapping(memory, group, verdicts) for group in found],
    }


def _group_mapping(memory: MemoryData, group: LayerGroup, verdicts: LabVerdicts) -> dict[str, Any]:
    return {
        "group": group.group,
        "attempts": [one.attempt for one in group.attempts],
        "last": group.last.attempt,
        "outcome": group.last.outcome,
        "failed_blocks": group.last.failed,
        "differs": dict(group.differs),
        "curve": list(_curve(memory, group, verdicts)),
    }


def _curve(memory: MemoryData, group: LayerGroup, verdicts: LabVerdicts) -> Iterator[dict[str, Any]]:
    for one in group.attempts:
        row = asdict(one)
        del row["capacity"]
        amap = memory.index.map(one.attempt) if one.failed else None
        lab = None if amap is None else verdicts.verdict(amap)
        yield row | failure_mapping(amap, one) | {"lab": lab}


def failure_mapping(amap: AttemptMap | None, one: GroupAttempt) -> dict[str, Any]:
    """Return reason, bytes too many and their step of an attempt, None where it did not fail (no map is given)."""
    if amap is None:
        return {"reason": None, "excess": None, "step": None}
    layout = layout_of(amap)
    reason = attempt_reason(amap, layout, one.peak_bytes)
    if reason != TOO_BIG:
        return {"reason": reason, "excess": None, "step": None}
    return {"reason": reason, "excess": one.peak_bytes - (layout.room or 0), "step": one.peak_step}
