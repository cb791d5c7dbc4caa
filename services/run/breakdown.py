"""Where the time of a profile's devices goes, the same for page, command line and assistants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from analysis.kernels.breakdown import DeviceBreakdown, busiest, device_breakdown, own_steps
from analysis.kernels.device_spans import DeviceSpans, device_spans, launch_starts, share_clock
from analysis.kernels.host_threads import HostThreads
from analysis.kernels.idle import DeviceIdle, device_idle
from analysis.kernels.rank_frames import split_ranks
from analysis.kernels.steps import find_steps
from schema.contents import has_named_kernels
from schema.frames import Frames, empty
from services.run.node_operators import has_nodes_only
from services.run.stored_frames import StoredFrames
from storage.repository import Repository


@dataclass(frozen=True)
class Breakdown:
    """Times of the devices of a profile, and its steps (see `find_steps`)."""

    devices: list[DeviceBreakdown]
    steps: pd.DataFrame
    step_ns: int | None
    step_rank: str
    """Rank whose typical step is `step_ns`, in a merged file; else ""."""
    idle: list[DeviceIdle]
    unknown: tuple[str, ...]
    """Codes of what the file does not tell: no_device, no_steps, launch_unknown."""

    @property
    def busiest(self) -> DeviceBreakdown | None:
        """The device with the most busy time; None without devices."""
        return busiest(self.devices)


def find_breakdown(repository: Repository, run_id: str, prefix: str = "") -> Breakdown:
    """Compute the breakdown of a run.

    `prefix` takes the annotations whose names begin with it as steps, in place of the profiler's
    steps. Raises RunNotFound, and ValueError if the run is not a profile of kernels.
    """
    frames = StoredFrames(repository, run_id)
    if not has_named_kernels(frames):
        raise ValueError("the run is not a profile of kernels, so it has no devices")
    return breakdown(frames, prefix)


def breakdown(frames: Frames, prefix: str = "") -> Breakdown:
    """Compute the breakdown of a profile from its stored frames."""
    kernels = frames["kernels"]
    spans = [] if has_nodes_only(frames) else device_spans(kernels, frames["tracks"])
    found = find_steps(frames, prefix)
    steps = found.windows
    unknown = []
    if not spans:
        unknown.append("no_device")
    if not len(steps):
        unknown.append("no_steps")
    if any((device.launch < 0).any() for device in spans):
        unknown.append("launch_unknown")
    return Breakdown(
        [device_breakdown(device, steps, launch_starts(frames)) for device in spans],
        steps,
        None if found.typical_ns is None else int(found.typical_ns),
        found.rank,
        _idle(frames, spans, steps),
        tuple(unknown),
    )


def _idle(frames: Frames, spans: list[DeviceSpans], steps: pd.DataFrame) -> list[DeviceIdle]:
    launches = frames["launches"] if "launches" in frames else empty("launches")
    begins = launch_starts(frames)
    # A device waits for the host of its own rank.
    threads = {
        rank: HostThreads.of(own["events"], own["tracks"]) for rank, own in split_ranks(frames)
    }
    found = []
    for device in spans:
        host = threads[device.rank]
        if share_clock(device, begins):
            found.append(device_idle(device, launches, host, own_steps(device, steps)))
        else:
            # Without a common clock no call of the host explains a gap, and no step cuts one.
            unlaunched = replace(device, launch=np.full_like(device.launch, -1))
            found.append(device_idle(unlaunched, launches, host, steps.head(0)))
    return found


def breakdown_mapping(result: Breakdown) -> dict[str, Any]:
    """Convert a breakdown to JSON types; times are in ns."""
    return {
        "unit": "ns",
        "devices": [_device_mapping(device) for device in result.devices],
        "steps": [step_mapping(step) for step in result.steps.to_dict("records")],
        "step_ns": result.step_ns,
        "step_rank": result.step_rank or None,
        "said": list(result.unknown),
    }


def step_mapping(step: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a row of the windows of `find_steps` to JSON types."""
    return {
        "name": step["name"],
        "rank": step["rank"] or None,
        "duration": step["duration"],
        "counted": step["counted"],
        "left_out": step["left_out"] or None,
    }


def idle_mapping(result: Breakdown) -> dict[str, Any]:
    """Convert the idle time of devices to JSON types; times are in ns."""
    return {"unit": "ns", "devices": [_idle_device_mapping(device) for device in result.idle]}


def _idle_device_mapping(device: DeviceIdle) -> dict[str, Any]:
    return {
        "device": device.device,
        "idle": device.idle,
        "gaps": device.gaps,
        "reasons": dict(device.reasons),
        "counted": None if device.counted is None else dict(device.counted),
        "top": [{**asdict(gap), "reason": gap.reason} for gap in device.top],
    }


def _device_mapping(device: DeviceBreakdown) -> dict[str, Any]:
    names = device.windows["name"].tolist()
    counted = None
    if device.counted:
        counted = {"steps": device.counted_steps, **asdict(device.counted)}
    return {
        "device": device.spans.device,
        "spans": len(device.spans.start),
        "streams": device.spans.streams,
        **asdict(device.window),
        "steps": [
            {"name": name, **asdict(split)} for name, split in zip(names, device.steps, strict=True)
        ],
        "counted": counted,
    }
