"""Predict how long iterations last if parts of the time are taken out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from analysis.aie.pace.replay import Change, Replay
from analysis.aie.pace.tile_times import GAP, LATE_START, LOCK_STALL, OWN, TileTimes
from schema.array_types import Bools, Floats, Ints

_BETWEEN_KERNELS = (LOCK_STALL, GAP)
"""Parts before a kernel begins, which a core also has before its first kernel."""


@dataclass(frozen=True)
class Schedule:
    """The iterations of a capture as measured, or with parts removed.

    `parts` has the time that each core spends by itself, iterations x cores, ticks; `scale` (per
    iteration) is the factor by which an iteration is stretched. `lag` has per family of streams a
    factor of each core's lags, `holds` whether its stream's pace holds, and `sooner` (cores) how
    much sooner blocks arrive after the launch.
    """

    parts: Mapping[str, Floats]
    scale: Floats
    lag: tuple[Floats, ...]
    holds: tuple[Bools, ...]
    sooner: Floats

    @classmethod
    def of(cls, times: TileTimes) -> Schedule:
        """Build the schedule as measured: all factors are 1, all paces hold, and no block arrives
        sooner.
        """
        cores = len(times.cores)
        families = len(times.replay.streams)
        return cls(
            {part: times.own[part] for part in OWN},
            np.ones(len(times.elapsed)),
            (np.ones(cores),) * families,
            (np.ones(cores, bool),) * families,
            np.zeros(cores),
        )

    def usual(self, part: str) -> Floats:
        """Compute the lower median over cores of a part's ticks in the schedule, iterations x 1."""
        return lower_median(self.parts[part])

    def excess(self, part: str) -> Floats:
        """Compute for each core the mean ticks per iteration that it spends on a part more than the
        lower median over cores; negative when it spends less.
        """
        excess: Floats = (self.parts[part] - self.usual(part)).mean(axis=0)
        return excess

    def without_excess(self, part: str, cores: Bools, kernels: Ints) -> Schedule:
        """Return a new schedule in which the cores flagged in `cores` spend at most the lower
        median over cores on a part.

        For lock stalls and gaps, these cores also start earlier. `kernels` (iterations x cores) is
        the number of main kernels.
        """
        usual = np.broadcast_to(self.usual(part), self.parts[part].shape)
        changed = {part: np.where(cores, np.minimum(usual, self.parts[part]), self.parts[part])}
        if part in _BETWEEN_KERNELS:
            # A core whose data are late before every kernel gets them late before its first kernel
            # too.
            each = (self.parts[part] - usual) / np.maximum(kernels - 1, 1)
            changed[LATE_START] = np.where(cores, self._earlier(each), self.parts[LATE_START])
        return replace(self, parts={**self.parts, **changed})

    def without_part(self, part: str) -> Schedule:
        """Return a new schedule in which no core spends time on a part."""
        return replace(self, parts={**self.parts, part: np.zeros_like(self.parts[part])})

    def with_stream(self, family: int, cores: Bools, lags: tuple[float, float]) -> Schedule:
        """Return a new schedule in which the stream of the flagged cores, of family number
        `family`, has another lag and no own pace.

        `lags` are the lag of now and the new lag, in ticks; if the first is not above 0 only the
        pace changes.
        """
        now, then = lags
        factor = then / now if now > 0 else 1.0
        lag = tuple(
            np.where(cores, own * factor, own) if at == family else own
            for at, own in enumerate(self.lag)
        )
        holds = tuple(own & ~cores if at == family else own for at, own in enumerate(self.holds))
        cut = max(now - then, 0.0)
        late = np.where(
            cores, self._earlier(np.full(self.parts[LATE_START].shape, cut)), self.parts[LATE_START]
        )
        sooner = np.where(cores, self.sooner + cut, self.sooner)
        return replace(
            self, parts={**self.parts, LATE_START: late}, lag=lag, holds=holds, sooner=sooner
        )

    def without_moves(self) -> Schedule:
        """Return a new schedule in which moving data takes no time: lags are 0, and no pace or
        launch holds blocks up.
        """
        return replace(
            self,
            lag=tuple(np.zeros_like(own) for own in self.lag),
            holds=tuple(np.zeros_like(own) for own in self.holds),
            sooner=np.full_like(self.sooner, np.inf),
        )

    def without_iteration(self, rank: int, elapsed: Floats) -> Schedule:
        """Return a new schedule in which iteration number `rank` (from 0) has the median duration.

        `elapsed` has the durations (ticks) of this schedule's iterations.
        """
        factor = np.ones(len(self.scale))
        # Without the limiters before it, an iteration may take no time.
        factor[rank] = np.median(elapsed) / elapsed[rank] if elapsed[rank] else 1.0
        return replace(self, scale=self.scale * factor)

    def _earlier(self, ticks: Floats) -> Floats:
        """Compute when cores start (iterations x cores, ticks) if they start `ticks` earlier, but
        not before the lower median of all starts; cores that start before that already are
        unchanged.
        """
        late = self.parts[LATE_START]
        earlier: Floats = late - np.clip(np.minimum(ticks, late - self.usual(LATE_START)), 0, None)
        return earlier


