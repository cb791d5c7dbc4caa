"""Compute how much of the time devices and copy engines were busy."""

from __future__ import annotations

import numpy as np
import pandas as pd

from schema.array_types import Ints


def capture_extent(tracks: pd.DataFrame) -> tuple[int, int]:
    """Return (0, last time stamp of frame `tracks`) in ticks, the begin and end of the capture; (0,
    0) without tracks.
    """
    return 0, int(tracks["last"].max()) if len(tracks) else 0


def busy_by_track(
    kernels: pd.DataFrame, tracks: pd.DataFrame, extent: tuple[int, int]
) -> pd.DataFrame:
    """Compute the busy time of each track with kernels, in the order of frame `tracks`.

    `extent` is the whole capture or a window (ticks, half-open); kernels are cut to it. Columns:
    track (str), kind (str), kernels (int64, executions that overlap the extent), busy (int64, ticks
    in which at least one of them ran: overlaps count once), share (float64, busy / length of the
    extent, NaN if the length is 0).
    """
    timed = kernels[["track", "start", "end"]].dropna()
    begin, end = (timed[name].to_numpy(np.int64).clip(*extent) for name in ("start", "end"))
    rows = [
        (track, int((end[at] > begin[at]).sum()), covered_ticks(begin[at], end[at]))
        for track, at in timed.groupby("track", observed=True).indices.items()
    ]
    busy = pd.DataFrame(rows, columns=["track", "kernels", "busy"]).astype({"track": "str"})
    kinds = tracks[["track", "kind"]].astype("str")
    table = kinds.merge(busy, on="track").astype({"kernels": "int64", "busy": "int64"})
    length = extent[1] - extent[0]
    return table.assign(share=table["busy"] / length if length > 0 else np.nan)


def covered_ticks(start: Ints, end: Ints) -> int:
    """Count the ticks in at least one of the intervals [start, end), which may be in any order; 0
    without intervals.
    """
    order = np.argsort(start, kind="stable")
    start = start[order]
    end = end[order]
    before = np.maximum.accumulate(np.concatenate([start[:1], end[:-1]]))
    return int(np.maximum(end - np.maximum(start, before), 0).sum())
