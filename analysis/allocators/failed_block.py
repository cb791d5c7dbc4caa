"""Explains a failed attempt by a block without a place and the free ranges over its life."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.allocators.free_ranges import StorageLayout, read_layout
from analysis.memory.attempt_map import AttemptMap

_MAX_TRIED = 256
"""Maximum number of failed blocks to check; the first failures decide about the rest of an attempt.
"""


@dataclass(frozen=True)
class Failure:
    """Failed block: its row in the map's blocks, its bytes, and the free bytes over its whole life.

    `largest_gap` is the size in bytes of the largest aligned free range below the capacity, as
    `find_obstacles` measures it. `free` are the bytes of all free ranges. Both are `None` without a
    capacity.
    """

    row: int
    size: int
    largest_gap: int | None
    free: int | None

    @property
    def too_large(self) -> bool:
        """Whether the failed block is larger than every range that is free over its whole life;
        False if the capacity is unknown.
        """
        return self.largest_gap is not None and self.size > self.largest_gap


def first_failure(amap: AttemptMap) -> Failure | None:
    """Find the first failed block, in the file's order, that is larger than every free range over
    its life.

    Only the first 256 failed blocks are checked. If there is no such block, the first failed block
    is used: a compiler gives up all blocks together, and bank rules may keep a block out of a free
    range. `None` if no block failed.
    """
    rows = np.flatnonzero((amap.blocks["status"] == "failed").to_numpy(bool))[:_MAX_TRIED].tolist()
    if not rows:
        return None
    layout = read_layout(amap)
    failures = (_failure(amap, layout, row) for row in rows)
    return next(
        (failure for failure in failures if failure.too_large), _failure(amap, layout, rows[0])
    )


def _failure(amap: AttemptMap, layout: StorageLayout, row: int) -> Failure:
    size = int(amap.blocks["size"].iloc[row])
    place = np.flatnonzero(layout.demand.arena == row)
    if layout.room is None or not len(place):
        return Failure(row, size, None, None)
    begin, stop = layout.free_ranges(int(layout.demand.of[place[0]]))
    free = stop - begin
    return Failure(row, size, int(free.max(initial=0)), int(free.sum()))
