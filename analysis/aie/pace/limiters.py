"""Find the limiters of a capture's rate: at each step the one that gains most, by replay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from analysis.aie.pace.candidates import Candidate, find_candidates
from analysis.aie.pace.schedule import Schedule, elapsed_times
from analysis.aie.pace.tile_times import TileTimes
from schema.array_types import Floats

MIN_GAIN, MIN_GAIN_ALL_CORES, MIN_GAIN_PAIR = 0.004, 0.03, 0.01
"""Relative gain from which a limiter is listed: of some cores, of all cores, and of a pair."""
_CLOSE = 0.1
"""Gains that differ by this share from the best count as equal."""
_MAX_LIMITERS = 16
_MAX_PAIRED = 12
"""Candidates with the largest parts of which pairs are tried."""


@dataclass(frozen=True)
class Limiter:
    """Limiter of the rate: a part of the time or an iteration (`what`) at a place of the array.

    `where` names the place. `cycles` is the time per iteration that the part takes longer there
    than on the usual core, `share` the same as a share of the elapsed time. `gmacs_if_fixed` is the
    rate without this limiter, `gmacs_if_fixed_low` the lower end of its interval, and
    `cumulative_gmacs` the rate without it and all limiters before it; each is None if the work is
    unknown. `together` has the ranks of limiters that must be fixed with it. `track` is the core of
    the place with the least slack, `iteration` the iteration of the limiter, or None. If
    `is_late_data`, the cores of the place get their data late.
    """

    what: str
    where: str
    cycles: float
    share: float
    gmacs_if_fixed: float | None
    cumulative_gmacs: float | None
    track: str | None = None
    iteration: int | None = None
    gmacs_if_fixed_low: float | None = None
    together: tuple[int, ...] = ()
    is_late_data: bool = False


@dataclass(frozen=True)
class _Step:
    """A schedule, the lengths of its iterations in ticks, and the limiters that it leaves out."""

    schedule: Schedule
    elapsed: Floats
    taken: tuple[Candidate, ...] = ()

    @property
    def mean(self) -> float:
        """Mean length of the step's iterations, in ticks."""
        return float(self.elapsed.mean())


def find_limiters(times: TileTimes) -> list[Limiter]:
    """Find at most 16 limiters in the order in which they should be fixed: each gains most of the
    limiters that are left, given that all before it are fixed. [] if no gain is large enough (0.4 %
    for some cores, 3 % for all cores, 1 % for a pair).
    """
    measured = Schedule.of(times)
    start = _Step(measured, elapsed_times(times, [measured])[0])
    step = start
    limiters: list[Limiter] = []
    while len(limiters) < _MAX_LIMITERS:
        candidates = [
            one
            for one in find_candidates(times, step.schedule, step.elapsed)
            if _is_new(one, step.taken)
        ]
        chosen = _best(times, step, candidates, start.mean)
        if not chosen:
            return limiters
        first = len(limiters) + 1
        ranks = tuple(range(first, first + len(chosen)))
        for rank, candidate in zip(ranks, chosen, strict=True):
            step = _without(times, step, (candidate,))
            together = tuple(other for other in ranks if other != rank)
            limiters.append(_limiter(times, start, step, candidate, together))
    return limiters


def _is_new(candidate: Candidate, taken: Sequence[Candidate]) -> bool:
    return all(candidate.key != one.key for one in taken)


def _without(times: TileTimes, step: _Step, candidates: Sequence[Candidate]) -> _Step:
    """Return the step after these candidates are taken out too, with its new schedule
    and lengths.
    """
    schedule = _schedule_without(times, step, candidates)
    return _Step(schedule, elapsed_times(times, [schedule])[0], (*step.taken, *candidates))


def _schedule_without(times: TileTimes, step: _Step, candidates: Sequence[Candidate]) -> Schedule:
    schedule = step.schedule
    for candidate in candidates:
        schedule = candidate.schedule_without(schedule, times, step.elapsed)
    return schedule


def _best(
    times: TileTimes, step: _Step, candidates: Sequence[Candidate], measured: float
) -> tuple[Candidate, ...]:
    """Choose the candidate with the largest gain; among gains within 10 % of it, the candidate with
    the fewest cores.

    If no single gain suffices (0.4 % of `measured`, 3 % for all cores), a pair that gains 1 %
    together; else (). `measured` is the mean iteration of the capture in ticks.
    """
    if not candidates:
        return ()
    gains = _gains(times, step, [(candidate,) for candidate in candidates])
    least = np.array(
        [
            MIN_GAIN_ALL_CORES if one.cores is None and one.rank is None else MIN_GAIN
            for one in candidates
        ]
    )
    enough = np.flatnonzero(gains >= least * measured)
    if len(enough):
        close = [at for at in enough.tolist() if gains[at] >= (1 - _CLOSE) * gains[enough].max()]
        return (candidates[min(close, key=lambda at: (candidates[at].places, -gains[at]))],)
    paired = sorted(
        (one for one in candidates if one.cores is not None), key=lambda one: -one.cycles(times)
    )
    pairs = [pair for pair in combinations(paired[:_MAX_PAIRED], 2) if not _overlap(*pair)]
    if not pairs:
        return ()
    gains = _gains(times, step, pairs)
    best = int(gains.argmax())
    return pairs[best] if gains[best] >= MIN_GAIN_PAIR * measured else ()


def _overlap(one: Candidate, other: Candidate) -> bool:
    if one.cores is None or other.cores is None:
        return True
    return one.what == other.what and bool((one.cores & other.cores).any())


def _gains(times: TileTimes, step: _Step, groups: Sequence[tuple[Candidate, ...]]) -> Floats:
    """Compute by how many ticks the mean iteration gets shorter without each group of candidates,
    an element per group; 0 or less without a gain.
    """
    schedules = [_schedule_without(times, step, group) for group in groups]
    gains: Floats = step.mean - elapsed_times(times, schedules).mean(axis=1)
    return gains


def _limiter(
    times: TileTimes, start: _Step, step: _Step, candidate: Candidate, together: tuple[int, ...]
) -> Limiter:
    alone = _schedule_without(times, start, (candidate,))
    elapsed = float(elapsed_times(times, [alone])[0].mean())
    low = elapsed
    if times.coupling is not None and candidate.rank is None:
        # The rate of now is known, whatever the moves are.
        slow, base = (
            elapsed_times(times, [alone, start.schedule], is_serial=True).mean(axis=1).tolist()
        )
        low = min(max(elapsed, slow + start.mean - max(base, start.mean)), max(start.mean, elapsed))
    cycles = candidate.cycles(times)
    return Limiter(
        candidate.what,
        candidate.where,
        cycles,
        cycles / float(times.elapsed.mean()),
        times.rate(elapsed),
        times.rate(step.mean),
        _last_core(times, candidate),
        None if candidate.rank is None else int(times.iterations[candidate.rank]),
        times.rate(low),
        together,
        candidate.family is not None or candidate.is_moves,
    )


def _last_core(times: TileTimes, candidate: Candidate) -> str | None:
    """Return the name of the core of a candidate's place with the least slack; None if the
    candidate has no cores of its own (all cores, or an iteration).
    """
    if candidate.cores is None:
        return None
    slack = np.where(candidate.cores, times.slack, np.inf)
    return times.cores[int(slack.argmin())]
