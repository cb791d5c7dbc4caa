"""Find the limiters of a capture's rate, in order of removal, with the gain of each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from analysis.aie.core_coverage import STALLS
from analysis.aie.pace.schedule import Schedule
from analysis.aie.pace.tile_times import GAP, KERNELS, LATE_START
from schema.array_types import Bools, Floats

ITERATION = "iteration"
ALL_CORES = "all cores"
_OF_ALL = (*(f"{stall}_stall" for stall in STALLS), GAP)
_OF_CORES = (KERNELS, *_OF_ALL, LATE_START)
_MIN_SHARE, _MIN_SHARE_ALL_CORES = 0.01, 0.03
"""Minimum share of the time of a limiter: of some cores or an iteration, and of all cores."""
_ALIKE, _APART = 0.5, 0.9
"""Limits for a part that is common to a column or row.

Its cores have at least 0.5 of the slowest core's excess, and the other cores less than 0.9 of the
smallest of these.
"""

Place = tuple[int, int]
"""Row and column of a core."""


@dataclass(frozen=True)
class Limiter:
    """Limiter of the rate: a part of the time, or an iteration (`what`), at one place of the array
    (`where`).

    `cycles` is the time per iteration that the part takes longer there than elsewhere, `share` the
    same as a share of the elapsed time. `gmacs_if_fixed` is the rate without this limiter,
    `cumulative_gmacs` the rate without it and all limiters before it (None if the work is unknown).
    `track` is the core of the place that ends last, `iteration` the iteration of the limiter, or
    None.
    """

    what: str
    where: str
    cycles: float
    share: float
    gmacs_if_fixed: float | None
    cumulative_gmacs: float | None
    track: str | None = None
    iteration: int | None = None


@dataclass(frozen=True)
class _Candidate:
    """A possible limiter: a part of some or all (`cores` None) cores, or an iteration."""

    what: str
    where: str
    cores: Bools | None = None
    rank: int = 0
    track: str | None = None
    iteration: int | None = None

    def cycles(self, schedule: Schedule) -> float:
        """Compute the time per iteration that the candidate takes."""
        if self.what == ITERATION:
            elapsed = schedule.elapsed
            return float((elapsed[self.rank] - np.median(elapsed)) / len(elapsed))
        if self.cores is None:
            return float(schedule.usual(self.what).mean())
        return float(_excess(schedule, self.what)[self.cores].mean())

    def schedule_without(self, schedule: Schedule) -> Schedule:
        """Return the schedule without the candidate."""
        if self.what == ITERATION:
            return schedule.without_iteration(self.rank)
        if self.cores is None:
            return schedule.without_part(self.what)
        return schedule.without_excess(self.what, self.cores)


def find_limiters(measured: Schedule, places: Mapping[str, Place]) -> list[Limiter]:
    """Find the limiters in order of removal.

    Each round takes the candidate with the most time, on the core that ends last, on all cores or
    of an iteration, and removes it from the schedule; then the candidates are computed again.
    `places` has row and column of the cores, if known.
    """
    limiters: list[Limiter] = []
    seen: set[tuple[str, str]] = set()
    schedule = measured
    total = float(measured.elapsed.mean())
    while True:
        candidates = [
            candidate
            for candidate in _candidates(schedule, places, total)
            if (candidate.what, candidate.where) not in seen
            and candidate.cycles(measured) >= _MIN_SHARE * total
        ]
        if not candidates:
            return limiters
        first = max(candidates, key=lambda candidate: candidate.cycles(schedule))
        seen.add((first.what, first.where))
        schedule = first.schedule_without(schedule)
        cycles = first.cycles(measured)
        alone = first.schedule_without(measured)
        rates = alone.gmacs, schedule.gmacs
        place = first.track, first.iteration
        limiters.append(Limiter(first.what, first.where, cycles, cycles / total, *rates, *place))


def _candidates(
    schedule: Schedule, places: Mapping[str, Place], total: float
) -> Iterator[_Candidate]:
    """Yield parts of the core that ends last, parts of all cores, and long iterations.

    Each takes at least the minimum share of the time.
    """
    last = int(np.argmin(schedule.slack))
    for what in _OF_CORES:
        excess = _excess(schedule, what)
        if excess[last] >= _MIN_SHARE * total:
            where, cores = _where(excess, last, schedule.times.cores, places)
            yield _Candidate(what, where, cores, track=schedule.times.cores[last])
    for what in _OF_ALL:
        if schedule.usual(what).mean() >= _MIN_SHARE_ALL_CORES * total:
            yield _Candidate(what, ALL_CORES)
    for rank, number in enumerate(schedule.times.iterations.tolist()):
        candidate = _Candidate(ITERATION, f"iteration {number}", rank=rank, iteration=number)
        if candidate.cycles(schedule) >= _MIN_SHARE * total:
            yield candidate


def _excess(schedule: Schedule, what: str) -> Floats:
    """Compute the mean time that each core spends on a part more than the usual core."""
    excess: Floats = (schedule.parts[what] - schedule.usual(what)).mean(axis=0)
    return excess


def _where(
    excess: Floats, last: int, cores: tuple[str, ...], places: Mapping[str, Place]
) -> tuple[str, Bools]:
    """Return the name and mask of the cores with an excess like the last core's.

    These are the cores of its column or row if no other core has such an excess, else only the last
    core.
    """
    for axis, word in ((1, "column"), (0, "row")):
        at = places.get(cores[last])
        if at is None:
            break
        own = np.array([core in places and places[core][axis] == at[axis] for core in cores])
        if own.sum() < 2 or own.all():
            continue
        least = excess[own].min()
        if least >= _ALIKE * excess[last] and excess[~own].max() < _APART * least:
            return f"{word} {at[axis]}", own
    alone = np.zeros(len(cores), bool)
    alone[last] = True
    return cores[last], alone
