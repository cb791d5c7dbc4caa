"""Possible limiters of a capture: parts of cores, late streams, and long iterations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from analysis.aie.core_coverage import STALLS
from analysis.aie.pace.schedule import Schedule, lower_median
from analysis.aie.pace.streams import Family, array_families
from analysis.aie.pace.tile_times import GAP, KERNELS, LATE_START, LOCK_STALL, TileTimes
from schema.array_types import Bools, Floats

ITERATION = "iteration"
ALL_CORES = "all cores"
OF_ALL = (*(f"{stall}_stall" for stall in STALLS), GAP)
OF_CORES = (KERNELS, *OF_ALL, LATE_START)
MIN_SHARE, MIN_SHARE_ALL_CORES = 0.01, 0.03
"""Minimum share of the time of a part: of some cores, and of all cores."""
_ALIKE = 0.75
"""Excess of each core of a row or column, at least, relative to the largest of them."""
_MIN_ODD = 1.25
"""Length of a long iteration, at least, relative to the median."""
_MAX_CORES = 24
"""Cores that are tried for each part, those with the most excess."""
_MIN_LATER = 1.05
"""Lag of a late stream, at least, relative to that of the other streams."""


@dataclass(frozen=True)
class Candidate:
    """A possible limiter: a part of some or all cores, a late stream, or an iteration.

    `cores` are the cores of its place (None: all), `rank` is that of the iteration. A stream has
    its family and its lags of now and when fixed, ticks. `is_moves` is the movement of all data.
    """

    what: str
    where: str
    cores: Bools | None = None
    rank: int | None = None
    family: int | None = None
    lags: tuple[float, float] = (0.0, 0.0)
    is_moves: bool = False

    @property
    def places(self) -> float:
        """Number of cores of the candidate's place, infinity for all cores; 0 for an iteration."""
        if self.rank is not None:
            return 0
        return np.inf if self.cores is None else int(self.cores.sum())

    @property
    def key(self) -> tuple[str, str]:
        """Part (`what`) and place (`where`), which identify a candidate."""
        return self.what, self.where

    def schedule_without(self, schedule: Schedule, times: TileTimes, elapsed: Floats) -> Schedule:
        """Return a new schedule without the candidate: its time is replaced by the usual time, the
        lower median over cores (for an iteration the median of all). `elapsed` has the lengths
        (ticks) of the iterations of the given schedule.
        """
        if self.rank is not None:
            return schedule.without_iteration(self.rank, elapsed)
        if self.is_moves:
            return schedule.without_moves()
        if self.cores is None:
            return schedule.without_part(self.what)
        if self.family is not None:
            return schedule.with_stream(self.family, self.cores, self.lags)
        return schedule.without_excess(self.what, self.cores, times.kernels)

    def cycles(self, times: TileTimes) -> float:
        """Compute the mean ticks per iteration that the candidate costs in the capture.

        For all cores: the lower median over cores of the part. For some cores: their mean time
        above that (negative when they take less). For an iteration: its excess over the median,
        spread over all iterations.
        """
        if self.rank is not None:
            return float((times.elapsed[self.rank] - np.median(times.elapsed)) / len(times.elapsed))
        values = times.parts[self.what]
        usual = lower_median(values)
        if self.cores is None:
            return float(usual.mean())
        return float((values - usual).mean(axis=0)[self.cores].mean())


def find_candidates(times: TileTimes, schedule: Schedule, elapsed: Floats) -> list[Candidate]:
    """Find the possible limiters of a schedule, not ranked by their effect; [] if there are none.
    `elapsed` has the lengths of its iterations in ticks.

    A part counts if it takes MIN_SHARE (1 %) of the mean elapsed time more than the lower median
    over cores, or MIN_SHARE_ALL_CORES (3 %) on all cores; an iteration if it is 1.25 times as long
    as the median; a row or column of cores if its data come late by MIN_SHARE of the mean.
    """
    total = float(times.elapsed.mean())
    families = array_families(times.cores)
    found = [
        *_iterations(times, elapsed),
        *(late for late in _streams(times) if late.cycles(times) >= MIN_SHARE * total),
    ]
    for what in OF_CORES:
        excess = schedule.excess(what)
        found += _places(what, excess, MIN_SHARE * total, times.cores, families)
    everywhere = ALL_CORES if len(times.cores) > 1 else times.cores[0]
    for what in OF_ALL:
        if what == LOCK_STALL and times.coupling is not None:
            moves = Candidate(what, everywhere, is_moves=True)
            found += [moves] if moves.cycles(times) >= MIN_SHARE * total else []
        elif schedule.usual(what).mean() >= MIN_SHARE_ALL_CORES * total:
            found.append(Candidate(what, everywhere))
    return found


def _iterations(times: TileTimes, elapsed: Floats) -> Iterator[Candidate]:
    for rank in np.flatnonzero(elapsed >= _MIN_ODD * np.median(elapsed)).tolist():
        yield Candidate(ITERATION, f"iteration {times.iterations[rank]}", rank=rank)


def _places(
    what: str, excess: Floats, least: float, cores: tuple[str, ...], families: tuple[Family, ...]
) -> Iterator[Candidate]:
    """Yield each core with an excess of at least `least` ticks (at most 24, the largest first),
    then each row and column of the array of which all cores have such an excess, within 75 % of the
    largest.
    """
    is_large = excess >= least
    for core in np.argsort(-excess, kind="stable")[: min(int(is_large.sum()), _MAX_CORES)].tolist():
        yield Candidate(what, cores[core], np.arange(len(cores)) == core)
    for family in families:
        for stream, members in enumerate(family.groups):
            own = excess[members]
            if (
                1 < len(members) < len(cores)
                and is_large[members].all()
                and own.min() >= _ALIKE * own.max()
            ):
                yield Candidate(
                    what, f"{family.word} {family.names[stream]}", family.of_core == stream
                )


def _streams(times: TileTimes) -> Iterator[Candidate]:
    """Yield the rows and columns whose data come at least 1.05 times as late as the data of the
    other streams of their family (median); no candidate when the cores do not wait for each other.
    """
    if times.coupling is None:
        return
    structure = times.coupling.structure
    delays = [
        np.maximum(lags, paces) for lags, paces in zip(structure.lags, structure.paces, strict=True)
    ]
    for at, family in enumerate(structure.families):
        if len(family.names) < 2:
            continue
        for stream, number in enumerate(family.names):
            now = float(delays[at][stream])
            if not np.isfinite(now) or now <= 0:
                continue
            then = _usual_lag(delays, at, stream)
            if now >= _MIN_LATER * then:
                yield Candidate(
                    LOCK_STALL,
                    f"{family.word} {number}",
                    family.of_core == stream,
                    family=at,
                    lags=(now, then),
                )


def _usual_lag(delays: list[Floats], at: int, stream: int) -> float:
    """Return the lower median of the lags (ticks) of the family's other streams, at least 0.

    If these are unknown the result is that of the other family, or 0.
    """
    siblings = np.delete(delays[at], stream)
    for lags in (
        siblings,
        np.concatenate([own for other, own in enumerate(delays) if other != at] or [siblings]),
    ):
        known = np.sort(lags[np.isfinite(lags)])
        if len(known):
            return max(float(known[(len(known) - 1) // 2]), 0.0)
    return 0.0
