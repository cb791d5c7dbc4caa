"""Compute frame `iterations` by method `robust`, per core and for the system."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.aie.gemm import Gemm
from analysis.aie.iteration_groups import IterationGroups
from analysis.aie.kernel_kinds import MAIN
from analysis.aie.kernels import CoreKernels
from schema.array_types import Bools, Floats, Ints
from schema.arrays import Columns, nullable, repeat_texts, text_category
from schema.frames import build_frame, empty

SYSTEM = "system"
_MAX_INT64 = np.iinfo(np.int64).max


def iterations_frame(cores: list[CoreKernels], gemm: Gemm) -> pd.DataFrame:
    """Compute frame `iterations`: rows per core and iteration, then rows of the system; empty if no
    core has an iteration.

    A partial iteration is credited with the work of its kernels only. A row of the system is
    computed from the cores that hold the whole iteration (from all cores that hold a part of it if
    no core holds all). It is credited with their share of the work, and lasts from the earliest
    start to the latest end.
    """
    seen = [core for core in cores if len(core.split.complete)]
    if not seen:
        return empty("iterations")
    own = join_columns([_core_columns(core, gemm) for core in seen])
    system = _system_columns(own)
    tracks = [core.core.track for core in seen]
    counts = [len(core.split.complete) for core in seen]
    track = repeat_texts([*tracks, SYSTEM], [*counts, len(system["iteration"])])
    return build_iterations(track, _with_rates(join_columns([own, system]), gemm), gemm)


def measured_iterations(iterations: pd.DataFrame) -> Bools:
    """Return a mask of the rows of frame `iterations` for headline numbers: complete perf
    iterations of the system, and of these only the iterations with the largest number of cores. All
    False if there are no such rows.

    If the trace buffer has several slices, the rows are of a single slice: the slice with most such
    rows, the first of equals.
    """
    perf = np.asarray(iterations["phase"].array == "perf", bool)
    rows = system_mask(iterations) & iterations["complete"].to_numpy(bool) & perf
    # Rates of rows with different numbers of cores are not comparable.
    cores = iterations["cores"].to_numpy(np.int64)
    most: Bools = rows & (cores == cores[rows].max(initial=0))
    return most & _of_first_slice(iterations, most)


def _of_first_slice(iterations: pd.DataFrame, rows: Bools) -> Bools:
    """Return a mask of the slice with most of some rows; all True without slices."""
    labels = iterations.get("slice")
    if labels is None or not rows.any():
        return np.ones(len(iterations), bool)
    texts = (labels.fillna("") if labels.hasnans else labels).to_numpy(object)
    own = texts[rows]
    if (own == own[0]).all():
        return np.asarray(texts == own[0], bool)
    counts = pd.Series(own).value_counts(sort=False)
    return np.asarray(texts == counts.idxmax(), bool)


def measured_slice(iterations: pd.DataFrame) -> str:
    """Return the slice of the trace buffer from which the numbers of the array are computed; "" if
    the buffer has no slices, or no slice has a measured iteration.
    """
    rows = measured_iterations(iterations)
    return str(iterations["slice"][rows].iloc[0]) if rows.any() and "slice" in iterations else ""


def system_mask(iterations: pd.DataFrame) -> Bools:
    """Mask of the rows of frame `iterations` that belong to the whole array (track `system`), not
    to a core.
    """
    return np.asarray(iterations["track"].array == SYSTEM, bool)


def join_columns(parts: list[Columns]) -> Columns:
    """Concatenate the arrays of each column over all parts, in order; a dict with the columns of
    the first part. Raises IndexError without parts.
    """
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def build_iterations(track: pd.Categorical, columns: Columns, gemm: Gemm) -> pd.DataFrame:
    """Build frame `iterations`, a row per element of `track`, from its other columns (arrays of
    equal length), and add `phase`.

    Three columns mark values that become null: `expected` if it is negative, `known` (for minimum
    and maximum) and `timed` (for first_start and last_end).
    """
    valid = {
        "expected": columns["expected"] >= 0,
        "minimum": columns["known"],
        "maximum": columns["known"],
        "first_start": columns["timed"],
        "last_end": columns["timed"],
    }
    phases = [gemm.phase(i) for i in range(int(columns["iteration"].max()) + 1)]
    nullables: dict[str, Any] = {
        name: nullable(columns[name], mask) for name, mask in valid.items()
    }
    rest = {name: column for name, column in columns.items() if name not in ("known", "timed")}
    phase = text_category([phases[i] for i in columns["iteration"].tolist()])
    cores = nullable(columns["cores"], np.ones(len(track), bool))
    return build_frame(
        "iterations", rest | nullables | {"track": track, "phase": phase, "cores": cores}
    )


def _core_columns(core: CoreKernels, gemm: Gemm) -> Columns:
    """Compute the columns of a core's rows of frame `iterations`, a row per iteration in order.

    `expected` is -1 if unknown; `known` is False if no kernel has a duration; `timed` is always
    True.
    """
    count = len(core.split.complete)
    kept = core.kernels.kept & (core.kernels.name == MAIN)
    durations = per_iteration(
        (core.kernels.end - core.kernels.start)[kept], core.kernels.iteration[kept], count
    )
    first = np.searchsorted(core.split.iteration, np.arange(count))
    kernels = np.add.reduceat(core.work.weight, first)
    start = core.work.start[first]
    end = np.maximum.reduceat(core.work.end, first)
    return durations | {
        "iteration": np.arange(count),
        "kernels": kernels,
        "expected": np.full(count, -1 if core.split.size is None else core.split.size),
        "first_start": start,
        "last_end": end,
        "timed": np.ones(count, bool),
        "complete": core.split.complete,
        "work_macs": _work_macs(core.split.complete, core.split.size, kernels, gemm),
        "cores": np.ones(count, np.int64),
        "span": end - start,
        "elapsed": end - start,
    }


def per_iteration(duration: Ints, iteration: Ints, count: int) -> Columns:
    """Compute `measured` (count), `kernel_ticks` (sum), `minimum` and `maximum` (ticks) of
    durations per iteration: arrays of `count` rows. `iteration` has the iteration of each duration.
    `known` is False, and the extremes are meaningless, in an iteration without durations.
    """
    measured = np.bincount(iteration, minlength=count)
    least = np.full(count, _MAX_INT64)
    most = np.zeros(count, np.int64)
    np.minimum.at(least, iteration, duration)
    np.maximum.at(most, iteration, duration)
    ticks = np.zeros(count, np.int64)
    np.add.at(ticks, iteration, duration)
    return {
        "measured": measured,
        "kernel_ticks": ticks,
        "minimum": least,
        "maximum": most,
        "known": measured > 0,
    }


def _work_macs(complete: Bools, size: int | None, kernels: Ints, gemm: Gemm) -> Floats:
    """Compute the work of each iteration on one core, in MAC; NaN if the settings do not give it.

    A whole iteration is credited with the core's share of the GEMM, a partial iteration with the
    work of its kernels. The work of a kernel is that of a tile, or if the tiling is not set
    1/`size` of the core's share.
    """
    per_kernel = gemm.macs_per_kernel
    if per_kernel is None and gemm.macs_per_core is not None and size:
        per_kernel = gemm.macs_per_core / size
    work = kernels.astype(np.float64)
    work *= np.nan if per_kernel is None else per_kernel
    if gemm.macs_per_core is not None:
        # Not for partial iterations: a cut iteration with the full share of the work would exceed
        # the peak.
        work[complete] = gemm.macs_per_core
    return work


def _system_columns(own: Columns) -> Columns:
    """Compute the columns of the system's rows, one per iteration in order, from the rows of cores.

    Only cores with the whole iteration count, or all if no core has it. `elapsed` is from the
    earliest start to the latest end; `expected` is -1 if any core's is.
    """
    # A dead or truncated core must not empty or shorten the system's row.
    whole = np.bincount(own["iteration"], weights=own["complete"]) > 0
    groups = IterationGroups.of(own["iteration"], own["complete"] | ~whole[own["iteration"]])
    system: Columns = {
        name: groups.total(own[name]) for name in ("kernels", "measured", "kernel_ticks", "cores")
    }
    system |= {name: groups.least(own[name]) for name in ("minimum", "first_start")}
    system |= {
        name: groups.most(own[name]) for name in ("maximum", "last_end", "span", "known", "timed")
    }
    # The sum is known only if every core's number is.
    sizes = groups.total(own["expected"])
    all_known = groups.least(own["expected"]) >= 0
    return system | {
        "iteration": groups.key,
        "complete": groups.least(own["complete"]),
        "work_macs": groups.exact_total(own["work_macs"]),
        "expected": np.where(all_known, sizes, -1),
        # The longest span would treat staggered cores as if they ran in parallel.
        "elapsed": system["last_end"] - system["first_start"],
    }


def _with_rates(rows: Columns, gemm: Gemm) -> Columns:
    """Return the columns with average (ticks), gmacs_per_s and utilization (1 at the peak) added;
    NaN if the work is unknown or the time is 0.
    """
    rate = ratio(rows["work_macs"], rows["elapsed"])
    return rows | {
        "average": ratio(rows["kernel_ticks"], rows["measured"]),
        "gmacs_per_s": rate * (gemm.clock_hz / 1e9),
        "utilization": rate / (gemm.peak_macs_per_cycle * rows["cores"]),
    }


def ratio(part: npt.NDArray[Any], whole: npt.NDArray[Any]) -> Floats:
    """Compute part / whole for each element as float64; NaN if the whole is not positive."""
    ratios = np.full(len(part), np.nan)
    np.divide(part, whole, out=ratios, where=whole > 0)
    return ratios
