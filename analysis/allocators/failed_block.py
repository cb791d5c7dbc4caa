"""Why an attempt failed: a block without room, against the free ranges over its life."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.allocators.free_ranges import StorageLayout, layout_of
from analysis.memory.attempt_map import AttemptMap

_MOST_TRIED = 256
"""Failed blocks that are looked at; the rest of an attempt fails with the first ones."""


@dataclass(frozen=True)
class Failure:
    """A failed block: its position in the map's blocks, its bytes, and what is free over its whole life.

    `largest_gap` is the largest range that is free there, as `find_obstacles` measures it: aligned, below the capacity.
    `free` are the bytes of all of them; None without a capacity.
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
    """Return the first failed block, in the file's order, that is larger than every free range over its life.

    Where none is, the first failed block: a compiler gives up all others with one, and rules of banks may keep a block
    out of a free range. None where no block failed.
    """
    rows = np.flatnonzero((amap.blocks["status"] == "failed").to_numpy(bool))[:_MOST_TRIED].tolist()
    if not rows:
        return None
    layout = layout_of(amap)
    found = (_failure(amap, layout, row) for row in rows)
    return next((one for one in found if one.too_large), _failure(amap, layout, rows[0]))


def _failure(amap: AttemptMap, layout: StorageLayout, row: int) -> Failure:
    size, place = int(amap.blocks["size"].iloc[row]), np.flatnonzero(layout.demand.arena == row)
    if layout.room is None or not len(place):
        return Failure(row, size, None, None)
    begin, stop = layout.free_ranges(int(layout.demand.of[place[0]]))
    free = stop - begin
    return Failure(row, size, int(free.max(initial=0)), int(free.sum()))
