"""Compute the headline numbers of a profile."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from analysis.kernels.breakdown import busiest, device_breakdown
from analysis.kernels.device_spans import device_spans
from analysis.kernels.steps import Steps, find_steps
from analysis.memory.clamped import clamped_buffers, device_peaks
from analysis.memory.live_curve import live_curve
from analysis.timeline.busy import busy_by_track, capture_extent
from schema.contents import has_memory_maps

_NS = 1e-9


def profile_headline(frames: Mapping[str, pd.DataFrame]) -> dict[str, float | None]:
    """Compute the metrics of profiles in `schema.metrics`, name -> number, from frames tracks,
    kernels and markers.

    Metrics of buffers (bytes) are computed from frames attempts (with its numbers) and allocations,
    if the run has them. Copies do not count as kernels. A metric without data is missing or None.
    """
    kernels = frames["kernels"]
    runs = kernels.loc[~kernels["copy"], ["track", "start", "end", "duration", "operations"]]
    numbers: dict[str, float | None] = {"kernels": float(len(runs))}
    steps = find_steps(frames)
    if len(kernels):
        numbers["busy_share"] = _busy_share(frames, runs, steps)
    if len(runs):
        numbers["kernel_time"] = float(runs["duration"].sum())
        numbers["flops_total"] = _flops(runs[runs["operations"].notna()])
    if "markers" in frames:
        numbers["step_time"] = steps.typical_ns
    if has_memory_maps(frames):
        numbers |= _memory(frames["attempts"], frames["allocations"])
    return numbers


def _busy_share(
    frames: Mapping[str, pd.DataFrame], runs: pd.DataFrame, steps: Steps
) -> float | None:
    """Compute the busy share of the busiest device: that of `breakdown` if the source tells the
    class of executions, else the time in which at least one of `runs` ran; None if the time has no
    length.
    """
    kernels = frames["kernels"]
    if kernels["class"].notna().any():
        spans = device_spans(kernels, frames["tracks"])
        device = busiest([device_breakdown(own, steps.windows) for own in spans])
        return None if device is None else device.main_split.share("busy")
    busy = busy_by_track(runs, frames["tracks"], capture_extent(frames["tracks"]))
    return float(busy["share"].max()) if len(runs) else None


def _flops(runs: pd.DataFrame) -> float | None:
    """Compute summed operations over summed durations, in operations per second; None without a
    duration.
    """
    # Integer sums may overflow 64 bits if a file has absurd numbers.
    seconds = float(runs["duration"].astype("float64").sum()) * _NS
    return float(runs["operations"].astype("float64").sum()) / seconds if seconds > 0 else None


def _memory(devices: pd.DataFrame, allocations: pd.DataFrame) -> dict[str, float | None]:
    """Map `peak_memory` to the highest peak of a device and `peak_memory_sum` to the peak of all
    devices together, in bytes, without clamped buffers; {} if no peak is known.
    """
    peaks = device_peaks(devices, allocations)
    if not peaks:
        return {}
    together = live_curve(allocations[~clamped_buffers(allocations)], int(devices["steps"].max()))
    return {"peak_memory": max(peaks.values()), "peak_memory_sum": float(together.peak)}
