"""Time in which each device of a profile ran kernels, and in which it ran copies alone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.timeline.covered import Covered
from analysis.timeline.lanes import LaneIndex
from schema.array_types import Floats, Ints

_DEVICE_KINDS = ("device", "copy")


@dataclass(frozen=True)
class DeviceTime:
    """Busy time of a device: the union over its streams, and the part in which kernels ran."""

    kernels: Covered
    busy: Covered


def device_times(
    index: LaneIndex, tracks: pd.DataFrame, copies: Collection[str]
) -> list[DeviceTime]:
    """Compute the busy time of each device of a profile, in the order of its rows.

    `index` has the events by lane, `copies` are the names of events that move bytes. Rows of
    streams with one device number are a device; a row without numbers is a device. Rows of copy
    engines alone are none, so that a device without kernels does not lower the mean.
    """
    lane_device = _devices_of_lanes(index, tracks)
    lane = np.repeat(np.arange(len(index.lanes)), np.diff(index.offset))
    event_device = lane_device[lane]
    is_copy = np.array([name in copies for name in index.names] + [False])[index.code]
    times = []
    for device in range(int(lane_device.max(initial=-1)) + 1):
        own = event_device == device
        kernels = own & ~is_copy
        times.append(
            DeviceTime(
                Covered.of(index.start[kernels], index.end[kernels]),
                Covered.of(index.start[own], index.end[own]),
            )
        )
    return times


def mean_shares(times: list[DeviceTime], edges: Ints) -> tuple[Floats, Floats]:
    """Compute for each bin [edge, next edge) the shares of its time in which kernels ran, and in
    which copies ran alone, as means of the devices.
    """
    width = np.maximum(np.diff(edges), 1) * len(times)
    kernels = np.sum([time.kernels.within(edges[:-1], edges[1:]) for time in times], axis=0)
    busy = np.sum([time.busy.within(edges[:-1], edges[1:]) for time in times], axis=0)
    return kernels / width, (busy - kernels) / width


def _devices_of_lanes(index: LaneIndex, tracks: pd.DataFrame) -> Ints:
    """Return the number of each lane's device, in order of the lanes; -1 if it has none."""
    names = tracks["track"].astype("str").tolist()
    keys = dict(zip(names, device_keys(tracks), strict=True))
    kinds = dict(zip(names, tracks["kind"].astype("str"), strict=True))
    lane_tracks = index.lanes["track"].astype("str").tolist()
    computes = {keys[track] for track in lane_tracks if kinds.get(track) == _DEVICE_KINDS[0]}
    numbers: dict[tuple[str, str], int] = {}
    return np.array(
        [
            numbers.setdefault(keys[track], len(numbers))
            if kinds.get(track) in _DEVICE_KINDS and keys[track] in computes
            else -1
            for track in lane_tracks
        ],
        np.int64,
    )


def device_keys(tracks: pd.DataFrame) -> list[tuple[str, str]]:
    """List the key of each track's device: the device number of a stream, else the track itself."""
    if "pid" not in tracks.columns:
        return [("", track) for track in tracks["track"].astype("str")]
    columns = [tracks[name].fillna("").astype("str").tolist() for name in ("pid", "tid", "track")]
    return [
        (pid, "") if pid and tid else ("", track) for pid, tid, track in zip(*columns, strict=True)
    ]
