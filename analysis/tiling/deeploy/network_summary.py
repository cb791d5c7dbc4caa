"""Summarise the memory of a whole network: bytes moved, capacities, sweeps, joint levels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from analysis.allocators.packing import needs
from analysis.allocators.what_if import Changes, apply_changes
from analysis.memory.attempt_map import AttemptMap
from analysis.tiling.deeploy.capacity_note import capacity_note
from analysis.tiling.deeploy.joint import JointPoint, choose_together
from analysis.tiling.deeploy.network import LevelPlan, PlannedOperator
from analysis.tiling.deeploy.resized import Sizes, resized_blocks


@dataclass(frozen=True)
class MovingOperator:
    """An operator, the bytes moved into and out of a level for its tiles, and its share (0 to 1) of
    all known transfers.
    """

    name: str
    op_type: str
    bytes_in: int
    bytes_out: int
    share: float


@dataclass(frozen=True)
class CapacityStep:
    """A capacity in bytes of a sweep, its names, and the operators that fit.

    `moved_bytes` is None if not all operators fit. `extents` has the highest end by allocator, for
    strategies that place without a search.
    """

    capacity: int
    names: tuple[str, ...]
    fitting: int
    moved_bytes: int | None
    extents: Mapping[str, int]


@dataclass(frozen=True)
class NetworkLevel:
    """A memory level of a network: its operators, their transfers, and the capacities that they
    fit; sizes are in bytes.

    `attempt` is the rank of its map. `unknown` of its `operators` have unknown transfers, which
    `bytes_in` and `bytes_out` leave out; `worst` are the operators that move most. All operators
    fit into `least_as_tiled` bytes with the tool's tiles, and into `least_of_any` with the smallest
    tiles. `added_static` are the static bytes of the generated code, which the tool's tiler does
    not count. `steps` has a row per capacity that was tried.
    """

    level: str
    attempt: int
    capacity: int | None
    operators: int
    unknown: int
    bytes_in: int
    bytes_out: int
    worst: tuple[MovingOperator, ...]
    least_as_tiled: int
    least_of_any: int
    added_static: int
    capacity_note: str
    steps: tuple[CapacityStep, ...]

    @property
    def moved_bytes(self) -> int:
        """Bytes moved into and out of the level, without unknown transfers."""
        return self.bytes_in + self.bytes_out


@dataclass(frozen=True)
class Network:
    """The levels of a network, and its two innermost levels chosen together.

    `joint_levels` has the names of these two, `joint` a point per pair of capacities.
    """

    levels: tuple[NetworkLevel, ...]
    joint_levels: tuple[str, ...]
    joint: tuple[JointPoint, ...]

    def level(self, name: str) -> NetworkLevel:
        """Return the level of this name; the innermost level (the first name in alphabetical order)
        if the name is unknown.
        """
        inmost = min(self.levels, key=lambda level: level.level)
        return next((level for level in self.levels if level.level == name), inmost)


def build_network(plans: Sequence[LevelPlan], map_of: Callable[[int], AttemptMap]) -> Network:
    """Summarise a network with a plan per level; `map_of` returns the map of an attempt by its
    rank.
    """
    names, points = joint_points(plans)
    return Network(
        tuple(_level(plan, map_of(plan.attempt)) for plan in plans), tuple(names), tuple(points)
    )


def joint_points(levels: Sequence[LevelPlan]) -> tuple[list[str], list[JointPoint]]:
    """Return the names of the two innermost levels (inner first) and their joint points.

    Two empty lists for fewer than two levels.
    """
    inmost = sorted(levels, key=lambda plan: plan.level)[:2]
    if len(inmost) < 2:
        return [], []
    inner, outer = inmost
    return [inner.level, outer.level], choose_together(
        inner, outer, _sizes_to_pair(inner), _sizes_to_pair(outer)
    )


def _sizes_to_pair(plan: LevelPlan) -> list[int]:
    """Return up to five capacities in bytes that are paired with those of another level, ascending:
    around the smallest that fits, for the tool's tiles, the level's own, and twice that.

    The largest capacity that is too small is among them.
    """
    least = plan.least_of_any
    own = plan.capacity or plan.least_as_tiled
    return sorted(
        {size for size in (least - 1, least, plan.least_as_tiled, own, 2 * own) if size > 0}
    )


def _level(plan: LevelPlan, amap: AttemptMap) -> NetworkLevel:
    return NetworkLevel(
        plan.level,
        plan.attempt,
        plan.capacity,
        len(plan.operators),
        plan.unknown,
        plan.bytes_in,
        plan.bytes_out,
        tuple(_moving(operator, plan.bytes_in + plan.bytes_out) for operator in plan.worst),
        plan.least_as_tiled,
        plan.least_of_any,
        plan.added_static,
        capacity_note(plan),
        tuple(_steps(plan, amap)),
    )


def _moving(planned: PlannedOperator, total: int) -> MovingOperator:
    operator = planned.found.operator
    own = planned.own
    share = (own.moved_bytes or 0) / max(total, 1)
    return MovingOperator(
        operator.name, operator.op_type or "", own.dma_in or 0, own.dma_out or 0, share
    )


def _steps(plan: LevelPlan, amap: AttemptMap) -> Iterator[CapacityStep]:
    place = lru_cache(len(plan.capacities_to_try))(lambda sizes: _extents(amap, sizes))
    for capacity in plan.capacities_to_try:
        swept = plan.sweep(capacity)
        chosen = [choice for choice in swept.chosen if choice is not None]
        extents = place(resized_blocks(plan.operators, chosen)) if swept.is_feasible else {}
        yield CapacityStep(
            capacity, _names(plan, capacity), swept.fitting, swept.moved_bytes, extents
        )


def _extents(amap: AttemptMap, sizes: Sizes) -> Mapping[str, int]:
    try:
        return needs(apply_changes(amap, Changes(sizes=sizes)))
    # The blocks are too large to be placed.
    except ValueError:
        return {}


def _names(plan: LevelPlan, capacity: int) -> tuple[str, ...]:
    own = plan.capacity
    named = {
        "one byte too small": plan.least_of_any - 1,
        "smallest with any tiles": plan.least_of_any,
        "smallest as tiled": plan.least_as_tiled,
        "half of the run's": None if own is None else own // 2,
        "the run's": own,
        "twice the run's": None if own is None else 2 * own,
    }
    names = tuple(name for name, size in named.items() if size == capacity)
    return names or (("a power of two",) if not capacity & (capacity - 1) else ())
