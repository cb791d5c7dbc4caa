"""Bookkeeping of a running allocator: effort, time, the best placement so far, and the stop
conditions.
"""

from __future__ import annotations

import time

import numpy as np

from analysis.allocators.placement import (
    BY_BOUND,
    BY_SEARCH,
    CANCELLED,
    DONE,
    EFFORT,
    FEASIBLE,
    FITS,
    INFEASIBLE,
    NOT_FOUND,
    OPTIMAL,
    TIME,
    Improvement,
    Placement,
    Progress,
    Question,
    Watcher,
)
from analysis.allocators.problem import Problem
from schema.array_types import Ints

REPORT_SECONDS = 0.25
"""Seconds between two progress reports."""


class SearchWatch:
    """Counts effort and time, records the best placement, and builds the result."""

    def __init__(
        self, problem: Problem, question: Question, bound: int, watcher: Watcher | None = None
    ) -> None:
        self.problem = problem
        self.question = question
        self.bound = bound
        self.effort = 0
        self.extent: int | None = None
        self.best: tuple[int, ...] | None = None
        self._address: Ints | None = None
        self._trace: list[Improvement] = []
        self._watcher = watcher
        self._began = time.monotonic()
        self._last_report = self._began
        self._stopped: str | None = None

    @property
    def seconds(self) -> float:
        """Seconds since this watch of an allocator's run was created."""
        return time.monotonic() - self._began

    @property
    def too_tight(self) -> bool:
        """Whether the lower bound of the extent exceeds the question's room, so that no placement
        fits; False without a room.
        """
        return self.question.room is not None and self.bound > self.question.room

    @property
    def is_settled(self) -> bool:
        """Whether the goal is reached: the best extent fits into the room or, without a room,
        equals the bound. False before the first placement.
        """
        goal = self.bound if self.question.room is None else self.question.room
        return self.extent is not None and self.extent <= goal

    def spend(self, placements: int) -> None:
        """Add `placements` to the effort, and report progress every REPORT_SECONDS (0.25); when the
        watcher returns False, the run is cancelled.
        """
        self.effort += placements
        now = time.monotonic()
        if self._watcher is not None and now - self._last_report >= REPORT_SECONDS:
            self._last_report = now
            if not self._watcher(Progress(self.effort, self.seconds, self.extent, self.bound)):
                self._stopped = CANCELLED

    def effort_left(self, most: int) -> int:
        """Compute how many placements, at most `most`, may still be tried; 0 when the effort or
        time limit is reached or the run was cancelled.
        """
        question = self.question
        if self._stopped is None and question.effort is not None and self.effort >= question.effort:
            self._stopped = EFFORT
        if (
            self._stopped is None
            and question.seconds is not None
            and self.seconds >= question.seconds
        ):
            self._stopped = TIME
        if self._stopped is not None:
            return 0
        return most if question.effort is None else min(most, question.effort - self.effort)

    def worth(self, address: Ints) -> tuple[int, ...]:
        """Compute the tuple by which placements are compared, lowest is best; here only the extent
        in bytes. Subclasses may put numbers before it.
        """
        return (self.problem.extent(address),)

    def keep_best(self, address: Ints) -> tuple[int, ...]:
        """Record a placement (an address per storage) if it is the best so far; return the tuple by
        which it was compared.
        """
        worth = self.worth(address)
        if self.best is None or worth < self.best:
            self.best = worth
            self.extent = worth[-1]
            self._address = np.array(address)
            self._trace.append(Improvement(self.effort, self.seconds, worth[-1]))
        return worth

    def placement(self, *, exhausted: bool = False) -> Placement:
        """Build the result of the run from the best placement; without any, or if it does not fit
        into the room, it has no addresses. `exhausted` means that a search has proved that there is
        no better placement.
        """
        status, proof = self._status(exhausted)
        none = status in (INFEASIBLE, NOT_FOUND)
        return Placement(
            status=status,
            proof=proof,
            stopped=self._reason(status),
            extent=None if none else self.extent,
            bound=self.bound,
            seconds=self.seconds,
            effort=self.effort,
            address=None if none else self._address,
            trace=tuple(self._trace),
        )

    def _status(self, exhausted: bool) -> tuple[str, str | None]:
        if self.too_tight:
            return INFEASIBLE, BY_BOUND
        if self.extent == self.bound:
            return OPTIMAL, BY_BOUND
        fits = self.extent is not None and (
            self.question.room is None or self.extent <= self.question.room
        )
        if exhausted:
            return (OPTIMAL if fits else INFEASIBLE), BY_SEARCH
        return (FEASIBLE if fits else NOT_FOUND), None

    def _reason(self, status: str) -> str:
        if self.question.room is not None and self.is_settled:
            return FITS
        return status if status in (OPTIMAL, INFEASIBLE) else self._stopped or DONE
