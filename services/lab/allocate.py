"""New placements of a run's blocks by a strategy, for page and command line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from analysis.allocators.compiled import is_compiled
from analysis.allocators.compiler import cache_note
from analysis.allocators.conflict_bound import least_conflicts
from analysis.allocators.listed import DEFAULT
from analysis.allocators.placement import Placement, Question
from analysis.allocators.problem import Problem, build_problem
from analysis.allocators.search import warm_up
from analysis.allocators.strategies import STRATEGIES
from analysis.memory.findings.bank_conflicts import count_conflicts
from analysis.memory.selection import MemorySelection
from schema.choices import METHODS
from services.run.data_cache import RunDataCache
from services.run.memory import MemoryData
from services.run.placement_question import MAX_EFFORT, LabProblem
from services.run.placements import LabPlacement
from storage.errors import FrameNotFound


@dataclass(frozen=True)
class Asked:
    """A strategy and its goal.

    `capacity` (bytes) includes the constants below the arena; if it is `None`, the strategy
    minimises the extent. `fixed` has an address per block that must stay, `None` for its current
    address.
    """

    strategy: str
    capacity: int | None
    question: Question
    fixed: Mapping[int, int | None]


def list_strategies() -> list[dict[str, Any]]:
    """List the strategies as dicts of JSON types: name, help, proves (a minimum), needs_banks,
    default.
    """
    return [
        {
            "name": strategy.name,
            "help": strategy.help,
            "proves": strategy.proves,
            "needs_banks": strategy.needs_banks,
            "default": strategy.name == DEFAULT,
        }
        for strategy in STRATEGIES.values()
    ]


def memory_of(cache: RunDataCache, run_id: str) -> MemoryData:
    """Return the memory data of a run by the default method.

    Raises RunNotFound, and FrameNotFound if the run has no memory map.
    """
    memory = cache.get(run_id, METHODS[0], {}).memory
    if not len(memory.attempts):
        raise FrameNotFound(f"run {run_id} has no memory map")
    return memory


def choose_attempts(
    memory: MemoryData, run_id: str, attempt: int | None, *, every: bool
) -> Sequence[int]:
    """Return the numbers of the attempts to place: all if `every`, else only the given attempt, or
    if it is `None` the attempt that a page shows first; empty if there is no such attempt.

    Raises FrameNotFound if the given attempt does not exist.
    """
    if every:
        return [int(number) for number in memory.attempts["attempt"]]
    if attempt is not None and not memory.has(attempt):
        raise FrameNotFound(f"run {run_id} has no attempt {attempt}")
    number = memory.number(MemorySelection(attempt=attempt))
    return [] if number is None else [number]


def prepare(strategy: str, say: Callable[[str], None]) -> None:
    """Compile the code that a strategy needs, and call `say` with each sentence for the user.

    Raises NoCompilerError if the strategy needs a compiler that is missing.
    """
    if STRATEGIES[strategy].proves:
        warm_up(say)
    elif not is_compiled():
        return
    if note := cache_note():
        say(note)


@dataclass(frozen=True)
class Placed:
    """Result of a strategy for the problem of an attempt.

    `stored_conflicts` is the number of bank conflicts of the file's own placement; `None` if it is
    unknown.
    """

    attempt: int
    stored_conflicts: int | None
    problem: Problem
    question: Question
    placement: Placement


def place_attempts(memory: MemoryData, attempts: Sequence[int], goal: Asked) -> Iterator[Placed]:
    """Yield a `Placed` for each attempt: its problem, and the placement that the strategy of `goal`
    found (with a status).

    Raises ValueError if the question is invalid. A strategy that avoids bank conflicts considers
    only the extent if the attempt has no banks or no table of steps.
    """
    for attempt in attempts:
        amap = memory.index.map(attempt)
        events = memory.attempt_events(attempt)
        problem = build_problem(amap, goal.fixed, events)
        # Constants are below the arena, and strategies place only what is above them.
        room = None if goal.capacity is None else goal.capacity - problem.static_bytes
        question = replace(goal.question, room=room)
        placement = STRATEGIES[goal.strategy].allocate(problem, question, None)
        yield Placed(attempt, count_conflicts(amap, events), problem, question, placement)


def record(run_id: str, goal: Asked, placed: Placed) -> dict[str, Any]:
    """Convert a result to JSON types: run, attempt, strategy, seed, capacity, bank conflicts (of
    the placement, as stored, and a lower bound; None if unknown), result of the search (sizes in
    bytes), `placements` (block and address each, empty if there is no result) and `trace`.
    """
    return {
        "run_id": run_id,
        "attempt": placed.attempt,
        "strategy": goal.strategy,
        "seed": placed.question.seed,
        "capacity": goal.capacity,
        "bank_conflicts_stored": placed.stored_conflicts,
        "bank_conflicts_bound": None
        if placed.problem.pairs is None
        else least_conflicts(placed.problem, placed.question.room),
    } | _record(placed.problem, placed.placement)


def of_the_lab(goal: Asked, placed: Placed) -> tuple[LabProblem, LabPlacement]:
    """Convert goal and result to (problem, placement) of the lab.

    If no effort was set, it is the number of placements that were tried: the same question then
    gives the same result again, unless a time limit ended the search.
    """
    problem = placed.problem
    placement = placed.placement
    tried = placed.question.effort or placed.placement.effort
    storage = dict(zip(problem.block.tolist(), problem.demand.of.tolist(), strict=True))
    fixed = tuple(sorted((block, int(problem.fixed[storage[block]])) for block in goal.fixed))
    common = {name: getattr(placement, name) for name in _COMMON_FIELDS}
    effort = min(max(tried, 1), MAX_EFFORT)
    lab_placement = LabPlacement(
        strategy=goal.strategy,
        seed=placed.question.seed,
        asked_effort=effort,
        gap=placement.gap,
        note="",
        **common,
    )
    return LabProblem("", placed.attempt, fixed=fixed, capacity=goal.capacity), lab_placement


_COMMON_FIELDS = (
    "status",
    "proof",
    "stopped",
    "extent",
    "bound",
    "seconds",
    "effort",
    "address",
    "trace",
)
"""Attributes that a result of a strategy and a placement of the lab have in common."""


def _record(problem: Problem, placement: Placement) -> dict[str, Any]:
    record: dict[str, Any] = {
        "status": placement.status,
        "proof": placement.proof,
        "stopped": placement.stopped,
        "extent": placement.extent,
        "bound": placement.bound,
        "gap": placement.gap,
        "seconds": round(placement.seconds, 3),
        "effort": placement.effort,
        "bank_conflicts": problem.conflicts(placement.address),
        "placements": [],
        "trace": [asdict(step) for step in placement.trace],
    }
    if placement.address is not None:
        # addresses are per storage; blocks that share a storage share its address
        where = placement.address[problem.demand.of].tolist()
        pairs = zip(problem.block.tolist(), where, strict=True)
        record["placements"] = [{"block": block, "address": address} for block, address in pairs]
    return record
