"""Trade-off between moved bytes and extent: how low a placement gets if only some blocks leave
their addresses.

Up to EXACT storages, every set of storages that stay is tried. For more storages, the blocks that
end above a target are moved, then the blocks in their way, until the placement fits. Then blocks
return to their addresses if possible.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from analysis.allocators.placement import Placement, Question
from analysis.allocators.problem import NOT_FIXED, Problem, check_fixed
from analysis.allocators.search import search
from schema.array_types import Ints

EXACT = 8
"""Maximum number of storages for an exact front, unless time or effort ends a search."""
_TARGETS = 16
"""Number of extents tried between the extent in the file and the lowest extent."""
_MAX_EFFORT = 4_000
"""Maximum number of placements tried for a set of storages that stay."""


@dataclass(frozen=True)
class FrontPoint:
    """A placement between least extent and least movement: number and bytes of the storages whose
    address changed, extent, and the address of each storage; sizes and addresses in bytes.
    """

    moved_blocks: int
    moved_bytes: int
    extent: int
    address: Ints


@dataclass(frozen=True)
class MoveFront:
    """Placements by moved bytes, ascending; each has a lower extent than the placement before it.

    `bound` is a lower bound for the extent of every placement.
    """

    points: tuple[FrontPoint, ...]
    bound: int


def find_move_front(problem: Problem, stored: Ints, question: Question) -> MoveFront:
    """Compute the front of moved bytes against extent: placements that no other placement beats in
    both.

    `stored` has an address per storage, NOT_FIXED for storages without an address; to place these
    moves no bytes. `room` of the question is the target extent, at which the front ends; `None` for
    the lowest extent. Raises NoCompilerError.
    """
    finder = _Finder(replace(problem, pairs=None), stored, question)
    finder.add_stored()
    free = search(finder.problem, replace(question, room=None, seconds=finder.seconds_left(0.5)))
    finder.add(free)
    if len(problem) <= EXACT:
        finder.try_every_set()
    else:
        finder.try_targets()
    return MoveFront(tuple(_cut_front(finder.front(), question.room)), free.bound)


def _cut_front(points: list[FrontPoint], room: int | None) -> Iterator[FrontPoint]:
    for point in points:
        yield point
        if room is not None and point.extent <= room:
            return


class _Finder:
    def __init__(self, problem: Problem, stored: Ints, question: Question) -> None:
        self.problem = problem
        self._stored = stored
        self._question = question
        self._began = time.monotonic()
        self._found: list[FrontPoint] = []
        self._size = problem.demand.size
        alive = problem.alive
        self._placed = np.flatnonzero(alive & (stored != NOT_FIXED) & (problem.fixed == NOT_FIXED))
        tops = np.zeros(len(problem), np.int64)
        np.maximum.at(tops, problem.demand.storage, problem.demand.top)
        self._end = stored + tops

    def seconds_left(self, share: float = 1.0) -> float | None:
        """Compute the seconds that remain of the question's time limit, at least 0, times `share`;
        `None` without a time limit.
        """
        limit = self._question.seconds
        return None if limit is None else max(limit - (time.monotonic() - self._began), 0.0) * share

    @property
    def is_time_up(self) -> bool:
        """Whether the question's time limit is used up; False without a limit."""
        return self.seconds_left() == 0.0

    def add_stored(self) -> None:
        """Add the placement that moves no storage to the points found, if the stored addresses do
        not conflict.
        """
        self._solve(self._placed, None)

    def add(self, placement: Placement) -> FrontPoint | None:
        """Add a placement to the points found and return its point; `None` if the allocator found
        no placement.

        Storages that are never alive keep their stored address.
        """
        if placement.address is None or placement.extent is None:
            return None
        address = np.where(
            ~self.problem.alive & (self._stored != NOT_FIXED), self._stored, placement.address
        )
        moved = (self._stored != NOT_FIXED) & (address != self._stored)
        point = FrontPoint(
            int(moved.sum()), int(self._size[moved].sum()), placement.extent, address
        )
        self._found.append(point)
        return point

    def _solve(self, staying: Ints, room: int | None) -> FrontPoint | None:
        """Search a placement in which the storages `staying` keep their stored addresses, add it to
        the points found and return its point.

        `room` is the extent to reach in bytes, `None` for the lowest. `None` comes back if no
        placement was found, or if the storages that stay overlap.
        """
        fixed = self.problem.fixed.copy()
        fixed[staying] = self._stored[staying]
        held = replace(self.problem, fixed=fixed)
        try:
            check_fixed(held)
        except ValueError:
            return None
        effort = self._question.effort or (
            None if len(self.problem) <= EXACT else _MAX_EFFORT + 20 * len(self.problem)
        )
        question = replace(self._question, room=room, effort=effort, seconds=self.seconds_left())
        return self.add(search(held, question))

    def try_every_set(self) -> None:
        """Try all sets of storages that move, fewest bytes first, and add the placements, until the
        time is up.

        A set is skipped if a storage that stays ends above the best extent for as many moved bytes.
        """
        sets = [
            moved
            for count in range(len(self._placed) + 1)
            for moved in combinations(self._placed.tolist(), count)
        ]
        for moved in sorted(sets, key=lambda storages: int(self._size[list(storages)].sum())):
            if self.is_time_up:
                return
            staying = np.setdiff1d(self._placed, moved)
            least = min((point.extent for point in self.front_until(moved)), default=None)
            if least is None or int(self._end[staying].max(initial=0)) < least:
                self._solve(staying, None)

    def front_until(self, moved: tuple[int, ...]) -> list[FrontPoint]:
        """List the points found so far that move at most as many bytes as these storages have,
        unsorted.
        """
        most = int(self._size[list(moved)].sum())
        return [point for point in self._found if point.moved_bytes <= most]

    def try_targets(self) -> None:
        """Try to reach at most 16 target extents between the file's extent and the lowest extent,
        and add the placements; targets are ends of stored storages.
        """
        least = min(point.extent for point in self._found)
        room = self._question.room
        goal = least if room is None else max(least, room)
        ends = np.unique(self._end[self._placed])
        between = ends[(ends > goal) & (ends < ends.max(initial=0))]
        picked = between[
            np.unique(
                np.linspace(0, len(between) - 1, min(_TARGETS, len(between))).astype(np.int64)
            )
        ]
        for target in [goal, *picked[::-1].tolist()]:
            if self.is_time_up:
                return
            self._reach(int(target))

    def _reach(self, target: int) -> None:
        """Add placements that end at `target` bytes or below, with as few moved bytes as possible:
        more and more storages move until a placement is found.
        """
        moving = self._placed[self._end[self._placed] > target]
        staying = self._in_the_way(np.setdiff1d(self._placed, moving), moving, target)
        reached = [point for point in self._found if point.extent <= target]
        best = min(reached, key=lambda point: point.moved_bytes, default=None)
        count = 0
        while count < len(staying) and not self.is_time_up:
            point = self._solve(staying[count:], target)
            if point is not None:
                self._go_back(staying, count, target)
                break
            count = max(2 * count, 1)
        if best is not None:
            self._put_back(best, target)

    def _in_the_way(self, staying: Ints, moving: Ints, target: int) -> Ints:
        """Sort the staying storages by the order in which they shall move.

        Storages whose lives overlap the time from the first to the last step of the moving storages
        come first; among these, and among the rest, smaller before larger storages.
        """
        wanted = self.problem.demand
        begin = np.full(len(self.problem), np.iinfo(np.int64).max)
        end = np.zeros(len(self.problem), np.int64)
        np.minimum.at(begin, wanted.storage, wanted.start)
        np.maximum.at(end, wanted.storage, wanted.end)
        first = int(begin[moving].min(initial=0))
        last = int(end[moving].max(initial=0))
        meets = (begin[staying] < last) & (end[staying] > first)
        return np.asarray(staying[np.lexsort((-self._end[staying], self._size[staying], ~meets))])

    def _go_back(self, staying: Ints, count: int, target: int) -> None:
        """Bisect for the smallest number (between half of `count` and `count`) of the first
        storages in `staying` that has to move to reach the target; placements that are found are
        added.
        """
        low = count // 2
        high = count
        while high - low > 1 and not self.is_time_up:
            middle = (low + high) // 2
            low, high = (low, middle) if self._solve(staying[middle:], target) else (middle, high)

    def _put_back(self, point: FrontPoint, target: int) -> None:
        """Try to move storages of a placement back to their stored addresses, largest first; each
        placement that still ends at `target` bytes or below is added to the points found.
        """
        moved = self._placed[point.address[self._placed] != self._stored[self._placed]]
        staying = np.setdiff1d(self._placed, moved)
        candidates = moved[self._end[moved] <= target]
        for storage in candidates[np.argsort(-self._size[candidates], kind="stable")].tolist():
            if self.is_time_up:
                return
            if self._solve(np.append(staying, storage), target) is not None:
                staying = np.append(staying, storage)

    def front(self) -> list[FrontPoint]:
        """List the points found so far that no other point beats in both moved bytes and extent, by
        moved bytes ascending; [] without points.
        """
        points: list[FrontPoint] = []
        for point in sorted(
            self._found, key=lambda point: (point.moved_bytes, point.extent, point.moved_blocks)
        ):
            if not points or point.extent < points[-1].extent:
                points.append(point)
        return points
