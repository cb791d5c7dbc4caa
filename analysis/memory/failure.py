"""Why an attempt failed: its first block without room, against the free ranges at the steps of that block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.memory.attempt_map import NOT_PLACED, AttemptMap, Ints


@dataclass(frozen=True)
class Failure:
    """The first failed block: its position in the map's blocks, its bytes, and what is free in all of its steps.

    `largest_gap` is the largest free range of addresses, `free` the bytes of all of them; None without a capacity.
    """

    row: int
    size: int
    largest_gap: int | None
    free: int | None


def first_failure(amap: AttemptMap) -> Failure | None:
    """Return the first block of a map, in the file's order, that found no room; None where every block did."""
    rows = np.flatnonzero((amap.blocks["status"] == "failed").to_numpy(bool))
    if not len(rows):
        return None
    row, capacity = int(rows[0]), amap.whole("capacity")
    size = int(amap.blocks["size"].iloc[row])
    if capacity is None:
        return Failure(row, size, None, None)
    gaps = _gaps(*_occupied(amap, row), max(capacity - (amap.whole("static_bytes") or 0), 0))
    return Failure(row, size, int(gaps.max(initial=0)), int(gaps.sum()))


def _occupied(amap: AttemptMap, row: int) -> tuple[Ints, Ints]:
    """Return the address ranges of the placed blocks that are alive in some step of the block at position `row`."""
    parts = amap.segments
    unplaced = (amap.blocks["status"] == "failed").to_numpy(bool) | (amap.blocks["kind"] == "constant").to_numpy(bool)
    met = np.zeros(len(parts), dtype=bool)
    own = np.flatnonzero(parts.row == row)
    for start, end in zip(parts.start[own].tolist(), parts.end[own].tolist(), strict=True):
        met |= (parts.start < end) & (parts.end > start)
    met &= ~unplaced[parts.row] & (parts.low != NOT_PLACED)
    return parts.low[met], parts.high[met]


def _gaps(low: Ints, high: Ints, room: int) -> Ints:
    """Return the lengths of what ranges leave free of [0, room)."""
    order = np.argsort(low, kind="stable")
    begins = np.minimum(np.append(low[order], room), room)
    ends = np.maximum.accumulate(np.append(0, np.minimum(high[order], room)))
    return np.maximum(begins - ends, 0)
