"""Where a map draws blocks that have no address: above everything else, those that never meet beside each other."""

from __future__ import annotations

import numpy as np

from analysis.memory.attempt_map import Segments
from schema.array_types import Ints

_MOST_DROPPED = 2_000
"""Blocks up to which each is dropped onto those that it meets; more of them are piled up, one above the other."""
_FAR = 2**62


def stack_tops(parts: Segments, size: Ints, base: int) -> tuple[Ints, Ints]:
    """Return the rows of `parts`, ascending, and where each ends: the lowest that has no address begins at `base`.

    `size` has the bytes of all blocks by row.
    """
    rows = np.unique(parts.row)
    total = base + float(size[rows].sum(dtype=np.float64))
    if total >= _FAR:
        # Sizes of a hostile file add up to more than int64 holds; what is that high need not be exact.
        tops = np.minimum(np.cumsum(size[rows], dtype=np.float64) + base, float(_FAR)).astype(np.int64)
        return rows, tops
    if len(rows) > _MOST_DROPPED:
        return rows, base + np.cumsum(size[rows])
    return rows, _drop(parts, rows, size[rows], base)


def _drop(parts: Segments, rows: Ints, size: Ints, base: int) -> Ints:
    """Return where rows end when each comes to lie on those that it meets, long lives first."""
    times = np.unique(np.concatenate([parts.start, parts.end]))
    first, last = np.searchsorted(times, parts.start), np.searchsorted(times, parts.end)
    place = np.searchsorted(rows, parts.row)
    order = np.argsort(place, kind="stable")
    begins = np.searchsorted(place[order], np.arange(len(rows) + 1))
    life = np.bincount(place, weights=(parts.end - parts.start).astype(np.float64), minlength=len(rows))
    ground = np.full(len(times), base, dtype=np.int64)
    tops = np.zeros(len(rows), dtype=np.int64)
    for row in np.argsort(-life, kind="stable").tolist():
        own = order[begins[row] : begins[row + 1]]
        spans = [slice(int(first[part]), int(last[part])) for part in own]
        low = max((int(ground[span].max(initial=base)) for span in spans), default=base)
        tops[row] = low + size[row]
        for span in spans:
            ground[span] = tops[row]
    return tops
