"""Compute the headline numbers of a profile."""

from __future__ import annotations

import pandas as pd

from analysis.kernels.breakdown import busiest, device_breakdown
from analysis.kernels.device_spans import device_spans, launch_starts
from analysis.kernels.steps import Steps, find_steps
from analysis.memory.allocator import main_device
from analysis.memory.clamped import clamped_buffers, device_peaks
from analysis.memory.live_curve import live_curve
from analysis.timeline.busy import busy_by_track, capture_extent
from schema.contents import has_memory_maps
from schema.frames import Frames
from schema.impossible_rates import is_possible

_NS = 1e-9


def profile_headline(frames: Frames) -> dict[str, float | None]:
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
        numbers |= _busy_shares(frames, runs, steps)
    if len(runs):
        known = runs["duration"].dropna()
        numbers["kernel_time"] = float(known.sum()) if len(known) else None
        numbers["flops_total"] = _flops(runs[runs["operations"].notna()])
    if "markers" in frames:
        numbers["step_time"] = steps.typical_ns
    if has_memory_maps(frames):
        numbers |= _memory(frames["attempts"], frames["allocations"])
    elif "device_memory" in frames:
        numbers |= _sampled_memory(frames["device_memory"])
    return numbers


def _busy_shares(frames: Frames, runs: pd.DataFrame, steps: Steps) -> dict[str, float | None]:
    """Compute the shares of the time of the busiest device: those of `breakdown` if the source
    tells the class of executions, else only `busy_share`, with the time in which at least one of
    `runs` ran.

    A share is None if the time has no length.
    """
    kernels = frames["kernels"]
    if kernels["class"].notna().any():
        spans = device_spans(kernels, frames["tracks"])
        launches = launch_starts(frames)
        device = busiest([device_breakdown(own, steps.windows, launches) for own in spans])
        if device is None:
            return {"busy_share": None}
        return {
            f"{part}_share": device.main_split.share(part)
            for part in ("busy", "compute", "idle", "communication_exposed")
        }
    busy = busy_by_track(runs, frames["tracks"], capture_extent(frames["tracks"]))
    return {"busy_share": float(busy["share"].max()) if len(runs) else None}


def _flops(runs: pd.DataFrame) -> float | None:
    """Compute summed operations over summed durations, in operations per second; None without a
    duration. Executions with an impossible rate do not count.
    """
    runs = runs[is_possible(runs, "operations")]
    # Integer sums may overflow 64 bits if a file has absurd numbers.
    seconds = float(runs["duration"].astype("float64").sum()) * _NS
    return float(runs["operations"].astype("float64").sum()) / seconds if seconds > 0 else None


def _sampled_memory(device_memory: pd.DataFrame) -> dict[str, float | None]:
    """Map `peak_memory` and `peak_reserved` to the values of the device with the highest peak among
    the memory events, in bytes.
    """
    device = main_device(device_memory)
    if device is None:
        return {}
    names = {"peak_memory": "peak_allocated", "peak_reserved": "peak_reserved"}
    return {
        metric: None if pd.isna(device[column]) else float(device[column])
        for metric, column in names.items()
    }


def _memory(devices: pd.DataFrame, allocations: pd.DataFrame) -> dict[str, float | None]:
    """Map `peak_memory` to the highest peak of a device and `peak_memory_sum` to the peak of all
    devices together, in bytes, without clamped buffers; {} if no peak is known.
    """
    peaks = device_peaks(devices, allocations)
    if not peaks:
        return {}
    together = live_curve(allocations[~clamped_buffers(allocations)], int(devices["steps"].max()))
    return {"peak_memory": max(peaks.values()), "peak_memory_sum": float(together.peak)}
