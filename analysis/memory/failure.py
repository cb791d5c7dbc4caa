"""Why an attempt failed: a block without room, against the free ranges at the steps of that block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.memory.attempt_map import NOT_PLACED, AttemptMap
from schema.array_types import Ints

_MOST_TRIED = 256
"""Failed blocks that are looked at; the rest of an attempt fails with the first ones."""


@dataclass(frozen=True)
class Failure:
    """A failed block: its position in the map's blocks, its bytes, and what is free in all of its steps.

    `largest_gap` is the largest free range of addresses, `free` the bytes of all of them; None without a capacity.
    """

    row: int
    size: int
    largest_gap: int | None
    free: int | None

    @property
    def too_large(self) -> bool:
        """Return whether it is larger than any free range."""
        return self.largest_gap is not None and self.size > self.largest_gap


def first_failure(amap: AttemptMap) -> Failure | None:
    """Return the first failed block, in the file's order, that is larger than every free range at its steps.

    Where none is, the first failed block: a compiler gives up all others with one, and rules of banks or alignment may
    keep a block out of a free range. None where no block failed.
    """
    rows = np.flatnonzero((amap.blocks["status"] == "failed").to_numpy(bool))[:_MOST_TRIED].tolist()
    if not rows:
        return None
    found = (_failure(amap, row) for row in rows)
    return next((one for one in found if one.too_large), _failure(amap, rows[0]))


def _failure(amap: AttemptMap, row: int) -> Failure:
    size, capacity = int(amap.blocks["size"].iloc[row]), amap.whole("capacity")
    if capacity is None:
        return Failure(row, size, None, None)
    gaps = _gaps(*_occupied_ranges(amap, row), max(capacity - (amap.whole("static_bytes") or 0), 0))
    return Failure(row, size, int(gaps.max(initial=0)), int(gaps.sum()))


def _occupied_ranges(amap: AttemptMap, row: int) -> tuple[Ints, Ints]:
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
    return np.asarray(np.maximum(begins - ends, 0), dtype=np.int64)
