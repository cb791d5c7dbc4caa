"""Frame `activity`: how busy each lane is, inside and outside of kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from schema.frames import conform, empty

Ints = npt.NDArray[np.int64]

_MOST_TICKS = 2.0**62
"""Summed times are capped here: only a broken capture has intervals that overlap so much, and int64 must hold them."""


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

    def within(self, begin: Ints, end: Ints) -> Ints:
        """Return the covered time of each [begin, end)."""
        return self.until(end) - self.until(begin)

    def common(self, other: Coverage) -> Coverage:
        """Return what both cover. O((n + m) log n)."""
        first = np.searchsorted(self.end, other.start, side="right")
        count = np.maximum(np.searchsorted(self.start, other.end, side="left") - first, 0)
        theirs = np.repeat(np.arange(len(count)), count)
        own = np.arange(len(theirs)) - np.repeat(np.cumsum(count) - count, count) + first[theirs]
        return Coverage.of(
            np.maximum(self.start[own], other.start[theirs]), np.minimum(self.end[own], other.end[theirs])
        )


def activity(tracks: pd.DataFrame, events: pd.DataFrame, kernels: pd.DataFrame) -> pd.DataFrame:
    """Return busy time per lane of every track.

    The share is taken of the track's own time, first to last time stamp. An interval open at the end counts to the
    track's last time stamp. `inside` and `outside` rest on the kernels kept.
    """
    if not len(events):
        return empty("activity")
    codes = events["track"].cat.codes.to_numpy()
    limits = np.searchsorted(codes, np.arange(len(events["track"].cat.categories) + 1))
    kept = kernels[kernels["kept"]]
    parts = []
    for row in tracks.itertuples(index=False):
        code = events["track"].cat.categories.get_loc(row.track)
        own = events.iloc[limits[code] : limits[code + 1]]
        if len(own):
            ran = kept[kept["track"] == row.track]
            covered = Coverage.of(ran["start"].to_numpy(np.int64), ran["end"].to_numpy(np.int64))
            parts.append(_track_activity(own, covered, row.last - row.first).assign(track=row.track))
    return conform("activity", pd.concat(parts, ignore_index=True))


def _track_activity(events: pd.DataFrame, covered: Coverage, window: int) -> pd.DataFrame:
    lane = events["lane"].cat.codes.to_numpy()
    start, end = events["start"].to_numpy(), events["end"].to_numpy()
    size = len(events["lane"].cat.categories)
    lanes, first = np.unique(lane, return_index=True)

    def summed(weights: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
        totals: npt.NDArray[np.float64] = np.bincount(lane, weights=weights, minlength=size)[lanes]
        return totals

    busy = summed(end - start)
    inside = summed(covered.until(end) - covered.until(start))
    longest = np.zeros(size, np.int64)
    np.maximum.at(longest, lane, end - start)
    opened = events["opened"].to_numpy()
    ran = int(covered.before[-1])
    return pd.DataFrame(
        {
            "lane": events["lane"].iloc[first].to_numpy(),
            "name": events["name"].iloc[first].to_numpy(),
            "count": summed(opened).astype(np.int64),
            "busy": np.minimum(busy, _MOST_TICKS).astype(np.int64),
            "longest": longest[lanes],
            "orphan_ends": summed(~opened).astype(np.int64),
            "open": summed(~events["closed"].to_numpy()) > 0,
            "window": window,
            "share": _ratio(busy, window),
            "inside": _ratio(inside, ran),
            "outside": _ratio(busy - inside, window - ran),
        }
    )


def _ratio(part: npt.NDArray[np.float64], whole: int) -> npt.NDArray[np.float64]:
    return part / whole if whole > 0 else np.full(len(part), np.nan)
