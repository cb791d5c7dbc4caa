"""List of all pairs of a cell (interval of time) and a part of a lifetime that is alive in it,
sorted, in chunks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from schema.array_types import Ints

NOBODY = -1
"""Entry of `before` if no earlier part exists."""
_CHUNK = 1 << 18
"""Approximate number of entries per chunk, for which about 40 MiB of arrays are made."""


@dataclass(frozen=True)
class Entries:
    """Pairs of a cell and a part that is alive in it, sorted by (cell, low).

    `part` is the index of the part. `before` is the index of the part with the highest end among
    the earlier parts of the cell, NOBODY for the first part.
    """

    cell: Ints
    part: Ints
    before: Ints


def entry_counts(first: Ints, last: Ints, cells: int) -> Ints:
    """Count for each of `cells` cells the spans [first, last) that contain it."""
    change = np.bincount(first, minlength=cells + 1) - np.bincount(last, minlength=cells + 1)
    return np.cumsum(change[:cells])


def entries(first: Ints, last: Ints, low: Ints, high: Ints, cells: int) -> Iterator[Entries]:
    """Yield the entries of parts with bytes [low, high) that are alive in cells [first, last), in
    chunks of cells (about 2^18 entries) to bound the memory. Cells are in ascending order; cells
    without a part have no entry.
    """
    by_low = np.argsort(low, kind="stable")
    by_high = np.argsort(high, kind="stable")
    rank = np.empty_like(by_high)
    rank[by_high] = np.arange(len(high))
    first = first[by_low]
    last = last[by_low]
    rank = rank[by_low]
    for begin, end in _stretches(first, last, cells):
        chosen = np.flatnonzero((first < end) & (last > begin))
        starts = np.maximum(first[chosen], begin)
        counts = np.minimum(last[chosen], end) - starts
        cell = np.arange(int(counts.sum())) + np.repeat(starts - np.cumsum(counts) + counts, counts)
        yield _sorted_entries(cell, np.repeat(chosen, counts), rank, by_low, by_high)


def _stretches(first: Ints, last: Ints, cells: int) -> Iterator[tuple[int, int]]:
    """Yield consecutive ranges [begin, end) of cells with about _CHUNK (2^18) entries each, at
    least a single cell; cells after the last entry may be left out.
    """
    seen = np.cumsum(entry_counts(first, last, cells))
    begin = 0
    total = int(seen[-1]) if cells else 0
    while begin < cells and (done := int(seen[begin - 1]) if begin else 0) < total:
        end = max(begin + 1, int(np.searchsorted(seen, done + _CHUNK, side="right")))
        yield begin, min(end, cells)
        begin = end


def _sorted_entries(cell: Ints, part: Ints, rank: Ints, by_low: Ints, by_high: Ints) -> Entries:
    """Build the entries sorted by (cell, low), from the cell and the rank by `low` of each part;
    `by_low` and `by_high` sort the parts.
    """
    bits = max(1, len(rank).bit_length())
    # Sorting combined keys is several times as fast as sorting indices.
    keys = np.sort((cell << bits) | part)
    cell = keys >> bits
    part = keys & ((1 << bits) - 1)
    highest = np.maximum.accumulate((cell << bits) | rank[part])
    previous = np.concatenate([[np.int64(-1)], highest[:-1]])
    same_cell = previous >> bits == cell
    before = np.where(
        same_cell, by_high[np.where(same_cell, previous & ((1 << bits) - 1), 0)], NOBODY
    )
    return Entries(cell, by_low[part], before)
