"""Split the time of each core into its own parts and waiting for other cores."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.aie.headline import mean_rate
from analysis.aie.iteration_parts import OWN_STALLS, IterationTimes
from analysis.aie.iterations import measured_iterations
from analysis.aie.pace.coupling import Coupling
from analysis.aie.pace.replay import Replay
from analysis.aie.pace.waiting import SharedIterations
from schema.array_types import Floats, Ints

LATE_START, KERNELS, LOCK_STALL, GAP = "late_start", "kernels", "lock_stall", "gap"
WAITING, EARLY_END = "waiting", "early_end"
PART_COLUMNS: Mapping[str, tuple[str, ...]] = {
    LATE_START: ("start_skew",),
    KERNELS: ("compute",),
    "other_kernels": ("other_kernels",),
    **OWN_STALLS,
    GAP: ("idle",),
    WAITING: ("waiting",),
    EARLY_END: ("end_skew",),
}
"""Part -> its columns of `iteration_parts`."""
PACE_PARTS = tuple(PART_COLUMNS)
"""Names of all parts of an iteration."""
OWN = tuple(part for part in PACE_PARTS if part not in (WAITING, EARLY_END))
"""Parts that a core spends by itself; the rest of an iteration is its slack."""


@dataclass(frozen=True)
class TileTimes:
    """Times of the measured iterations of a capture, split into exclusive parts.

    `parts` has an array per PACE_PARTS, iterations x cores, ticks, whose sum is `elapsed` (per
    iteration). `own` has the same without lock stalls for data that a stream brings late, `inside`
    and `between` the shares of parts in main kernels, and of other stalls between kernels.
    `kernels` is the number of main kernels of each core in each iteration, `coupling` the
    dependency between cores, `replay` their times. `waits` (cores x cores) is the mean time that
    each core waits for each other. `gmacs` is the mean rate of these iterations in GMAC/s, None if
    the work is unknown, and `peak_gmacs` the peak of the cores, None if that is unknown.
    """

    iterations: Ints
    cores: tuple[str, ...]
    elapsed: Floats
    parts: Mapping[str, Floats]
    own: Mapping[str, Floats]
    inside: Mapping[str, Floats]
    between: Mapping[str, Floats]
    kernels: Ints
    coupling: Coupling | None
    replay: Replay
    waits: Floats
    gmacs: float | None
    peak_gmacs: float | None

    @property
    def slack(self) -> Floats:
        """Mean ticks per iteration that each core waits for other cores or has ended before them,
        an element per core.
        """
        slack: Floats = (self.parts[WAITING] + self.parts[EARLY_END]).mean(axis=0)
        return slack

    def rate(self, elapsed: float) -> float | None:
        """Compute the rate in GMAC/s of the capture's work if iterations last `elapsed` ticks on
        average, at most the peak of its cores; None if the work is unknown, or if no time is left
        and neither is the peak known.
        """
        if self.gmacs is None:
            return None
        # A stall may cover more than the cycles that the work requires. Rates of the capture above
        # the peak stay, since they are called impossible.
        limit = math.inf if self.peak_gmacs is None else max(self.peak_gmacs, self.gmacs)
        whole = float(self.elapsed.mean())
        rate = self.gmacs * whole / elapsed if elapsed > 0 else math.inf
        return min(rate, limit) if math.isfinite(min(rate, limit)) else None


def tile_times(times: IterationTimes, iterations: pd.DataFrame) -> TileTimes | None:
    """Compute the time of each core in the iterations of `gmacs_mean` (complete perf iterations);
    None without such iterations.

    If iterations are computed from different cores, the most frequent set of cores counts, with its
    iterations.
    """
    shared = times.shared
    if shared is None:
        return None
    number = times.parts["iteration"].to_numpy(np.int64)
    rows = np.flatnonzero(np.isin(number, shared.iterations))
    # Rows are sorted by core and iteration, so that this sorts them by iteration and core.
    rows = rows[np.argsort(number[rows], kind="stable")]
    shape = (len(shared.iterations), len(shared.cores))
    columns = {
        name: times.parts[name].to_numpy(np.float64)[rows].reshape(shape)
        for name in dict.fromkeys(name for names in PART_COLUMNS.values() for name in names)
    }
    parts = {part: _sum_columns(columns, names, shape) for part, names in PART_COLUMNS.items()}
    elapsed = times.parts["elapsed"].to_numpy(np.float64)[rows].reshape(shape)[:, 0]
    measured = measured_iterations(iterations) & np.isin(
        iterations["iteration"].to_numpy(np.int64), shared.iterations
    )
    work, rate, share = (
        iterations[name].to_numpy(np.float64, na_value=np.nan)[measured]
        for name in ("work_macs", "gmacs_per_s", "utilization")
    )
    inside = {KERNELS: columns["compute"]} | {
        stall: columns[names[0]] for stall, names in OWN_STALLS.items()
    }
    between = {
        stall: columns[names[1]] for stall, names in OWN_STALLS.items() if stall != LOCK_STALL
    }
    unexplained = columns["lock_between"] - _late_data(shared, columns["lock_between"])
    own = {part: parts[part] for part in OWN} | {LOCK_STALL: columns["lock_inside"] + unexplained}
    coupling = shared.coupling
    replay = (
        _free_replay(parts, inside, between, unexplained)
        if coupling is None
        else Replay.of(coupling)
    )
    return TileTimes(
        shared.iterations,
        shared.cores,
        elapsed,
        parts,
        own,
        inside,
        between,
        shared.kernels,
        coupling,
        replay,
        _mean_waits(shared, parts[WAITING]),
        mean_rate(work, rate),
        _peak(rate, share),
    )


def _peak(rate: Floats, share: Floats) -> float | None:
    """Compute the peak in GMAC/s of the cores of iterations from their rates and the shares of it
    that they reach; None if it is not known.
    """
    is_known = (rate > 0) & (share > 0)
    return float((rate[is_known] / share[is_known]).max()) if is_known.any() else None


def _sum_columns(
    columns: Mapping[str, Floats], names: Sequence[str], shape: tuple[int, int]
) -> Floats:
    """Sum the named columns, iterations x cores; zeros of this shape without names."""
    return sum((columns[name] for name in names), np.zeros(shape))


def _late_data(shared: SharedIterations, stalled: Floats) -> Floats:
    """Compute the ticks of lock stalls between kernels for data that a core's own stream brings
    late, iterations x cores; zeros when the cores do not wait for each other.
    """
    coupling = shared.coupling
    if coupling is None:
        return np.zeros_like(stalled)
    rows = coupling.times.rows
    without_waiting = np.maximum(coupling.times.stall.sum(axis=2) - shared.waits.sum(axis=2), 0)
    late = np.clip(without_waiting - coupling.own.sum(axis=2), 0, None)
    share = late.sum(axis=0) / np.maximum(without_waiting.sum(axis=0), 1)
    shares = np.broadcast_to(share, stalled.shape).copy()
    shares[rows] = late / np.maximum(without_waiting, 1)
    late_data: Floats = stalled * shares
    return late_data


def _free_replay(
    parts: Mapping[str, Floats],
    inside: Mapping[str, Floats],
    between: Mapping[str, Floats],
    unexplained: Floats,
) -> Replay:
    none = np.zeros_like(unexplained)
    spans = {
        "gap": parts[GAP],
        "between": sum(between.values(), none),
        "own": unexplained,
        "post": parts["other_kernels"],
        "during": sum(inside.values(), none),
    }
    return Replay.of_free(parts[LATE_START], spans)


def _mean_waits(shared: SharedIterations, waiting: Floats) -> Floats:
    """Compute the mean ticks per iteration that each core waits for each other, cores x cores; a
    row sums to the core's mean waiting. Zeros without measured waits.
    """
    if not len(shared.waits):
        return np.zeros((len(shared.cores), len(shared.cores)))
    waits = shared.waits.mean(axis=0)
    known = waits.sum(axis=1, keepdims=True)
    scaled: Floats = waits * waiting.mean(axis=0)[:, None]
    np.divide(scaled, known, out=scaled, where=known > 0)
    return scaled
