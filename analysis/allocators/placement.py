"""What is asked of an allocator, what it answers, and what it tells while it works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from schema.array_types import Ints

OPTIMAL, FEASIBLE, INFEASIBLE, NOT_FOUND = "optimal", "feasible", "infeasible", "not_found"
"""Least extent, proved; a placement, not proved to be least; proved that nothing fits; nothing found or proved."""
BY_BOUND, BY_SEARCH = "bound", "search"
"""How it was proved: the extent is the bound, or the bound is above the room; every order was searched."""
FITS, EFFORT, TIME, DONE, CANCELLED = "fits", "effort", "time", "done", "cancelled"
"""Why an allocator stopped, beside OPTIMAL and INFEASIBLE."""


@dataclass(frozen=True)
class Question:
    """What is asked of an allocator: anything that fits into `room`, or where it is None, the least extent.

    `room` are bytes. It may spend `effort` placements and `seconds`; None is no limit. An answer follows from the
    problem, `seed` and `effort`, unless it was stopped by time.
    """

    room: int | None = None
    seconds: float | None = None
    effort: int | None = None
    seed: int = 0


@dataclass(frozen=True)
class Improvement:
    """The extent in bytes that was reached after so many placements tried and so many seconds."""

    effort: int
    seconds: float
    extent: int


@dataclass(frozen=True)
class Placement:
    """What an allocator found.

    `address` has an address per storage, None where there is no placement; `extent` is its highest end, `bound` what no
    placement is below. `trace` are the improvements on the way.
    """

    status: str
    proof: str | None
    stopped: str
    extent: int | None
    bound: int
    seconds: float
    effort: int
    address: Ints | None
    trace: tuple[Improvement, ...]

    @property
    def gap(self) -> float | None:
        """Return extent / bound - 1, None where there is none."""
        if self.extent is None or self.bound == 0:
            return 0.0 if self.extent == 0 else None
        return self.extent / self.bound - 1


@dataclass(frozen=True)
class Progress:
    """How far an allocator is: placements tried, seconds spent, the least extent so far (None: none), the bound."""

    effort: int
    seconds: float
    extent: int | None
    bound: int


Watcher = Callable[[Progress], bool]
"""Is told how far an allocator is, several times a second; returns False to have it stop."""
