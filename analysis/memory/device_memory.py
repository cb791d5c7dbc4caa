"""Memory of the devices of a profile or of a snapshot of an allocator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from schema.contents import has_memory_maps
from schema.frames import Frames, empty

_FRAMES = ("device_memory", "memory_pools", "out_of_memory")


@dataclass(frozen=True)
class DeviceMemory:
    """Frames `device_memory`, `memory_pools` and `out_of_memory` of a run.

    `capacities` maps attempts to the bytes that setting `capacity` gives. `unknown` has the codes of
    numbers that the file lacks: no_memory, no_device_total, no_history.
    """

    devices: pd.DataFrame
    pools: pd.DataFrame
    failures: pd.DataFrame
    capacities: Mapping[int, int]
    is_snapshot: bool
    unknown: tuple[str, ...]

    def capacity(self, device: pd.Series) -> int | None:
        """Return the bytes of a device's memory, from a setting, else from the file; None if
        neither has them.
        """
        attempt = device["attempt"]
        if not pd.isna(attempt) and int(attempt) in self.capacities:
            return self.capacities[int(attempt)]
        total = device["device_total"]
        return None if pd.isna(total) else int(total)


def device_memory(frames: Frames) -> DeviceMemory:
    """Collect the memory of devices from the frames of a run; its derived frames have the capacity
    of a setting.
    """
    devices, pools, failures = (frames[name] if name in frames else empty(name) for name in _FRAMES)
    is_snapshot = has_memory_maps(frames)
    capacities = {}
    if is_snapshot:
        known = frames["attempts"].dropna(subset="capacity")
        capacities = dict(
            zip(known["attempt"].tolist(), known["capacity"].astype("int64").tolist(), strict=True)
        )
    unknown = []
    if not len(devices):
        unknown.append("no_memory")
    if is_snapshot and devices["device_total"].isna().any():
        unknown.append("no_device_total")
    if is_snapshot and not devices["entries"].any():
        unknown.append("no_history")
    return DeviceMemory(devices, pools, failures, capacities, is_snapshot, tuple(unknown))
