"""Input, result and progress report of an allocator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from schema.array_types import Ints

OPTIMAL, FEASIBLE, INFEASIBLE, NOT_FOUND = "optimal", "feasible", "infeasible", "not_found"
"""Statuses of a `Placement`.

OPTIMAL: the extent is proved to be the lowest. FEASIBLE: there is a placement, a lower extent may
exist. INFEASIBLE: it is proved that no placement fits. NOT_FOUND: neither a placement nor a proof.
"""
BY_BOUND, BY_SEARCH = "bound", "search"
"""Kinds of proof.

BY_BOUND: the extent equals the lower bound, or the bound exceeds the room. BY_SEARCH: all orders
were searched.
"""
FITS, EFFORT, TIME, DONE, CANCELLED = "fits", "effort", "time", "done", "cancelled"
"""Reasons why an allocator stopped, in addition to OPTIMAL and INFEASIBLE.

FITS: the placement fits into the room. EFFORT, TIME: the limit was reached. DONE: the allocator has
no further step. CANCELLED: the watcher stopped it.
"""


@dataclass(frozen=True)
class Question:
    """Goal and limits of an allocator's run.

    If `room` (bytes) is set, any placement that fits into it will do; if it is `None`, the goal is
    the lowest extent. The allocator may try `effort` placements and run for `seconds`; `None` means
    no limit. The result depends only on the problem, `seed` and `effort`, unless time ended the
    run.
    """

    room: int | None = None
    seconds: float | None = None
    effort: int | None = None
    seed: int = 0


@dataclass(frozen=True)
class Improvement:
    """A new best `extent` (bytes), with the placements tried and the seconds spent until then."""

    effort: int
    seconds: float
    extent: int


@dataclass(frozen=True)
class Placement:
    """Result of an allocator.

    `address` has the address of each storage in bytes, `None` if there is no placement; `extent` is
    the end of the highest byte in use, `bound` a lower bound for the extent of every placement.
    `trace` are the improvements in order of time.
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
        """Relative distance of the placement's extent from the bound, extent / bound - 1; 0 if both
        are 0.

        `None` if there is no placement, or if the bound is 0 and the extent is not.
        """
        if self.extent is None or self.bound == 0:
            return 0.0 if self.extent == 0 else None
        return self.extent / self.bound - 1


@dataclass(frozen=True)
class Progress:
    """State of a running allocator: placements tried, seconds spent, the best extent so far (`None`
    before the first placement), and the lower bound of the extent.
    """

    effort: int
    seconds: float
    extent: int | None
    bound: int


Watcher = Callable[[Progress], bool]
"""Callback that receives the progress of an allocator several times a second; it returns False to
stop the run.
"""
