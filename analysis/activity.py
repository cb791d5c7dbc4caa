"""Frame `activity`: how busy each lane is, over the capture or a window, inside and outside of kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from data_loaders.frames import conform, empty

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Coverage:
    """Disjoint intervals of one track, sorted; answers how much of any time they cover."""

    start: Ints
    end: Ints
    before: Ints

    @classmethod
    def of(cls, start: Ints, end: Ints) -> Coverage:
        """Join overlapping intervals. O(n log n)."""
        order = np.argsort(start, kind="stable")
        start, end = start[order], np.maximum.accumulate(end[order]) if len(end) else end
        head = np.ones(len(start), bool)
        head[1:] = start[1:] > end[:-1]
        tail = np.append(head[1:], True)[: len(end)]
        start, end = start[head], end[tail]
        return cls(start, end, np.concatenate(([0], np.cumsum(end - start))))

    def until(self, ticks: Ints) -> Ints:
        """Return the covered time before each tick. O(len(ticks) log n)."""
        if not len(self.start):
            return np.zeros_like(ticks)
        rank = np.searchsorted(self.start, ticks, side="right") - 1
        inside = np.minimum(ticks, self.end[rank]) - self.start[rank]
        return np.where(rank < 0, 0, self.before[np.maximum(rank, 0)] + inside)


def activity(
    tracks: pd.DataFrame, events: pd.DataFrame, kernels: pd.DataFrame, window: tuple[int, int] | None = None
) -> pd.DataFrame:
    """Return busy time per lane of every track, clipped to the window [begin, end) where there is one.

    The share is taken of the track's own window, first to last time stamp. An interval open at the end counts to the
    track's last time stamp. `inside` and `outside` rest on the kernels kept.
    """
    if not len(events):
        return empty("activity")
    codes = events["track"].cat.codes.to_numpy()
    limits = np.searchsorted(codes, np.arange(len(events["track"].cat.categories) + 1))
    kept = kernels[kernels["kept"]]
    parts = []
    for row in tracks.itertuples(index=False):
        code = events["track"].cat.categories.get_indexer([row.track])[0]
        own = events.iloc[limits[code] : limits[code + 1]] if code >= 0 else events.iloc[:0]
        if len(own):
            ran = kept[kept["track"] == row.track]
            covered = Coverage.of(ran["start"].to_numpy(np.int64), ran["end"].to_numpy(np.int64))
            parts.append(_track_activity(own, covered, _clipped((row.first, row.last), window)).assign(track=row.track))
    return conform("activity", pd.concat(parts, ignore_index=True))


def _clipped(own: tuple[int, int], window: tuple[int, int] | None) -> tuple[int, int]:
    if window is None:
        return own
    begin = max(own[0], window[0])
    return begin, max(begin, min(own[1], window[1]))


def _track_activity(events: pd.DataFrame, covered: Coverage, window: tuple[int, int]) -> pd.DataFrame:
    begin, end = window
    lane = events["lane"].cat.codes.to_numpy()
    start = events["start"].to_numpy()
    stop = events["end"].to_numpy()
    opened = events["opened"].to_numpy()
    low, high = np.clip(start, begin, end), np.clip(stop, begin, end)
    touched = (start <= end) & (stop >= begin)
    size = len(events["lane"].cat.categories)
    inside_each = covered.until(high) - covered.until(low)
    busy = np.bincount(lane, weights=high - low, minlength=size)
    inside = np.bincount(lane, weights=inside_each, minlength=size)
    longest = np.zeros(size, np.int64)
    np.maximum.at(longest, lane, high - low)
    open_end = np.bincount(lane, weights=~events["closed"].to_numpy() & touched, minlength=size) > 0
    first = np.unique(lane, return_index=True)
    width = end - begin
    limits = covered.until(np.array([begin, end]))
    kernel_time = int(limits[1] - limits[0])
    lanes = first[0]
    return pd.DataFrame(
        {
            "lane": events["lane"].iloc[first[1]].to_numpy(),
            "name": events["name"].iloc[first[1]].to_numpy(),
            "count": np.bincount(lane, weights=opened & touched, minlength=size)[lanes].astype(np.int64),
            "busy": busy[lanes].astype(np.int64),
            "longest": longest[lanes],
            "orphan_ends": np.bincount(lane, weights=~opened & touched, minlength=size)[lanes].astype(np.int64),
            "open": open_end[lanes],
            "window": width,
            "share": _ratio(busy[lanes], width),
            "inside": _ratio(inside[lanes], kernel_time),
            "outside": _ratio((busy - inside)[lanes], width - kernel_time),
        }
    )


def _ratio(part: npt.NDArray[np.float64], whole: int) -> npt.NDArray[np.float64]:
    return part / whole if whole > 0 else np.full(len(part), np.nan)
