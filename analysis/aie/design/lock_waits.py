"""Assign the lock stalls of a core to the locks that it waits for.

Evidence, the first that holds: `order` (lock requests are traced and fit the program), `release`
(a stall ends when a traced channel or neighbour releases a lock), `design` (which lock is not
known), `none` (LOCK_STALL was not traced).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from analysis.aie.design.model import DesignModel, split_user
from analysis.aie.design.program import Request, follow
from analysis.aie.design.traced import Intervals, TracedUnits, memory_unit
from schema.array_types import Bools, Ints

STALL = "LOCK_STALL"
_ACQUIRE = "INSTR_LOCK_ACQUIRE_REQ"
_RELEASE = "INSTR_LOCK_RELEASE_REQ"
_MAX_DELAY = 4
"""Maximum cycles from a request to its stall: 2 or 3 on NPU1, as measured."""
_MAX_SKIPPED = 4096
"""Maximum number of requests that a program may have made before the trace began."""
_MAX_DISTANCE = 30
"""Maximum cycles between a release and the end of the stall that it ends."""
_MIN_WAIT = 3
"""Minimum cycles of a stall that waits for a release; a request that is granted immediately stalls
for a cycle.
"""


@dataclass
class LockWaits:
    """Lock stalls of a core: `stalls`, and for each stall the index of its request in `requests`.

    An index of -1 is unknown. `cycles` is `None` if the event was not traced. `release_cycles` are
    of releases, which stall for a cycle each.
    """

    core: str
    cycles: int | None
    evidence: str
    stalls: Intervals
    requests: list[Request] = field(default_factory=list)
    assigned: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    at_edge: Bools = field(default_factory=lambda: np.empty(0, np.bool_))
    release_cycles: int = 0

    def request_stalls(self, rank: int, *, inner: bool) -> tuple[Ints, Ints]:
        """Return begin and end of the stalls of a request; `inner`: without stalls that touch the
        begin or end of the capture.
        """
        chosen = self.assigned == rank
        if inner:
            chosen = chosen & ~self.at_edge
        return self.stalls.start[chosen], self.stalls.end[chosen]

    def request_cycles(
        self, rank: int, *, inner: bool = False, window: tuple[int, int] | None = None
    ) -> int:
        """Return the cycles of the stalls of a request, only the cycles in `window` if it is given."""
        starts, ends = self.request_stalls(rank, inner=inner)
        if window is not None:
            starts = np.maximum(starts, window[0])
            ends = np.minimum(ends, window[1])
        return int(np.maximum(ends - starts, 0).sum())

    @property
    def last_request(self) -> Request | None:
        """Request with a stall that the end of the capture cuts; `None` if no stall is cut."""
        if not len(self.stalls.cut) or not self.stalls.cut[-1] or not len(self.assigned):
            return None
        rank = int(self.assigned[-1])
        return self.requests[rank] if rank >= 0 else None

    @property
    def unknown_cycles(self) -> int:
        """Cycles of stalls with an unknown lock."""
        known = sum(self.request_cycles(rank) for rank in range(len(self.requests)))
        return (self.cycles or 0) - known - self.release_cycles


def lock_waits(units: TracedUnits, model: DesignModel, core: str) -> LockWaits:
    """Assign the lock stalls of a traced core, by the best evidence that there is."""
    stalls = units.intervals(core, STALL)
    if not units.traces(core, STALL):
        return LockWaits(core, None, "none", stalls)
    waits = _assign_stalls(units, model, core, stalls)
    waits.at_edge = waits.at_edge | _opening(units, core, stalls)
    return waits


def _opening(units: TracedUnits, core: str, stalls: Intervals) -> Bools:
    """Return a mask of the stalls before the first kernel: until then a pipeline fills."""
    kernels = units.intervals(core, "INSTR_EVENT_0").start
    if not units.traces(core, "INSTR_EVENT_0"):
        return np.zeros(len(stalls.end), np.bool_)
    first = kernels[0] if len(kernels) else np.iinfo(np.int64).max
    opening: Bools = stalls.end <= first
    return opening


def _assign_stalls(
    units: TracedUnits, model: DesignModel, core: str, stalls: Intervals
) -> LockWaits:
    by_order = _by_order(units, model, core, stalls)
    if by_order is not None:
        return by_order
    by_release = _by_release(units, model, core, stalls)
    if by_release is not None:
        return by_release
    waits = LockWaits(core, stalls.cycles, "design", stalls)
    waits.assigned = np.full(len(stalls.start), -1)
    waits.at_edge = stalls.cut
    return waits


def _by_order(
    units: TracedUnits, model: DesignModel, core: str, stalls: Intervals
) -> LockWaits | None:
    """Assign the stalls by the order of requests: the sequence of traced acquires and releases is
    located in that of the program. `None` if they are not traced or the program has no such
    sequence.
    """
    program = model.programs.get(core)
    if program is None or not all(units.traces(core, name) for name in (_ACQUIRE, _RELEASE)):
        return None
    acquires = units.intervals(core, _ACQUIRE).start
    releases = units.intervals(core, _RELEASE).start
    times = np.concatenate([acquires, releases])
    order = np.argsort(times, kind="stable")
    times = times[order]
    letters = "".join(np.where(order < len(acquires), "A", "R").tolist())
    if not letters:
        return None
    is_waiting = len(stalls.start) > 0 and stalls.start[0] < times[0]
    sequence = follow(program, len(letters) + _MAX_SKIPPED)
    text = "".join("A" if request.is_acquire else "R" for request in sequence)
    # A stall before the first request belongs to an acquire before the begin of the trace.
    begin = text.find(f"A{letters}" if is_waiting else letters)
    if begin < 0:
        return None
    offset = begin + is_waiting
    last = np.searchsorted(times, stalls.start, "right") - 1
    near = (last < 0) | (stalls.start - times[np.maximum(last, 0)] <= _MAX_DELAY)
    return _assign(core, stalls, sequence, np.where(near, last + offset, -1), last < 0)


def _assign(
    core: str, stalls: Intervals, sequence: list[Request], place: Ints, before: Bools
) -> LockWaits:
    """Make the waits from the place of each stall's request in the sequence, -1 if unknown."""
    ranks: dict[Request, int] = {}
    of_place = np.full(len(sequence) + 1, -1)
    is_release = np.zeros(len(sequence) + 1, bool)
    for index, request in enumerate(sequence):
        is_release[index] = not request.is_acquire
        if request.is_acquire:
            of_place[index] = ranks.setdefault(request, len(ranks))
    lengths = stalls.end - stalls.start
    return LockWaits(
        core,
        stalls.cycles,
        "order",
        stalls,
        list(ranks),
        of_place[place],
        stalls.cut | before,
        int(lengths[is_release[place]].sum()),
    )


