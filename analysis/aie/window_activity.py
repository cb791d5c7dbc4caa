"""Frame `activity` for a window of time, from the lanes' index instead of from every event."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.timeline.lanes import LaneIndex
from schema.frames import conform


def window_activity(
    whole: pd.DataFrame, index: LaneIndex, tracks: pd.DataFrame, kernels: pd.DataFrame, window: tuple[int, int]
) -> pd.DataFrame:
    """Return `whole` (frame `activity`) with its numbers taken over the window [begin, end) of each track.

    `index` is of the run's events, `kernels` as in the frame. O(lanes x log events + kernels in the window).
    """
    number = {key: i for i, key in enumerate(zip(index.lanes["track"], index.lanes["lane"], strict=True))}
    limits = {row.track: _clipped(row.first, row.last, window) for row in tracks.itertuples(index=False)}
    ran = {str(track): rows for track, rows in kernels[kernels["kept"]].groupby("track", observed=True)}
    none = kernels.iloc[:0]
    rows = [
        _numbers(index, number[row.track, row.lane], limits[row.track], ran.get(str(row.track), none))
        for row in whole.itertuples(index=False)
    ]
    numbers = pd.DataFrame(rows, index=whole.index, columns=list(_NUMBERS))
    return conform("activity", whole.assign(**{name: numbers[name] for name in _NUMBERS}))


_NUMBERS = ("count", "busy", "longest", "window", "share", "inside", "outside")


def _clipped(first: int, last: int, window: tuple[int, int]) -> tuple[int, int]:
    begin = min(max(int(first), window[0]), int(last))
    return begin, max(begin, min(int(last), window[1]))


def _numbers(
    index: LaneIndex, lane: int, window: tuple[int, int], kernels: pd.DataFrame
) -> tuple[int, int, int, int, float, float, float]:
    begin, end = window
    first, last = index.covered(lane, window)
    busy = int(index.busy_in(window, [lane])[0])
    starts = np.clip(kernels["start"].to_numpy(np.int64), begin, end)
    ends = np.clip(kernels["end"].to_numpy(np.int64), begin, end)
    inside = int(index.overlap(starts, ends, [lane])[0])
    ran = int((ends - starts).sum())
    length = np.minimum(index.end[first:last], end) - np.maximum(index.start[first:last], begin)
    width = end - begin
    return (
        int((index.end[first:last] > index.start[first:last]).sum()),  # an end without a begin has no length
        busy,
        int(length.max(initial=0)),
        width,
        _ratio(busy, width),
        _ratio(inside, ran),
        _ratio(busy - inside, width - ran),
    )


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole > 0 else float("nan")
