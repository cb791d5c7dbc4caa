"""Method `robust`: frame `iterations`, per core and for the system."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.aie.core_events import Flags
from analysis.aie.gemm import Gemm
from analysis.aie.kernels import CoreKernels, Ints
from schema.frames import conform, empty

SYSTEM = "system"


def iterations_frame(cores: list[CoreKernels], gemm: Gemm) -> pd.DataFrame:
    """Return frame `iterations`: a row per core and iteration, then a row per iteration of the system.

    A partial iteration is credited with the work of its kernels only. A row of the system rests on the cores that hold
    the iteration whole (all that hold some of it where none does), is credited with their share of the work, and
    takes from the earliest start to the latest end.
    """
    parts = [_core_rows(core, gemm) for core in cores if len(core.split.complete)]
    if not parts:
        return empty("iterations")
    frame = pd.concat(parts, ignore_index=True)
    both = pd.concat([frame, _system_rows(frame)], ignore_index=True)
    return conform("iterations", _with_rates(both, gemm))


def _core_rows(core: CoreKernels, gemm: Gemm) -> pd.DataFrame:
    count = len(core.split.complete)
    kept = core.kernels[core.kernels["kept"] & (core.kernels["name"] == "main")]
    durations = _per_iteration(kept["duration"].to_numpy(np.int64), kept["iteration"].to_numpy(np.int64), count)
    first = np.searchsorted(core.split.iteration, np.arange(count))
    kernels = np.add.reduceat(core.work.weight, first)
    rows = pd.DataFrame(
        {
            "track": core.core.track,
            "iteration": np.arange(count),
            "kernels": kernels,
            **durations,
            "expected": pd.array([core.split.size] * count, dtype="Int64"),
            "first_start": core.work.start[first],
            "last_end": np.maximum.reduceat(core.work.end, first),
            "complete": core.split.complete,
            "work_macs": _work_macs(core.split.complete, core.split.size, kernels, gemm),
            "cores": 1,
        }
    )
    return rows.assign(span=rows["last_end"] - rows["first_start"], elapsed=rows["last_end"] - rows["first_start"])


def _per_iteration(duration: Ints, iteration: Ints, count: int) -> dict[str, object]:
    """Return count, sum and extremes of durations per iteration; extremes null without any."""
    measured = np.bincount(iteration, minlength=count)
    least, most = np.full(count, np.iinfo(np.int64).max), np.zeros(count, np.int64)
    np.minimum.at(least, iteration, duration)
    np.maximum.at(most, iteration, duration)
    ticks = np.zeros(count, np.int64)
    np.add.at(ticks, iteration, duration)
    none = measured == 0
    return {
        "measured": measured,
        "kernel_ticks": ticks,
        "minimum": pd.arrays.IntegerArray(least, none),
        "maximum": pd.arrays.IntegerArray(most, none),
    }


def _work_macs(complete: Flags, size: int | None, kernels: Ints, gemm: Gemm) -> npt.NDArray[np.float64]:
    """Return the work of each iteration on one core: its share of the GEMM when whole, else its kernels' part.

    A kernel does its tile's work; where the tiling is not known, its part of the `size` kernels of a whole iteration.
    """
    per_kernel = gemm.macs_per_kernel
    if per_kernel is None and gemm.macs_per_core is not None and size:
        per_kernel = gemm.macs_per_core / size
    work = kernels.astype(np.float64)
    work *= np.nan if per_kernel is None else per_kernel
    if gemm.macs_per_core is not None:
        work[complete] = gemm.macs_per_core
    return work


def _system_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the sums and extremes over the cores that each iteration rests on."""
    whole = rows.groupby("iteration")["complete"].transform("any")
    groups = rows[rows["complete"] | ~whole].groupby("iteration", sort=True)
    summed = groups[["kernels", "measured", "kernel_ticks", "cores"]].sum()
    least, most = groups[["minimum", "first_start"]].min(), groups[["maximum", "last_end", "span"]].max()
    system = pd.concat([summed, least, most, groups["complete"].all()], axis=1)
    for name in ("work_macs", "expected"):  # known where every core's is
        system[name] = groups[name].sum().where(groups[name].count() == summed["cores"])
    return system.assign(track=SYSTEM, elapsed=system["last_end"] - system["first_start"]).reset_index()


def _with_rates(rows: pd.DataFrame, gemm: Gemm) -> pd.DataFrame:
    """Add phase, mean duration and what the work comes to in the time it took."""
    rate = rows["work_macs"] / rows["elapsed"].where(rows["elapsed"] > 0)
    phase = np.array([gemm.phase(i) for i in range(int(rows["iteration"].max()) + 1)], dtype=object)
    return rows.assign(
        phase=phase[rows["iteration"]],
        average=rows["kernel_ticks"] / rows["measured"].where(rows["measured"] > 0),
        gmacs_per_s=rate * (gemm.clock_hz / 1e9),
        utilization=rate / (gemm.peak_macs_per_cycle * rows["cores"]),
    )
