"""Pair begin and end entries into intervals, first in first out per lane."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from schema.array_types import Bools, Ints

BLOCK_ENTRIES = 1 << 17
"""Smallest number of entries that are paired at a time; a block consists of whole lanes."""


@dataclass(frozen=True)
class Intervals:
    """Intervals sorted by (lane, start).

    `lane` int32, `start`, `end` int64, `opened` and `closed` bool. An end without a begin has
    `opened` False and start == end. A begin without an end has `closed` False, and its `end` is the
    time of the last entry of its unit.
    """

    lane: npt.NDArray[np.int32]
    start: Ints
    end: Ints
    opened: Bools
    closed: Bools


def pair_intervals(lane: npt.NDArray[np.integer], ts: Ints, begin: Bools, last: Ints) -> Intervals:
    """Pair the n begins and ends per lane, first in first out; at equal time an end comes first.

    `lane` holds codes from 0; `last[lane]` is the time at which a lane's open intervals are closed.
    The order of the entries does not matter; ends and begins without a partner give intervals too.
    O(n log n), vectorised.
    """
    lane, ts, begin = _sort_entries(lane, ts, begin)
    parts = [_pair_entries(lane[part], ts[part], begin[part], last) for part in _blocks(lane)]
    columns = [[getattr(part, column.name) for part in parts] for column in fields(Intervals)]
    return Intervals(*(np.concatenate(column) for column in columns))


def _sort_entries(
    lane: npt.NDArray[np.integer], ts: Ints, begin: Bools
) -> tuple[npt.NDArray[np.int32], Ints, Bools]:
    """Return (lane, time, is begin) of the entries.

    Sorted by lane, then time, then ends before begins.
    """
    origin, latest = (int(ts.min()), int(ts.max())) if len(ts) else (0, 0)
    bits = (latest - origin + 1).bit_length()
    if bits + int(lane.max(initial=0) + 1).bit_length() + 1 > 63:
        order = np.lexsort((begin, ts, lane))
        return lane[order].astype(np.int32), ts[order], begin[order]
    key = lane.astype(np.int64)
    key <<= bits
    key |= ts - origin
    key <<= 1
    key |= begin  # the lowest bit: at equal time ends come first, as mlir-aie writes them
    key.sort()
    begin = (key & 1).astype(bool)
    key >>= 1
    lanes = (key >> bits).astype(np.int32)
    key &= (1 << bits) - 1
    key += origin
    return lanes, key, begin


def _blocks(lane: npt.NDArray[np.int32]) -> list[slice]:
    """Cut sorted entries between lanes into slices of at least BLOCK_ENTRIES (131,072) entries, so
    that temporary arrays stay small.

    A single empty slice without entries.
    """
    stops = np.searchsorted(lane, lane[BLOCK_ENTRIES - 1 :: BLOCK_ENTRIES], side="right")
    edges = np.unique(np.concatenate(([0], stops, [len(lane)])))
    return [slice(a, b) for a, b in pairwise(edges.tolist())] or [slice(0)]


def _pair_entries(lane: npt.NDArray[np.int32], ts: Ints, begin: Bools, last: Ints) -> Intervals:
    """Pair the sorted entries of whole lanes, first in first out.

    Ends without a begin become intervals of length 0.
    """
    orphan = _orphans(lane, begin)
    begins = np.flatnonzero(begin)
    ends = np.flatnonzero(~begin & ~orphan)
    base = int(lane[0]) if len(lane) else 0
    begin_lane = lane[begins] - base
    lanes = int(lane[-1]) - base + 1 if len(lane) else 0
    rank = np.arange(len(begins)) - _before(np.bincount(begin_lane, minlength=lanes))[begin_lane]
    ends_per_lane = np.bincount(lane[ends] - base, minlength=lanes)
    closed = rank < ends_per_lane[begin_lane]
    end = last[lane[begins]]
    end[closed] = ts[ends[(_before(ends_per_lane)[begin_lane] + rank)[closed]]]
    paired = Intervals(lane[begins], ts[begins], end, np.ones(len(begins), bool), closed)
    return _with_orphans(paired, lane[orphan], ts[orphan]) if orphan.any() else paired


def _before(counts: Ints) -> Ints:
    """Return the exclusive running sum of the counts: the number of items before each group."""
    return np.cumsum(counts) - counts


def _orphans(lane: npt.NDArray[np.int32], begin: Bools) -> Bools:
    """Return a mask over the entries: True for ends that find no open begin in their lane.

    At such an end the depth of open intervals falls below its previous minimum.
    """
    if begin.all():
        return np.zeros(len(begin), bool)
    depth = np.cumsum(np.where(begin, 1, -1))
    new = np.diff(lane, prepend=lane[0]) != 0
    lane_rank = np.cumsum(new)
    first = np.concatenate(([0], np.flatnonzero(new)))
    # Depths are shifted so that each lane is below all lanes before it: then a single running
    # minimum over the whole array serves all lanes.
    floor = -lane_rank * (2 * len(lane) + 2)
    depth += floor - (depth[first] - np.where(begin[first], 1, -1))[lane_rank]
    lowest = np.minimum.accumulate(np.minimum(depth, floor))
    previous = np.concatenate(([0], lowest[:-1]))
    orphan: Bools = ~begin & (lowest < np.minimum(previous, floor))
    return orphan


def _with_orphans(paired: Intervals, lane: npt.NDArray[np.int32], ts: Ints) -> Intervals:
    """Merge ends without a begin, as intervals of length 0 with `opened` False, into intervals
    sorted by (lane, start).
    """
    count = len(lane)
    lanes = np.concatenate((paired.lane, lane))
    start = np.concatenate((paired.start, ts))
    end = np.concatenate((paired.end, ts))
    order = np.lexsort((end, start, lanes))
    joined = (
        lanes,
        start,
        end,
        np.concatenate((paired.opened, np.zeros(count, bool))),
        np.concatenate((paired.closed, np.ones(count, bool))),
    )
    sorted_columns: list[npt.NDArray[Any]] = [column[order] for column in joined]
    return Intervals(*sorted_columns)
