"""Begin and end entries paired into intervals, first in first out per lane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Intervals:
    """Intervals sorted by (lane, start); `lane`, `start`, `end` int64, `opened` and `closed` bool.

    An end without a begin has `opened` False and start == end; a begin without an end has `closed` False and
    `end` at the last time stamp it was given.
    """

    lane: Ints
    start: Ints
    end: Ints
    opened: npt.NDArray[np.bool_]
    closed: npt.NDArray[np.bool_]


def pair_intervals(lane: Ints, ts: Ints, begin: npt.NDArray[np.bool_], last: Ints) -> Intervals:
    """Pair begins with ends per lane, first in first out; at equal time an end comes first.

    `lane` holds codes from 0, `last[lane]` the time at which a lane's open intervals are closed. File order
    does not matter. O(n log n), vectorised.
    """
    lane, ts, begin = _sorted(lane, ts, begin)
    orphan = _orphans(lane, begin)
    begins, ends = np.flatnonzero(begin), np.flatnonzero(~begin & ~orphan)
    begin_lane, end_lane = lane[begins], lane[ends]
    lanes = len(last)
    rank = (
        np.arange(len(begins)) - np.concatenate(([0], np.cumsum(np.bincount(begin_lane, minlength=lanes))))[begin_lane]
    )
    ends_per_lane = np.bincount(end_lane, minlength=lanes)
    first_end = np.concatenate(([0], np.cumsum(ends_per_lane)))[begin_lane]
    closed = rank < ends_per_lane[begin_lane]
    end = last[begin_lane]
    end[closed] = ts[ends[(first_end + rank)[closed]]]
    start = ts[begins]
    if not orphan.any():
        return Intervals(begin_lane, start, end, np.ones(len(start), bool), closed)
    return _with_orphans(Intervals(begin_lane, start, end, np.ones(len(start), bool), closed), lane[orphan], ts[orphan])


def _sorted(lane: Ints, ts: Ints, begin: npt.NDArray[np.bool_]) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
    """Sort by lane, time, ends first; through one packed key where it fits 63 bits, which is several times quicker."""
    if not len(ts):
        return lane.astype(np.int64), ts, begin
    origin = int(ts.min())
    bits = (int(ts.max()) - origin + 1).bit_length()
    if bits + int(lane.max() + 1).bit_length() + 1 > 63:
        order = np.lexsort((begin, ts, lane))
        return lane[order].astype(np.int64), ts[order], begin[order]
    key = lane.astype(np.int64) << (bits + 1)
    key |= (ts - origin) << 1
    key |= begin
    key.sort()
    return key >> (bits + 1), ((key >> 1) & ((1 << bits) - 1)) + origin, (key & 1).astype(bool)


def _orphans(lane: Ints, begin: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which ends find no open begin in their lane: there the depth falls below all that came before."""
    if begin.all():
        return np.zeros(len(begin), bool)
    step = np.where(begin, 1, -1)
    depth = np.cumsum(step)
    first = np.flatnonzero(np.diff(lane, prepend=-1))
    before = (depth - step)[first]
    lane_rank = np.cumsum(np.diff(lane, prepend=lane[0]) != 0)
    # Each lane starts at 0 and lies wholly below the one before, so one running minimum serves all lanes.
    floor = -lane_rank * (2 * len(lane) + 2)
    depth = depth - before[lane_rank] + floor
    lowest = np.minimum.accumulate(np.minimum(depth, floor))
    previous = np.concatenate(([0], lowest[:-1]))
    orphan: npt.NDArray[np.bool_] = (~begin) & (lowest < np.minimum(previous, floor))
    return orphan


def _with_orphans(paired: Intervals, lane: Ints, ts: Ints) -> Intervals:
    """Put ends without a begin among the intervals."""
    count = len(lane)
    start = np.concatenate((paired.start, ts))
    order = np.lexsort((start, np.concatenate((paired.lane, lane))))
    joined = (
        np.concatenate((paired.lane, lane)),
        start,
        np.concatenate((paired.end, ts)),
        np.concatenate((paired.opened, np.zeros(count, bool))),
        np.concatenate((paired.closed, np.ones(count, bool))),
    )
    sorted_columns: list[npt.NDArray[Any]] = [column[order] for column in joined]
    return Intervals(*sorted_columns)