def _by_release(
    units: TracedUnits, model: DesignModel, core: str, stalls: Intervals
) -> LockWaits | None:
    """Assign each stall to the lock with the release nearest to its end, -1 if two locks are
    equally near or the release is too far; `None` if no stall has a lock.
    """
    requests = model.acquired_locks(core)
    releases = [_release_times(units, model.releasers(request), core) for request in requests]
    if not any(len(times) for times in releases):
        return None
    distance = np.full((len(requests), len(stalls.end)), _MAX_DISTANCE + 1)
    for rank, times in enumerate(releases):
        if len(times):
            distance[rank] = np.minimum(_distance(times, stalls.end), _MAX_DISTANCE + 1)
    nearest = distance.min(axis=0)
    is_clear = (distance == nearest).sum(axis=0) == 1
    waited = stalls.end - stalls.start >= _MIN_WAIT
    known = (nearest <= _MAX_DISTANCE) & is_clear & waited
    if not known.any():
        return None
    assigned = np.where(known, distance.argmin(axis=0), -1)
    first = np.zeros(len(assigned), bool)
    first[:1] = True
    # The first stall may have begun before the trace.
    return LockWaits(core, stalls.cycles, "release", stalls, requests, assigned, stalls.cut | first)


def _release_times(units: TracedUnits, releasers: list[str], core: str) -> Ints:
    """Return the sorted times at which traced channels and neighbours may have released a lock."""
    found = []
    for user in releasers:
        tile, direction, channel = split_user(user)
        if direction:
            event = f"DMA_{direction}_{channel}_FINISHED_BD"
            found.append(units.intervals(memory_unit(tile), event).start)
        elif tile != core:
            found.append(units.intervals(tile, _RELEASE).start)
    return np.sort(np.concatenate([np.empty(0, np.int64), *found]))


def _distance(times: Ints, ends: Ints) -> Ints:
    """Return the distance in cycles from each end to the nearest of the sorted times."""
    after = np.searchsorted(times, ends)
    later = np.abs(times[np.minimum(after, len(times) - 1)] - ends)
    earlier = np.abs(times[np.maximum(after - 1, 0)] - ends)
    distance: Ints = np.minimum(later, earlier)
    return distance