def lower_median(values: Floats) -> Floats:
    """Compute the lower median over cores (the second axis) of each iteration, shape iterations x
    1. With an even number of cores it is the lower of the two middle values: of 2 x 2 cores a slow
    column is half.
    """
    rank = (values.shape[1] - 1) // 2
    return np.sort(values, axis=1)[:, rank : rank + 1]


def elapsed_times(
    times: TileTimes, schedules: Sequence[Schedule], *, is_serial: bool = False
) -> Floats:
    """Compute the length in ticks of each iteration of these schedules, shape schedules x
    iterations.

    Iterations that are not replayed change in the same proportion as the replayed iterations
    together. If `is_serial`, moves of a stream follow each other.
    """
    replay = times.replay
    replayed = replay.lengths(
        [_change(times, schedule, replay, is_serial) for schedule in schedules]
    )
    elapsed = times.elapsed * replayed.sum(axis=1, keepdims=True) / max(replay.measured.sum(), 1.0)
    elapsed[:, replay.rows] = (
        times.elapsed[replay.rows] * replayed / np.maximum(replay.measured, 1.0)
    )
    scaled: Floats = elapsed * np.array([schedule.scale for schedule in schedules])
    return scaled


def _change(times: TileTimes, schedule: Schedule, replay: Replay, is_serial: bool) -> Change:
    """Compute the factors of a replay from the parts of a schedule: its time / the measured time, 1
    if a part took no time.
    """
    rows = replay.rows
    ratio = {
        part: np.divide(
            now[rows],
            times.own[part][rows],
            out=np.ones(now[rows].shape),
            where=times.own[part][rows] > 0,
        )
        for part, now in schedule.parts.items()
    }
    inside = {part: own[rows] for part, own in times.inside.items()}
    between = {part: own[rows] for part, own in times.between.items()}
    return Change(
        schedule.parts[LATE_START][rows],
        _weighted_ratio(inside, ratio),
        ratio[GAP],
        _weighted_ratio(between, ratio),
        ratio[LOCK_STALL],
        schedule.lag,
        schedule.holds,
        schedule.sooner,
        is_serial,
    )


def _weighted_ratio(parts: Mapping[str, Floats], ratio: Mapping[str, Floats]) -> Floats:
    """Average the ratios of parts, weighted by their time, for each row and core; 1 if the parts
    take no time.
    """
    before = sum(parts.values(), np.zeros(()))
    after = sum((own * ratio[part] for part, own in parts.items()), np.zeros(()))
    return np.divide(after, before, out=np.ones(np.shape(before)), where=np.asarray(before) > 0)
