"""The headline numbers of a run: one value per metric of the registry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.aie.gemm import Gemm, gemm_of
from analysis.aie.iterations import of_system
from analysis.aie.kernel_kinds import counted_kernels
from analysis.kernels.headline import profile_headline
from analysis.memory.headline import memory_headline
from schema.array_types import Floats
from schema.metrics import METRICS

Headline = dict[str, float | None]
Flags = npt.NDArray[np.bool_]

_SHARES = {
    "lock_stall_share": "LOCK_STALL",
    "memory_stall_share": "MEMORY_STALL",
    "stream_stall_share": "STREAM_STALL",
    "vector_share": "INSTR_VECTOR",
}


def headline(frames: Mapping[str, pd.DataFrame], method: str = "robust") -> Headline:
    """Return every metric of a run from its stored frames and what `derive` made of them by that method.

    None stands where there is no number.
    """
    numbers: Headline = {"findings": float(frames["diagnostics"]["severity"].isin(["error", "warning"]).sum())}
    if "iterations" in frames:
        numbers |= _capture_numbers(frames, method)
    elif "kernels" in frames:
        numbers |= profile_headline(frames)
    elif "attempts" in frames:
        numbers |= memory_headline(frames["attempts"])
    return {name: _plain(numbers.get(name)) for name in METRICS}


def _capture_numbers(derived: Mapping[str, pd.DataFrame], method: str) -> Headline:
    gemm = gemm_of(derived["run"].iloc[0].to_dict())
    numbers = _rates(derived["iterations"], gemm, method)
    numbers |= _kernel_numbers(derived["kernels"], gemm)
    rows, lanes = derived["iterations"], derived["activity"]
    system, tracks = of_system(rows), rows["track"].array
    with_kernels = tracks.categories[np.unique(tracks.codes)]
    cores = np.array(
        [track in with_kernels or track.startswith("core") for track in lanes["track"].cat.categories], bool
    )
    shares = _Shares(
        *(lanes[column].array for column in ("track", "name")),
        *(lanes[column].to_numpy() for column in ("busy", "window")),
    )
    numbers |= {metric: shares.of(name, cores) for metric, name in _SHARES.items()}
    numbers["iterations_complete"] = float((system & rows["complete"].to_numpy(bool)).sum())
    numbers["cores_traced"] = float(len(np.unique(tracks.codes[~system])))
    return numbers


@dataclass(frozen=True)
class _Shares:
    """Busy time of each lane, with its track and event."""

    track: pd.Categorical
    name: pd.Categorical
    busy: npt.NDArray[np.int64]
    window: npt.NDArray[np.int64]

    def of(self, name: str, tracks: npt.NDArray[np.bool_]) -> float | None:
        """Return an event's share of the time of those of the tracks (a flag per category) that trace it."""
        rows = np.asarray(self.name == name, bool)
        rows[rows] = tracks[self.track.codes[rows]]
        window = float(self.window[rows].sum())
        return float(self.busy[rows].sum()) / window if window > 0 else None


def measured_iterations(iterations: pd.DataFrame) -> Flags:
    """Return the rows that headlines rest on: complete perf iterations of the system with the most cores."""
    perf = np.asarray(iterations["phase"].array == "perf", bool)
    rows = of_system(iterations) & iterations["complete"].to_numpy(bool) & perf
    cores = iterations["cores"].to_numpy(np.int64)
    most: Flags = rows & (cores == cores[rows].max(initial=0))
    return most


def mean_rate(work: Floats, rate: Floats) -> float | None:
    """Return summed work over summed time of iterations of such rates, GMAC/s; None where no rate is known."""
    work, rate = work[rate > 0], rate[rate > 0]
    seconds = float((work / rate).sum())
    return float(work.sum()) / seconds if seconds > 0 else None


def _plain(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)


def _rates(iterations: pd.DataFrame, gemm: Gemm, method: str) -> Headline:
    known = measured_iterations(iterations) & iterations["gmacs_per_s"].notna().to_numpy()
    if not known.any():
        return {}
    names = ("gmacs_per_s", "work_macs", "span", "elapsed", "cores")
    rate, work_macs, span, elapsed, cores = (iterations[name].to_numpy()[known] for name in names)
    work, time = float(work_macs.sum()), span if method == "reference" else elapsed
    mean = float(rate.sum() / len(rate)) if method == "reference" else mean_rate(work_macs, rate)
    return {
        "gmacs_mean": mean,
        "gmacs_mean_by_span": gemm.rate(work, float(span.sum())),
        "gmacs_best": float(rate.max()),
        "gmacs_worst": float(rate.min()),
        "utilization": gemm.utilization(work, float((time * cores).sum()), 1),
    }


def _kernel_numbers(kernels: pd.DataFrame, gemm: Gemm) -> Headline:
    counted = counted_kernels(kernels)
    numbers: Headline = {"kernels": float(len(counted)), "left_out": float((~kernels["kept"].to_numpy(bool)).sum())}
    if len(counted):
        duration = counted["duration"].to_numpy(np.float64)
        median = float(np.median(duration))
        numbers |= {"median_kernel": median, "p95_kernel": float(np.quantile(duration, 0.95))}
        numbers["kernel_utilization"] = gemm.utilization(gemm.macs_per_kernel, median, 1)
    return numbers
