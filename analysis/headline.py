"""The headline numbers of a run: one value per metric of the registry."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from analysis.aie.gemm import Gemm, gemm_of
from analysis.aie.iterations import SYSTEM
from analysis.aie.kernel_kinds import counted_kernels
from analysis.kernels.headline import profile_headline
from analysis.memory.headline import memory_headline
from schema.metrics import METRICS

Headline = dict[str, float | None]

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
    numbers = _rates(measured_iterations(derived["iterations"]), gemm, method)
    numbers |= _kernel_numbers(derived["kernels"], gemm)
    rows = derived["iterations"]
    lanes = derived["activity"]
    with_kernels = rows["track"].astype("str").unique()
    cores = lanes[lanes["track"].isin(with_kernels) | lanes["track"].astype("str").str.startswith("core")]
    numbers |= {metric: _share(cores, name) for metric, name in _SHARES.items()}
    numbers["iterations_complete"] = float(((rows["track"] == SYSTEM) & rows["complete"]).sum())
    numbers["cores_traced"] = float(rows.loc[rows["track"] != SYSTEM, "track"].nunique())
    return numbers


def measured_iterations(iterations: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that headlines rest on: complete perf iterations of the system with the most cores."""
    rows = iterations[(iterations["track"] == SYSTEM) & iterations["complete"] & (iterations["phase"] == "perf")]
    return rows[rows["cores"] == rows["cores"].max()]


def mean_rate(rows: pd.DataFrame) -> float | None:
    """Return summed work over summed time of rows of frame `iterations`, GMAC/s; None where no rate is known."""
    known = rows[rows["gmacs_per_s"] > 0]
    seconds = float((known["work_macs"] / known["gmacs_per_s"]).sum())
    return float(known["work_macs"].sum()) / seconds if seconds > 0 else None


def _plain(value: float | None) -> float | None:
    return None if value is None or not np.isfinite(value) else float(value)


def _rates(rows: pd.DataFrame, gemm: Gemm, method: str) -> Headline:
    known = rows[rows["gmacs_per_s"].notna()]
    if not len(known):
        return {}
    work = float(known["work_macs"].sum())
    mean = float(known["gmacs_per_s"].mean()) if method == "reference" else mean_rate(known)
    time = known["span"] if method == "reference" else known["elapsed"]
    return {
        "gmacs_mean": mean,
        "gmacs_mean_by_span": gemm.rate(work, float(known["span"].sum())),
        "gmacs_best": float(known["gmacs_per_s"].max()),
        "gmacs_worst": float(known["gmacs_per_s"].min()),
        "utilization": gemm.utilization(work, float((time * known["cores"]).sum()), 1),
    }


def _kernel_numbers(kernels: pd.DataFrame, gemm: Gemm) -> Headline:
    counted = counted_kernels(kernels)
    numbers: Headline = {"kernels": float(len(counted)), "left_out": float((~kernels["kept"]).sum())}
    if len(counted):
        duration = counted["duration"].to_numpy(np.float64)
        median = float(np.median(duration))
        numbers |= {"median_kernel": median, "p95_kernel": float(np.quantile(duration, 0.95))}
        numbers["kernel_utilization"] = gemm.utilization(gemm.macs_per_kernel, median, 1)
    return numbers


def _share(activity: pd.DataFrame, name: str) -> float | None:
    rows = activity[activity["name"] == name]
    window = float(rows["window"].sum())
    return float(rows["busy"].sum()) / window if window > 0 else None
