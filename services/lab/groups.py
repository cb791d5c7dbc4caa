"""Layer groups of a run: reasons of failed attempts, and whether the built-in search can place
their blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import chain
from typing import Any

from analysis.allocators.fingerprint import fingerprint
from analysis.allocators.listed import DEFAULT
from analysis.allocators.placement import Placement, Question
from analysis.allocators.problem import build_problem
from analysis.allocators.strategies import STRATEGIES
from analysis.memory.attempt_map import AttemptMap
from analysis.memory.group_table import LayerGroup, layer_groups
from analysis.memory.index import MemoryIndex
from analysis.memory.selection import MemorySelection
from services.run.group_failures import (
    EFFORT,
    NO_FAILURE,
    FailureCache,
    FailureRecord,
    explain_failure,
)
from services.run.memory import MemoryData


class LabVerdicts:
    """Results of the search at the capacity of each attempt; attempts with equal problems are
    searched once.
    """

    def __init__(self, effort: int = EFFORT) -> None:
        self._effort = effort
        self._known: dict[tuple[str, int], Placement] = {}

    def verdict(self, amap: AttemptMap) -> dict[str, Any] | None:
        """Search a placement of an attempt within its capacity; return status, proof, extent, bound
        and capacity (bytes).

        `None` if the capacity is unknown or the problem cannot be built, for example because it is
        too large.
        """
        capacity = amap.whole("capacity")
        if capacity is None:
            return None
        try:
            problem = build_problem(amap)
        except ValueError:
            return None
        room = capacity - problem.static_bytes
        # A log repeats attempts with the same blocks, for which the search finds the same.
        key = fingerprint(problem), room
        if key not in self._known:
            question = Question(room=room, effort=self._effort)
            self._known[key] = STRATEGIES[DEFAULT].allocate(problem, question, None)
        placement = self._known[key]
        return {
            name: getattr(placement, name) for name in ("status", "proof", "extent", "bound")
        } | {"capacity": capacity}


def find_failures(
    index: MemoryIndex, groups: list[LayerGroup], effort: int | None = EFFORT
) -> Iterator[tuple[int, FailureRecord]]:
    """Yield (number of a failed attempt, its failure); `lab` of the failure is the verdict of a
    search, see `LabVerdicts.verdict`.

    The search tries `effort` placements; if that is `None`, there is no search and `lab` is `None`.
    """
    verdicts = None if effort is None else LabVerdicts(effort)
    attempts = chain.from_iterable(group.attempts for group in groups)
    for attempt in attempts:
        if not attempt.failed:
            continue
        amap = index.map(attempt.attempt)
        lab = None if verdicts is None else verdicts.verdict(amap)
        yield attempt.attempt, {**explain_failure(amap, attempt), "lab": lab}


def known_failures(
    memory: MemoryData, cache: FailureCache, version: str, effort: int = EFFORT
) -> Mapping[int, FailureRecord]:
    """Map the number of each failed attempt of a run's content to its failure, from the cache; if
    failures are missing there, search and cache them.

    Empty if no attempt failed.
    """
    cached = cache.read(version, effort)
    if cached is not None and has_every_failure(memory, cached):
        return cached
    groups = list(memory.groups)
    failures = dict(find_failures(memory.index, groups, effort))
    if failures:
        cache.write(version, failures, effort)
    return failures


def has_every_failure(memory: MemoryData, failures: Mapping[int, FailureRecord]) -> bool:
    """Whether `failures` has an entry for every failed attempt; True if no attempt failed."""
    return all(
        attempt.attempt in failures
        for group in memory.groups
        for attempt in group.attempts
        if attempt.failed
    )


def list_groups(
    memory: MemoryData, run_id: str, failures: Mapping[int, FailureRecord]
) -> dict[str, Any]:
    """Convert the layer groups of a run to JSON types: run_id, headline (the attempt shown first),
    and groups with the attempts of each as `curve`, including their failures.
    """
    groups = layer_groups(memory.attempts, memory.allocations, memory.steps)
    return {
        "run_id": run_id,
        "headline": {"attempt": memory.number(MemorySelection())},
        "groups": [_group_mapping(group, failures) for group in groups],
    }


def _group_mapping(group: LayerGroup, failures: Mapping[int, FailureRecord]) -> dict[str, Any]:
    return {
        "group": group.group,
        "attempts": [attempt.attempt for attempt in group.attempts],
        "last": group.last.attempt,
        "outcome": group.last.outcome,
        "failed_blocks": group.last.failed,
        "differs": dict(group.differs),
        "curve": list(_curve(group, failures)),
    }


def _curve(group: LayerGroup, failures: Mapping[int, FailureRecord]) -> Iterator[dict[str, Any]]:
    for attempt in group.attempts:
        row = asdict(attempt)
        del row["capacity"], row["room"]
        yield {**row, **NO_FAILURE, "lab": None, **failures.get(attempt.attempt, {})}
