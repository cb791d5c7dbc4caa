"""Compute frame `activity` for a window of time from the index of lanes instead of all events."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from analysis.timeline.lanes import LaneIndex
from schema.array_types import Ints
from schema.frames import conform


def window_activity(
    whole: pd.DataFrame,
    index: LaneIndex,
    tracks: pd.DataFrame,
    kernels: pd.DataFrame,
    window: tuple[int, int],
) -> pd.DataFrame:
    """Return `whole` (frame `activity`, whose rows stay) with its numbers computed in the window
    [begin, end) of ticks.

    `index` has the run's events, `kernels` is the frame of the run. The window is cut to the time
    of each track; shares are NaN if no time is left. O(lanes x log events + kernels in the window).
    """
    number = {
        key: i for i, key in enumerate(zip(index.lanes["track"], index.lanes["lane"], strict=True))
    }
    extents = zip(
        tracks["track"].astype("str"),
        tracks["first"].tolist(),
        tracks["last"].tolist(),
        strict=True,
    )
    limits = {track: _clip(first, last, window) for track, first, last in extents}
    ran = {
        track: _clip_kernels(times, limits[track])
        for track, times in _kernels_per_track(kernels)
        if track in limits
    }
    none = np.zeros(0, np.int64), np.zeros(0, np.int64)
    rows = [
        _numbers(index, number[track, lane], limits[track], *ran.get(track, none))
        for track, lane in zip(whole["track"].astype("str"), whole["lane"], strict=True)
    ]
    numbers = {name: [row[at] for row in rows] for at, name in enumerate(_NUMBERS)}
    return conform("activity", whole.assign(**numbers))


_NUMBERS = ("count", "busy", "longest", "window", "share", "inside", "outside")


def _clip(first: int, last: int, window: tuple[int, int]) -> tuple[int, int]:
    begin = min(max(int(first), window[0]), int(last))
    return begin, max(begin, min(int(last), window[1]))


def _kernels_per_track(kernels: pd.DataFrame) -> Iterator[tuple[str, tuple[Ints, Ints]]]:
    """Yield each track with begin and end (ticks) of its kernels that are kept."""
    kept = kernels["kept"].to_numpy(bool)
    tracks = pd.Categorical(kernels["track"])
    codes = tracks.codes[kept]
    order = np.argsort(codes, kind="stable")
    start, end = (
        np.asarray(kernels[name].array[kept], np.int64)[order] for name in ("start", "end")
    )
    bounds = np.searchsorted(codes[order], np.arange(len(tracks.categories) + 1))
    for code, track in enumerate(tracks.categories):
        own = slice(bounds[code], bounds[code + 1])
        yield str(track), (start[own], end[own])


def _clip_kernels(times: tuple[Ints, Ints], window: tuple[int, int]) -> tuple[Ints, Ints]:
    """Return begin and end (ticks) of the kernels that overlap a window, cut to it."""
    start, end = (np.clip(ticks, *window) for ticks in times)
    within = end > start
    return start[within], end[within]


def _numbers(
    index: LaneIndex, lane: int, window: tuple[int, int], starts: Ints, ends: Ints
) -> tuple[int, int, int, int, float, float, float]:
    begin, end = window
    first, last = index.range_in_window(lane, window)
    busy = int(index.busy_ticks(window, [lane])[0])
    inside = int(index.overlap(starts, ends, [lane])[0])
    ran = int((ends - starts).sum())
    length = np.minimum(index.end[first:last], end) - np.maximum(index.start[first:last], begin)
    width = end - begin
    return (
        # An end without a begin has no length, and is not counted.
        int((index.end[first:last] > index.start[first:last]).sum()),
        busy,
        int(length.max(initial=0)),
        width,
        _ratio(busy, width),
        _ratio(inside, ran),
        _ratio(busy - inside, width - ran),
    )


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole > 0 else float("nan")
