"""Plan a network at a memory level: bytes moved, smallest capacities, and other capacities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from analysis.tiling.deeploy.choices import Choice, Tiled

WORST = 10
"""Maximum number of operators in the list of the most bytes moved."""
_DOUBLINGS = 4
"""Number of powers of two above the smallest capacity in a sweep."""


@dataclass(frozen=True)
class PlannedOperator:
    """An operator at a level, with every choice of its tiling."""

    found: Tiled
    choices: Sequence[Choice]

    @property
    def own(self) -> Choice:
        """The choice of tile that the tool made for this operator."""
        return self.found.own

    def need(self, choice: Choice) -> int:
        """Compute the bytes of the level that a choice takes, the level's constants included."""
        return choice.bytes + self.found.operator.static

    @cached_property
    def least_need(self) -> int:
        """Bytes of the level that the operator's smallest choice takes, the level's constants
        included.
        """
        return min(map(self.need, self.choices))

    def best_within(self, capacity: int) -> Choice | None:
        """Return the operator's choice that fits into `capacity` bytes and moves least, of equal
        choices the smallest; None if no choice fits.

        A choice with unknown transfers is returned only if the transfers of all choices that fit
        are unknown.
        """
        fitting = [choice for choice in self.choices if self.need(choice) <= capacity]
        with_transfers = [choice for choice in fitting if choice.moved_bytes is not None]
        return min(
            with_transfers or fitting,
            key=lambda choice: (choice.moved_bytes or 0, choice.bytes),
            default=None,
        )


@dataclass(frozen=True)
class SweptCapacity:
    """The choice per operator for a capacity (None if no choice fits)."""

    capacity: int
    chosen: tuple[Choice | None, ...]

    @property
    def fitting(self) -> int:
        """Number of operators that fit into this capacity."""
        return sum(choice is not None for choice in self.chosen)

    @property
    def is_feasible(self) -> bool:
        """Whether all operators fit into this capacity."""
        return self.fitting == len(self.chosen)

    @property
    def moved_bytes(self) -> int | None:
        """Bytes that the chosen tiles move in and out at this capacity, with 0 for unknown
        transfers; None if not all operators fit.
        """
        return (
            sum((choice.moved_bytes or 0) for choice in self.chosen if choice)
            if self.is_feasible
            else None
        )


@dataclass(frozen=True)
class LevelPlan:
    """The operators of a network at a level.

    `attempt` is the level's rank; `capacity` is None if unknown.
    """

    level: str
    attempt: int
    capacity: int | None
    operators: Sequence[PlannedOperator]

    @cached_property
    def known(self) -> list[PlannedOperator]:
        """The level's operators whose tool's choice has known transfers, in order; [] if all are
        unknown.
        """
        return [operator for operator in self.operators if operator.own.moved_bytes is not None]

    @property
    def bytes_in(self) -> int:
        """Bytes moved into the level by the tool's tiles of all operators, without unknown
        transfers.
        """
        return sum(operator.own.dma_in or 0 for operator in self.known)

    @property
    def bytes_out(self) -> int:
        """Bytes moved out of the level by the tool's tiles of all operators, without unknown
        transfers.
        """
        return sum(operator.own.dma_out or 0 for operator in self.known)

    @property
    def unknown(self) -> int:
        """Number of the level's operators with unknown transfers."""
        return len(self.operators) - len(self.known)

    @property
    def worst(self) -> list[PlannedOperator]:
        """At most WORST (10) operators of the level that move the most bytes, in
        descending order.
        """
        return sorted(self.known, key=lambda operator: -(operator.own.moved_bytes or 0))[:WORST]

    @property
    def least_as_tiled(self) -> int:
        """Smallest capacity of the level in bytes at which every operator fits with the tool's
        tile, constants included.
        """
        return max(operator.need(operator.own) for operator in self.operators)

    @property
    def least_of_any(self) -> int:
        """Smallest capacity of the level in bytes at which every operator fits with its smallest
        tile, constants included.
        """
        return max(operator.least_need for operator in self.operators)

    @property
    def added_static(self) -> int:
        """Static bytes of the generated code at this level, which the tool's tiler does
        not count.
        """
        return max(operator.found.operator.added_static for operator in self.operators)

    @property
    def static(self) -> int:
        """Bytes of the constants at this level, which the tool's tiler counts."""
        return max(operator.found.operator.static for operator in self.operators)

    @property
    def too_large(self) -> list[PlannedOperator]:
        """The operators that do not fit into the run's own capacity of the level as tiled, the
        largest first; [] if the capacity is unknown.
        """
        room = self.capacity
        over = [one for one in self.operators if room is not None and one.need(one.own) > room]
        return sorted(over, key=lambda operator: -operator.need(operator.own))

    @property
    def capacities_to_try(self) -> list[int]:
        """Capacities of the level to try in a sweep, in bytes, ascending: around the smallest at
        which all operators fit, powers of two above it, and half, once and twice the level's
        capacity.

        If the capacity is unknown, the smallest capacity for the tool's tiles takes its place.
        """
        least = self.least_of_any
        own = self.capacity or self.least_as_tiled
        powers = [1 << (least.bit_length() + more) for more in range(_DOUBLINGS)]
        # `least - 1` shows the first capacity at which an operator does not fit.
        wanted = {least - 1, least, self.least_as_tiled, own // 2, own, 2 * own}
        return sorted(
            size for size in wanted | {power for power in powers if power <= 2 * own} if size > 0
        )

    def sweep(self, capacity: int) -> SweptCapacity:
        """Choose for a capacity of the level in bytes the tile of each operator that fits and moves
        least.
        """
        return SweptCapacity(
            capacity, tuple(operator.best_within(capacity) for operator in self.operators)
        )


def plan_levels(operators: Iterable[PlannedOperator]) -> list[LevelPlan]:
    """Group operators by memory level (attempt) into a plan each, in the order of their first
    operators; [] without operators.
    """
    by_attempt: dict[int, list[PlannedOperator]] = {}
    for operator in operators:
        by_attempt.setdefault(operator.found.operator.attempt, []).append(operator)
    levels = []
    for attempt, own in by_attempt.items():
        first = own[0].found.operator
        levels.append(LevelPlan(first.level, attempt, first.capacity, own))
    return levels
