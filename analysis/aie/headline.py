"""Compute the headline numbers of a capture of an array of AI engines."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.aie.core_coverage import STALLS
from analysis.aie.gemm import Gemm, read_gemm
from analysis.aie.iteration_parts import OWN_STALLS, SLACK, parts_by_events, time_share
from analysis.aie.iterations import measured_iterations, measured_slice, system_mask
from analysis.aie.kernel_kinds import counted_kernels
from analysis.aie.model.errors import model_errors
from analysis.aie.slices import slice_labels
from analysis.timeline.open_levels import hold_open_levels
from schema.array_types import Bools, Floats, Ints
from schema.choices import METHODS
from schema.frames import Frames

Numbers = dict[str, float | None]

_STALL_SHARES = {f"{stall}_stall_share": stall for stall in ("lock", "memory", "stream")}
_SHARES = {
    **{metric: STALLS[stall] for metric, stall in _STALL_SHARES.items()},
    "vector_share": "INSTR_VECTOR",
}
"""Metric -> event; the metric is the share of the cores' time that the event takes."""


def capture_headline(frames: Frames, method: str) -> Numbers:
    """Compute the metrics of a capture, name -> number, from stored and derived frames; `method` is
    the method of the derived frames.
    """
    numbers = _capture_numbers(frames, method)
    if method == METHODS[0]:
        numbers |= _own_shares(frames, numbers)
        numbers |= model_errors(frames)
    return numbers


def _capture_numbers(derived: Frames, method: str) -> Numbers:
    gemm = read_gemm(derived["run"].iloc[0].to_dict())
    numbers = _rates(derived["iterations"], gemm, method)
    rows = derived["iterations"]
    names = _measured_tracks(derived)
    kernels = derived["kernels"]
    lanes = derived["activity"]
    if names is not None:
        kernels = kernels[kernels["track"].isin(names).to_numpy(bool)]
        lanes = lanes[lanes["track"].isin(names).to_numpy(bool)]
        own = rows["track"].isin(names) | (rows["slice"] == measured_slice(rows))
        rows = rows[own.to_numpy(bool)]
    numbers |= _kernel_numbers(kernels, gemm)
    system = system_mask(rows)
    tracks = rows["track"].array
    with_kernels = tracks.categories[np.unique(tracks.codes)]
    # A traced core without kernels has no iterations but belongs to the stall shares too.
    cores = np.array(
        [
            track in with_kernels or track.startswith("core")
            for track in lanes["track"].cat.categories
        ],
        bool,
    )
    shares = _Shares(
        *(lanes[column].array for column in ("track", "name")),
        *(lanes[column].to_numpy() for column in ("busy", "window")),
    )
    numbers |= {metric: shares.share(name, cores) for metric, name in _SHARES.items()}
    numbers["iterations_complete"] = float((system & rows["complete"].to_numpy(bool)).sum())
    numbers["cores_traced"] = float(len(np.unique(tracks.codes[~system])))
    return numbers


def _measured_tracks(derived: Frames) -> list[str] | None:
    """Return the units of the slice from which the numbers of the array are computed; `None`
    without slices.

    Devices of several slices run programs of their own, whose mean means nothing.
    """
    chosen = measured_slice(derived["iterations"])
    if not chosen or not slice_labels(derived["tracks"]):
        return None
    tracks = derived["tracks"]
    names: list[str] = tracks.loc[tracks["slice"] == chosen, "track"].astype(str).tolist()
    return names


def _own_shares(frames: Frames, traced: Numbers) -> Numbers:
    """Compute `lock_stall_share`, `memory_stall_share`, `stream_stall_share` and `slack_share` (0
    to 1) of the cores' time in the measured iterations; stalls are the cores' own.

    A stall share is None if no core traces that stall (None in `traced`). Frame `iteration_parts`
    is computed if it is not among the frames.
    """
    rows = frames["iterations"]
    parts = frames.get("iteration_parts")
    if parts is None:
        events = hold_open_levels(frames["events"], frames["tracks"])
        parts = parts_by_events(rows, frames["kernels"], events)
    parts = parts[parts["iteration"].isin(rows.loc[measured_iterations(rows), "iteration"])]
    shares = {
        metric: time_share(parts, OWN_STALLS[f"{stall}_stall"])
        for metric, stall in _STALL_SHARES.items()
    }
    own: Numbers = {
        metric: None if traced[metric] is None else share for metric, share in shares.items()
    }
    return own | {"slack_share": time_share(parts, SLACK)}


@dataclass(frozen=True)
class _Shares:
    """Track, event, busy time and window (int64 ticks) of each lane."""

    track: pd.Categorical
    name: pd.Categorical
    busy: Ints
    window: Ints

    def share(self, name: str, tracks: Bools) -> float | None:
        """Compute the share (0 to 1) of event `name` in the time of the tracks that trace it; None
        without such time.

        `tracks` has a flag per category of `track`; only flagged tracks count.
        """
        rows = np.asarray(self.name == name, bool)
        rows[rows] = tracks[self.track.codes[rows]]
        window = float(self.window[rows].sum())
        return float(self.busy[rows].sum()) / window if window > 0 else None


def mean_rate(work: Floats, rate: Floats) -> float | None:
    """Compute summed work over summed time of iterations, in GMAC/s.

    `work` is in MAC, `rate` in GMAC/s. Rows without a positive rate are ignored; None if no row has
    a rate.
    """
    is_known = rate > 0
    work = work[is_known]
    rate = rate[is_known]
    # The mean of the rates would give a short iteration the weight of a long iteration.
    seconds = float((work / rate).sum())
    return float(work.sum()) / seconds if seconds > 0 else None


def _rates(iterations: pd.DataFrame, gemm: Gemm, method: str) -> Numbers:
    measured = measured_iterations(iterations) & iterations["gmacs_per_s"].notna().to_numpy()
    if not measured.any():
        return {}
    names = ("gmacs_per_s", "work_macs", "span", "elapsed", "cores")
    rate, work_macs, span, elapsed, cores = (
        iterations[name].to_numpy()[measured] for name in names
    )
    work = float(work_macs.sum())
    time = span if method == "reference" else elapsed
    mean = float(rate.sum() / len(rate)) if method == "reference" else mean_rate(work_macs, rate)
    return {
        "gmacs_mean": mean,
        "gmacs_mean_by_span": gemm.rate(work, float(span.sum())),
        "gmacs_best": float(rate.max()),
        "gmacs_worst": float(rate.min()),
        "utilization": gemm.utilization(work, float((time * cores).sum()), 1),
    }


def _kernel_numbers(kernels: pd.DataFrame, gemm: Gemm) -> Numbers:
    counted = counted_kernels(kernels)
    numbers: Numbers = {
        "kernels": float(len(counted)),
        "left_out": float((~kernels["kept"].to_numpy(bool)).sum()),
    }
    if len(counted):
        duration = counted["duration"].to_numpy(np.float64)
        median = float(np.median(duration))
        numbers |= {"median_kernel": median, "p95_kernel": float(np.quantile(duration, 0.95))}
        numbers["mean_kernel"] = float(duration.mean())
        numbers["kernel_utilization"] = gemm.utilization(gemm.macs_per_kernel, median, 1)
    return numbers
