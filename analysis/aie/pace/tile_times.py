"""Split the time of each core into its own parts and waiting for other cores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.aie.iteration_parts import OWN_STALLS, IterationTimes
from analysis.aie.iterations import measured_iterations
from analysis.aie.pace.coupling import Coupling
from analysis.headline import mean_rate
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

    `parts` maps each name of PACE_PARTS to an array (iterations x cores) of ticks; over all names,
    the arrays sum to `elapsed` (one value per iteration). `kernels` is the number of main kernels
    of each core in each iteration, `coupling` the dependency between cores. `gmacs` is the mean
    rate of these iterations in GMAC/s, None if the work is unknown.
    """

    iterations: Ints
    cores: tuple[str, ...]
    elapsed: Floats
    parts: Mapping[str, Floats]
    kernels: Ints
    coupling: Coupling | None
    gmacs: float | None


def tile_times(times: IterationTimes, iterations: pd.DataFrame) -> TileTimes | None:
    """Compute the time of each core in the iterations of `gmacs_mean`; None without iterations.

    If iterations are computed from different cores, the most frequent set of cores counts, with its
    iterations.
    """
    shared = times.shared
    if shared is None:
        return None
    rows = times.parts[times.parts["iteration"].isin(shared.iterations)]
    rows = rows.sort_values(["iteration", "track"], ignore_index=True)
    shape = (len(shared.iterations), len(shared.cores))
    parts = {
        part: rows[[*columns]].sum(axis=1).to_numpy(np.float64).reshape(shape)
        for part, columns in PART_COLUMNS.items()
    }
    elapsed = rows["elapsed"].to_numpy(np.float64).reshape(shape)[:, 0]
    measured = iterations[
        measured_iterations(iterations) & iterations["iteration"].isin(shared.iterations)
    ]
    work, rate = (
        measured[name].to_numpy(np.float64, na_value=np.nan)
        for name in ("work_macs", "gmacs_per_s")
    )
    coupling = shared.coupling
    kernels = shared.kernels
    return TileTimes(
        shared.iterations, shared.cores, elapsed, parts, kernels, coupling, mean_rate(work, rate)
    )
