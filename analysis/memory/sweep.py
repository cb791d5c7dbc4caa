"""Sweep over addresses at every time: bytes covered, free ranges between blocks, and blocks that
share bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.memory.entries import NOBODY, Entries, entries, entry_counts
from schema.array_types import Bools, Floats, Ints

MIN_ENTRIES = 1 << 22
"""Number of pairs of a time and a live block up to which all times are swept; above it, evenly
spaced times are.
"""

_ENTRIES_PER_PART = 32
"""Number of pairs per part of a lifetime that are always swept."""
_PAIR_ENTRIES = 1 << 24
"""Maximum number of pairs of an address and a part for the search of overlaps by address."""
_PAIRS_PER_PART = 8
"""Maximum number of overlaps per part that are listed."""


@dataclass(frozen=True)
class Swept:
    """Result of a sweep, per cell in bytes (int64); cells that were not swept (`looked` False) have
    0.

    `covered`: bytes that at least one part covers. `largest`, `free`: the largest free range and
    all free bytes below the ceiling. `pairs`: an array with the rows first part, second part and
    cell of the parts that share bytes in the swept cells.
    """

    looked: Bools
    covered: Ints
    largest: Ints
    free: Ints
    pairs: Ints

    @property
    def fragmentation(self) -> Floats:
        """Fragmentation of each cell, 1 - largest free range / free bytes (0 to 1); NaN if no byte
        is free or the cell was not swept.
        """
        shares = np.full(len(self.looked), np.nan)
        np.divide(self.largest, self.free, out=shares, where=self.looked & (self.free > 0))
        return 1 - shares


def sweep(first: Ints, last: Ints, low: Ints, high: Ints, ceiling: Ints) -> Swept:
    """Compute covered bytes, free ranges and overlaps in every cell (interval of time), for parts
    with bytes [low, high) in cells [first, last).

    `ceiling` is the end of the memory in each cell. Parts must not be empty. With very many parts
    alive only evenly spaced cells are swept; the mask `looked` shows which.
    """
    cells = len(ceiling)
    looked = _swept_mask(first, last, cells)
    spot = np.concatenate([[0], np.cumsum(looked)])
    covered, largest, free, top = (np.zeros(cells, dtype=np.int64) for _ in range(4))
    pairs = np.empty((3, 0), dtype=np.int64)
    swept_cells = np.flatnonzero(looked)
    for seen in entries(spot[first], spot[last], low, high, len(swept_cells)):
        bottom = low[seen.part]
        end = high[seen.part]
        below = np.where(seen.before == NOBODY, 0, high[seen.before])
        cell = swept_cells[seen.cell]
        gap = np.maximum(np.minimum(bottom, ceiling[cell]) - below, 0)
        heads = np.flatnonzero(np.diff(cell, prepend=NOBODY))
        here = cell[heads]
        covered[here] = np.add.reduceat(np.maximum(end - np.maximum(bottom, below), 0), heads)
        largest[here] = np.maximum.reduceat(gap, heads)
        free[here] = np.add.reduceat(gap, heads)
        top[here] = np.maximum.reduceat(end, heads)
        pairs = _with_pairs(pairs, seen, cell, (bottom < below) & (end > bottom), len(low))
    rest = np.where(looked, np.maximum(ceiling - top, 0), 0)
    return Swept(looked, covered, np.maximum(largest, rest), free + rest, pairs)


def pairs_by_address(first: Ints, last: Ints, low: Ints, high: Ints, owner: Ints) -> Ints | None:
    """List the pairs of parts that share bytes: an array with the rows first part, second part and
    first cell of the second, sorted; `None` for more than 2^24 entries to search.

    If two parts of an owner share bytes, either begins at an address that both contain. So it is
    sufficient to check the addresses at which parts begin, for spans that overlap in time. When
    many parts are alive at once, few share an address.
    """
    addresses, rank = np.unique(np.concatenate([low, high]), return_inverse=True)
    keys = owner * len(addresses) + rank[: len(low)]
    cells = np.unique(keys)
    begin = np.searchsorted(cells, keys)
    end = np.searchsorted(cells, owner * len(addresses) + rank[len(low) :])
    if int((end - begin).sum()) > _PAIR_ENTRIES:
        return None
    pairs = np.empty((3, 0), dtype=np.int64)
    for seen in entries(begin, end, first, last, len(cells)):
        start = first[seen.part]
        before = np.where(seen.before == NOBODY, -1, last[seen.before])
        pairs = _with_pairs(pairs, seen, start, start < before, len(low))
    return pairs


def highest(first: Ints, last: Ints, high: Ints, cells: int) -> Ints:
    """Compute the highest end `high` of the spans [first, last) that contain each of `cells` cells,
    0 if there is no span.

    Two spans with a power of two as length cover each span; values of a length are passed down to
    half that length.
    """
    level = np.log2(np.maximum(last - first, 1)).astype(np.int64)
    top = np.zeros(cells, dtype=np.int64)
    for power in range(int(level.max(initial=0)), -1, -1):
        if power < int(level.max(initial=0)):
            half = 1 << power
            top[half:] = np.maximum(top[half:], top[:-half].copy())
        spans = np.flatnonzero(level == power)
        np.maximum.at(top, first[spans], high[spans])
        np.maximum.at(top, last[spans] - (1 << power), high[spans])
    return top


def _swept_mask(first: Ints, last: Ints, cells: int) -> Bools:
    """Mask of the cells to sweep: all, or evenly spaced cells if there are more entries than 2^22
    and than 32 per part.
    """
    alive = entry_counts(first, last, cells)
    most = max(MIN_ENTRIES, _ENTRIES_PER_PART * len(first))
    total = int(alive.sum())
    if total <= most:
        return np.ones(cells, dtype=bool)
    chosen = np.arange(cells) % -(-total // most) == 0
    return np.asarray(chosen & (np.cumsum(np.where(chosen, alive, 0)) <= 2 * most), dtype=np.bool_)


def _with_pairs(pairs: Ints, seen: Entries, cell: Ints, shares: Bools, parts: int) -> Ints:
    """Return `pairs` (rows first part, second part, cell) with the entries that mask `shares`
    selects added, sorted and without duplicates; at most 8 pairs per part.
    """
    if not shares.any():
        return pairs
    new_pairs = np.stack([seen.before[shares], seen.part[shares], cell[shares]])
    new_pairs = np.concatenate([pairs, new_pairs], axis=1)
    new_pairs = new_pairs[:, np.lexsort((new_pairs[1], new_pairs[0]))]
    fresh = (np.diff(new_pairs[0], prepend=NOBODY) != 0) | (
        np.diff(new_pairs[1], prepend=NOBODY) != 0
    )
    return new_pairs[:, fresh][:, : _PAIRS_PER_PART * parts]
