"""Positions of blocks without an address in a memory map: stacked above all other blocks."""

from __future__ import annotations

import numpy as np

from analysis.memory.attempt_map import Segments
from schema.array_types import Ints

_MAX_DROPPED = 2_000
"""Maximum number of blocks that are each stacked on the blocks with overlapping lifetimes; more are
piled into a single stack.
"""
_FAR = 2**62
"""Maximum position in bytes."""


def stack_tops(parts: Segments, size: Ints, base: int) -> tuple[Ints, Ints]:
    """Compute the stacked position of each block in `parts`, as two arrays: its row (ascending),
    and the address at which its bytes end.

    The lowest blocks begin at address `base`. `size` has the bytes of all blocks by row. More than
    2,000 blocks are piled into a single stack.
    """
    rows = np.unique(parts.row)
    total = base + float(size[rows].sum(dtype=np.float64))
    if total >= _FAR:
        # Sizes in a malicious file may add up to more than int64 holds; so high up, positions need
        # not be exact.
        tops = np.minimum(np.cumsum(size[rows], dtype=np.float64) + base, float(_FAR)).astype(
            np.int64
        )
        return rows, tops
    if len(rows) > _MAX_DROPPED:
        return rows, base + np.cumsum(size[rows])
    return rows, _drop(parts, rows, size[rows], base)


def _drop(parts: Segments, rows: Ints, size: Ints, base: int) -> Ints:
    """Stack each block on the blocks with overlapping lifetimes, long lifetimes first; return the
    end in bytes of each block, in the order of `rows`.
    """
    times = np.unique(np.concatenate([parts.start, parts.end]))
    first = np.searchsorted(times, parts.start)
    last = np.searchsorted(times, parts.end)
    place = np.searchsorted(rows, parts.row)
    order = np.argsort(place, kind="stable")
    begins = np.searchsorted(place[order], np.arange(len(rows) + 1))
    life = np.bincount(
        place, weights=(parts.end - parts.start).astype(np.float64), minlength=len(rows)
    )
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
