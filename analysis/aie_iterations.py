"""Method `robust`: frame `iterations`, per core and for the system."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.aie_kernels import CoreKernels, Ints
from analysis.gemm import Gemm
from data_loaders.frames import conform, empty

SYSTEM = "system"
_Row = dict[str, object]


def iterations_frame(cores: list[CoreKernels], gemm: Gemm) -> pd.DataFrame:
    """Return frame `iterations`: a row per core and iteration, then a row per iteration of the system.

    A partial iteration is credited with the work of its kernels only. A row of the system rests on the cores that hold
    the iteration whole (all that hold some of it where none does), is credited with their share of the work, and
    takes from the earliest start to the latest end.
    """
    rows = [row for core in cores for row in _core_rows(core, gemm)]
    if not rows:
        return empty("iterations")
    frame = conform("iterations", pd.DataFrame(rows))
    system = [_system_row(int(i), group, gemm) for i, group in frame.groupby("iteration", sort=True)]
    return conform("iterations", pd.concat([frame.astype({"track": "str"}), pd.DataFrame(system)], ignore_index=True))


def _core_rows(core: CoreKernels, gemm: Gemm) -> list[_Row]:
    kept = core.kernels[core.kernels["kept"] & (core.kernels["name"] == "main")]
    iteration = kept["iteration"].to_numpy(np.int64)
    duration = kept["duration"].to_numpy(np.int64)
    limits = np.searchsorted(iteration, np.arange(len(core.split.complete) + 1))
    work_limits = np.searchsorted(core.split.iteration, np.arange(len(core.split.complete) + 1))
    return [
        _core_row(core, i, duration[limits[i] : limits[i + 1]], slice(work_limits[i], work_limits[i + 1]), gemm)
        for i in range(len(core.split.complete))
    ]


def _core_row(core: CoreKernels, iteration: int, duration: Ints, part: slice, gemm: Gemm) -> _Row:
    first, last = int(core.work.start[part][0]), int(core.work.end[part].max())
    complete = bool(core.split.complete[iteration])
    kernels = int(core.work.weight[part].sum())
    work = _work_macs(complete, kernels, gemm)
    span = last - first
    return {
        "track": core.core.track,
        "iteration": iteration,
        "phase": gemm.phase(iteration),
        "kernels": kernels,
        "measured": len(duration),
        "expected": core.split.size,
        "average": float(duration.mean()) if len(duration) else np.nan,
        "minimum": int(duration.min()) if len(duration) else pd.NA,
        "maximum": int(duration.max()) if len(duration) else pd.NA,
        "kernel_ticks": int(duration.sum()),
        "span": span,
        "elapsed": span,
        "first_start": first,
        "last_end": last,
        "complete": complete,
        "work_macs": work,
        "gmacs_per_s": gemm.rate(work, span),
        "utilization": gemm.utilization(work, span, 1),
        "cores": 1,
    }


def _work_macs(complete: bool, kernels: int, gemm: Gemm) -> float | None:
    """Return the work of an iteration on one core: its share of the GEMM when whole, else its kernels' tiles."""
    if complete and gemm.macs_per_core is not None:
        return gemm.macs_per_core
    return None if gemm.macs_per_kernel is None else kernels * gemm.macs_per_kernel


def _system_row(iteration: int, rows: pd.DataFrame, gemm: Gemm) -> _Row:
    whole = rows[rows["complete"]]
    complete = len(whole) > 0
    base = whole if complete else rows
    work = None if base["work_macs"].isna().any() else float(base["work_macs"].sum())
    first, last = int(base["first_start"].min()), int(base["last_end"].max())
    measured = int(base["measured"].sum())
    return {
        "track": SYSTEM,
        "iteration": iteration,
        "phase": gemm.phase(iteration),
        "kernels": int(base["kernels"].sum()),
        "measured": measured,
        "expected": base["expected"].sum() if base["expected"].notna().all() else pd.NA,
        "average": base["kernel_ticks"].sum() / measured if measured else np.nan,
        "minimum": base["minimum"].min(),
        "maximum": base["maximum"].max(),
        "kernel_ticks": int(base["kernel_ticks"].sum()),
        "span": int(base["span"].max()),
        "elapsed": last - first,
        "first_start": first,
        "last_end": last,
        "complete": complete,
        "work_macs": work,
        "gmacs_per_s": gemm.rate(work, last - first),
        "utilization": gemm.utilization(work, last - first, len(base)),
        "cores": len(base),
    }
