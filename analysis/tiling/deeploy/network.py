"""A network at one memory level: bytes moved by all operators, the smallest capacities, and what fits into others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from analysis.tiling.deeploy.choices import Choice, Tiled

WORST = 10
"""Operators that are listed as those that move most."""
_DOUBLINGS = 4
"""Powers of two above the smallest capacity that are swept."""


@dataclass(frozen=True)
class PlannedOperator:
    """An operator at a level, with every choice of its tiling."""

    found: Tiled
    choices: Sequence[Choice]

    @property
    def own(self) -> Choice:
        """Return the tool's choice."""
        return self.found.own

    def need(self, choice: Choice) -> int:
        """Return the bytes of the level that a choice takes, constants included."""
        return choice.bytes + self.found.operator.static

    @cached_property
    def least_need(self) -> int:
        """Return the bytes of the level that the smallest choice takes, constants included."""
        return min(map(self.need, self.choices))

    def best_within(self, capacity: int) -> Choice | None:
        """Return the choice that fits and moves least, of equals the smallest; None where none fits.

        One whose transfers are not known is returned only where those of no other that fits are.
        """
        fitting = [choice for choice in self.choices if self.need(choice) <= capacity]
        known = [choice for choice in fitting if choice.moved_bytes is not None]
        return min(known or fitting, key=lambda choice: (choice.moved_bytes or 0, choice.bytes), default=None)


@dataclass(frozen=True)
class SweptCapacity:
    """What fits into a capacity: a choice per operator (None: none fits), and bytes moved where all fit."""

    capacity: int
    chosen: tuple[Choice | None, ...]

    @property
    def fitting(self) -> int:
        """Return how many operators fit."""
        return sum(choice is not None for choice in self.chosen)

    @property
    def is_feasible(self) -> bool:
        """Return whether all operators fit."""
        return self.fitting == len(self.chosen)

    @property
    def moved_bytes(self) -> int | None:
        """Return the bytes moved in and out, transfers that are not known as 0; None where not all fit."""
        return sum((one.moved_bytes or 0) for one in self.chosen if one) if self.is_feasible else None


@dataclass(frozen=True)
class LevelPlan:
    """The operators of a network at a level; `attempt` is the level's rank, `capacity` None where it is not known."""

    level: str
    attempt: int
    capacity: int | None
    operators: Sequence[PlannedOperator]

    @cached_property
    def known(self) -> list[PlannedOperator]:
        """Return the operators whose transfers are known, in order."""
        return [one for one in self.operators if one.own.moved_bytes is not None]

    @property
    def bytes_in(self) -> int:
        """Return the bytes moved in by the tool's tiles, of the operators whose transfers are known."""
        return sum(one.own.dma_in or 0 for one in self.known)

    @property
    def bytes_out(self) -> int:
        """Return the bytes moved out by the tool's tiles, of the operators whose transfers are known."""
        return sum(one.own.dma_out or 0 for one in self.known)

    @property
    def unknown(self) -> int:
        """Return for how many operators transfers are not known."""
        return len(self.operators) - len(self.known)

    @property
    def worst(self) -> list[PlannedOperator]:
        """Return the operators that move most, most first."""
        return sorted(self.known, key=lambda one: -(one.own.moved_bytes or 0))[:WORST]

    @property
    def least_as_tiled(self) -> int:
        """Return the smallest capacity in bytes at which every operator fits with the tool's tile."""
        return max(one.need(one.own) for one in self.operators)

    @property
    def least_of_any(self) -> int:
        """Return the smallest capacity in bytes at which every operator fits with its smallest tile."""
        return max(one.least_need for one in self.operators)

    @property
    def capacities_to_try(self) -> list[int]:
        """Return the capacities of a sweep in bytes, ascending: around what is needed, powers of two, half, double."""
        least, own = self.least_of_any, self.capacity or self.least_as_tiled
        powers = [1 << (least.bit_length() + more) for more in range(_DOUBLINGS)]
        wanted = {least - 1, least, self.least_as_tiled, own // 2, own, 2 * own}
        return sorted(size for size in wanted | {power for power in powers if power <= 2 * own} if size > 0)

    def sweep(self, capacity: int) -> SweptCapacity:
        """Return what fits into a capacity in bytes."""
        return SweptCapacity(capacity, tuple(one.best_within(capacity) for one in self.operators))


def plan_levels(operators: Iterable[PlannedOperator]) -> list[LevelPlan]:
    """Return the levels in the order in which their first operators come."""
    by_attempt: dict[int, list[PlannedOperator]] = {}
    for one in operators:
        by_attempt.setdefault(one.found.operator.attempt, []).append(one)
    levels = []
    for attempt, own in by_attempt.items():
        first = own[0].found.operator
        levels.append(LevelPlan(first.level, attempt, first.capacity, own))
    return levels
