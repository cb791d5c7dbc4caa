"""Data of the lab's page: an attempt of a run, changes to its problem, and the placements found so
far.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from analysis.allocators.conflict_bound import conflict_limit, least_conflicts
from analysis.allocators.listed import KEEP_MOST, LISTED, is_of_use
from analysis.allocators.packing import PACKERS
from analysis.allocators.problem import Problem, build_problem, stored_addresses
from analysis.allocators.sections import alive, compute_bound
from analysis.allocators.what_if import apply_changes
from analysis.memory.attempt_map import AttemptMap, unplaced_blocks
from analysis.memory.findings.bank_conflicts import count_conflicts
from analysis.memory.least_peak import least_peak
from analysis.memory.selection import MemorySelection
from analysis.memory.step_order import Precedence
from schema.array_types import Ints
from schema.choices import PLACED
from services.lab.merged_placements import merge_saved, placement_key
from services.lab.searches import Running, Task
from services.run.capabilities import Capability
from services.run.data import RunData
from services.run.placement_question import EFFORTS, LabProblem, LabQuestion
from services.run.placements import LabPlacement
from services.run.saved_placements import CheckedPlacement, lay_out_placement
from services.run.step_dependencies import step_dependencies


@dataclass(frozen=True)
class LabData:
    """A run with the placements of a problem that is derived from an attempt of the run.

    `placements` are the placements found for the problem; `front` are placements that move few bytes,
    ascending by moved bytes. `kept` are all saved placements of the run, whatever their problem.
    `running` is the user's search for this problem, `elsewhere` the user's search for another
    problem. `failure` is the reason why the user's last search for this problem failed, else "".
    """

    run: RunData
    asked: LabProblem
    placements: tuple[LabPlacement, ...]
    running: Running | None
    failure: str
    saved: tuple[CheckedPlacement, ...] = ()
    elsewhere: Running | None = None
    front: tuple[LabPlacement, ...] = ()

    @property
    def label(self) -> str:
        """Name of the data in log lines: `lab of` and the label of the run."""
        return f"lab of {self.run.label}"

    def can(self, *needs: Capability) -> bool:
        """Whether the run has all of these capabilities."""
        return self.run.can(*needs)

    @property
    def busy(self) -> bool:
        """Whether the user has a running search, for this or any other problem."""
        return self.running is not None or self.elsewhere is not None

    @cached_property
    def stored_map(self) -> AttemptMap | None:
        """The map of the attempt as stored in the run; `None` if the run has no such attempt."""
        memory = self.run.memory
        return memory.shown_map(MemorySelection(attempt=self.asked.attempt), PLACED)

    @property
    def is_placed(self) -> bool:
        """Whether the file has an address for every block of the attempt; False without an attempt
        or a known extent.
        """
        return (
            self.stored_map is not None
            and not len(unplaced_blocks(self.stored_map))
            and self.stored_map.whole("extent") is not None
        )

    @property
    def is_of_the_file(self) -> bool:
        """Whether the problem is that of the file itself: no changes, no fixed blocks; the capacity
        may differ.
        """
        return not self.asked.changes.any and not self.asked.fixed

    @cached_property
    def changed_map(self) -> AttemptMap | None:
        """The map of the attempt with the user's changes; `None` if they are invalid, see
        `refusal`.
        """
        return self._problem_posed[0]

    @cached_property
    def problem(self) -> Problem | None:
        """The problem to place, built from `changed_map`; `None` if it is invalid, see `refusal`."""
        return self._problem_posed[1]

    @property
    def refusal(self) -> str:
        """A sentence with the reason why the problem is invalid; "" if it is valid."""
        return self._problem_posed[2]

    @cached_property
    def _problem_posed(self) -> tuple[AttemptMap | None, Problem | None, str]:
        if self.stored_map is None:
            return None, None, "there is no such attempt"
        try:
            self._check_order()
            posed = apply_changes(self.stored_map, self.asked.changes)
            events = self.run.memory.attempt_events(posed.number)
            return posed, build_problem(posed, dict(self.asked.fixed), events), ""
        except ValueError as error:
            return None, None, str(error)

    @property
    def strategies(self) -> list[str]:
        """Names of the strategies that are useful for the problem, in the order of LISTED; all if
        the problem is invalid.
        """
        return [name for name in LISTED if self.problem is None or is_of_use(name, self.problem)]

    @property
    def room(self) -> int | None:
        """Requested bytes above the constants; `None` to minimise the extent (no capacity is
        requested) or if the problem is invalid.
        """
        if self.asked.capacity is None or self.problem is None:
            return None
        return self.asked.capacity - self.problem.static_bytes

    def fits(self, placement: LabPlacement) -> bool | None:
        """Whether the extent of a placement is within the requested capacity; `None` if no capacity
        is requested or the search found no placement.
        """
        return (
            None if self.room is None or placement.extent is None else placement.extent <= self.room
        )

    def conflicts(self, placement: LabPlacement) -> int | None:
        """Return the number of bank conflicts of a placement; `None` if it is unknown, or the
        placement has no addresses or is of another problem.
        """
        problem = self.problem
        address = placement.address
        if problem is None or address is None or len(address) != len(problem):
            return None
        return problem.conflicts(address)

    @cached_property
    def conflicts_stored(self) -> int | None:
        """Number of bank conflicts of the file's own placement; `None` if it is unknown or there is
        no attempt.
        """
        stored = self.stored_map
        return (
            None
            if stored is None
            else count_conflicts(stored, self.run.memory.attempt_events(stored.number))
        )

    @cached_property
    def conflicts_bound(self) -> int | None:
        """Lower bound of the bank conflicts of all placements of the problem; `None` if it is
        unknown.
        """
        if self.problem is None or self.problem.pairs is None:
            return None
        return least_conflicts(self.problem, self.room)

    @cached_property
    def can_avoid_conflicts(self) -> bool:
        """Whether a placement without bank conflicts is known that fits the memory and the
        requested capacity.
        """
        limit = None if self.problem is None else conflict_limit(self.problem, self.room)
        if limit is None or self.stored_map is None:
            return False
        candidates = [
            (self.conflicts(placement), placement.extent) for placement in self.placements
        ]
        if self.is_of_the_file and self.is_placed:
            candidates.append((self.conflicts_stored, self.stored_map.whole("extent")))
        return any(conflicts == 0 and (extent or 0) <= limit for conflicts, extent in candidates)

    @cached_property
    def lower_bound(self) -> int | None:
        """Lower bound (bytes) of the extent of all placements of the problem; `None` if the problem
        is invalid.
        """
        return None if self.problem is None else compute_bound(self.problem)

    @property
    def bytes_alive(self) -> int | None:
        """Largest number of bytes that are alive at once in the file's problem, the bound on the
        run's page; `None` if it is unknown or the problem is not that of the file.
        """
        if self.stored_map is None or not self.is_of_the_file:
            return None
        return self.stored_map.whole("bound")

    @cached_property
    def precedence(self) -> Precedence | None:
        """Order constraints between steps from their operands; `None` if they are not completely
        known: no attempt, several devices, no operands, more than MAX_STEPS steps, or a source with
        control flow.
        """
        stored = self.stored_map
        source = str(self.run.run["source"].iloc[0])
        return None if stored is None else step_dependencies(self.run.memory, source, stored)

    def _check_order(self) -> None:
        """Raise ValueError if the requested order of steps is impossible or cannot be checked."""
        if not self.asked.changes.order:
            return
        if self.precedence is None:
            raise ValueError(
                "the steps cannot be reordered: their dependencies are not completely known"
            )
        self.precedence.check(self.asked.changes.order)

    @property
    def order(self) -> tuple[int, ...]:
        """The numbers that the steps have in the file, in the order in which they run.

        It is the order of the file if the requested order has another number of steps, for example
        in a link to another plan.
        """
        order = self.asked.changes.order
        length = 0 if self.stored_map is None else self.stored_map.length
        return order if len(order) == length else tuple(range(length))

    def least_peak(self) -> tuple[int, ...]:
        """Return the order of steps (their numbers in the file) with the lowest peak of live bytes
        under the other changes; empty if the dependencies or the attempt are unknown.

        Raises ValueError if the question is invalid.
        """
        if self.stored_map is None or self.precedence is None:
            return ()
        return least_peak(
            apply_changes(self.stored_map, replace(self.asked.changes, order=())), self.precedence
        )

    def alive(self) -> Ints:
        """Return the live bytes of each step in the order in which the steps run, int64; empty if
        the problem is invalid.
        """
        if self.problem is None or self.changed_map is None:
            return np.zeros(0, dtype=np.int64)
        return alive(self.problem, self.changed_map.length)

    def find_placement(self, question: LabQuestion) -> LabPlacement | None:
        """Return the placement of the strategy, seed and effort of a question; `None` if it was not
        searched yet.

        For a strategy in PACKERS, any seed and effort will do, since they do not change its
        placement.
        """
        wanted = (question.strategy, question.seed, question.effort)
        match = next(
            (
                placement
                for placement in self.placements
                if (placement.strategy, placement.seed, placement.asked_effort) == wanted
            ),
            None,
        )
        if match is None and question.strategy in PACKERS:
            return next(
                (
                    placement
                    for placement in self.placements
                    if placement.strategy == question.strategy
                ),
                None,
            )
        return match

    def front_point(self, moved_bytes: int) -> LabPlacement | None:
        """Return the placement of the front that moves exactly this number of bytes; `None` if
        there is no such point.
        """
        return next(
            (placement for placement in self.front if placement.moved_bytes == moved_bytes), None
        )

    @property
    def can_keep_most(self) -> bool:
        """Whether the problem is valid and the file has an address of a block, so that placements
        can keep most addresses.
        """
        return (
            self.problem is not None
            and self.stored_map is not None
            and bool(self.stored_map.is_placed.any())
        )

    def placement_map(self, placement: LabPlacement | None) -> AttemptMap | None:
        """Return the map of the problem laid out by a placement; `None` if the placement is `None`
        or has no addresses, or the problem is invalid.
        """
        if placement is None or self.problem is None or self.changed_map is None:
            return None
        return lay_out_placement(self.changed_map, self.problem, self.asked.capacity, placement)

    @cached_property
    def _saved_for_problem(
        self,
    ) -> dict[tuple[str, int, int, int], tuple[CheckedPlacement, LabPlacement]]:
        """Saved placements of this problem that fit the run, `placement_key` -> (saved form,
        placement); of equal questions the first saved.
        """
        problem = replace(self.asked, version="")
        fits = (
            saved
            for saved in reversed(self.saved)
            if saved.amap is not None and saved.asked == problem
        )
        return {
            placement_key(saved.answer): (saved, saved.answer)
            for saved in fits
            if saved.answer is not None
        }

    def saved_form(self, placement: LabPlacement | None) -> CheckedPlacement | None:
        """Return the saved form of a placement; `None` if it is not saved with the run."""
        match = None if placement is None else self._saved_for_problem.get(placement_key(placement))
        return None if match is None else match[0]

    def with_saved(self) -> LabData:
        """Return a copy with the saved placements of the problem added to its placements and front,
        since they may have been deleted from the cache; both are sorted as `merge_saved` says.
        """
        saved = [placement for _, placement in self._saved_for_problem.values()]
        placements, front = merge_saved(self.placements, self.front, saved)
        return replace(self, placements=placements, front=front)

    def _stored_addresses(self) -> list[int]:
        """Return the file's address (bytes) of each storage of the problem.

        Raises ValueError if the problem is invalid or the file has no addresses.
        """
        if self.problem is None or self.changed_map is None or not self.can_keep_most:
            raise ValueError("the file has no placement to save")
        return [int(address) for address in stored_addresses(self.problem, self.changed_map)]

    def task(self, strategy: str, seed: int, effort: int) -> Task:
        """Return the search for a question; KEEP_MOST has seed 0 and the least effort.

        Raises ValueError if the problem is invalid.
        """
        if self.problem is None:
            raise ValueError(self.refusal)
        if strategy == KEEP_MOST:
            question = LabQuestion(self.asked, strategy, 0, min(EFFORTS))
            return Task(
                self.run.run_id, question, self.problem, self.room, self._stored_addresses()
            )
        return Task(
            self.run.run_id,
            LabQuestion(self.asked, strategy, seed, effort),
            self.problem,
            self.room,
        )
