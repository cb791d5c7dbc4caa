"""One pass over addresses at every time: bytes covered, free ranges between blocks, and blocks that share bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.memory.entries import NOBODY, Entries, entries, entry_counts
from schema.array_types import Bools, Ints

LEAST_ENTRIES = 1 << 22
"""So many pairs of a time and a block alive then are always looked at; beyond, evenly spaced times are."""

_ENTRIES_PER_PART = 32
_PAIR_ENTRIES = 1 << 24
_PAIRS_PER_PART = 8


@dataclass(frozen=True)
class Swept:
    """What a sweep found per cell, int64 bytes; cells that were not looked at (`looked` False) have 0.

    `covered`: bytes that at least one part covers. `largest`, `free`: the largest free range and all free bytes below
    the ceiling. `pairs`: parts that share bytes, and a cell where they do; of the cells that were looked at.
    """

    looked: Bools
    covered: Ints
    largest: Ints
    free: Ints
    pairs: Ints

    @property
    def fragmentation(self) -> npt.NDArray[np.float64]:
        """Return 1 - largest free range / free bytes per cell, NaN where nothing is free or nobody looked."""
        shares = np.full(len(self.looked), np.nan)
        np.divide(self.largest, self.free, out=shares, where=self.looked & (self.free > 0))
        return 1 - shares


def sweep(first: Ints, last: Ints, low: Ints, high: Ints, ceiling: Ints) -> Swept:
    """Sweep the parts [low, high), none empty, alive in cells [first, last); `ceiling` ends the memory, per cell."""
    cells = len(ceiling)
    looked = _looked_at(first, last, cells)
    spot = np.concatenate([[0], np.cumsum(looked)])
    covered, largest, free, top = (np.zeros(cells, dtype=np.int64) for _ in range(4))
    pairs = np.empty((3, 0), dtype=np.int64)
    where = np.flatnonzero(looked)
    for seen in entries(spot[first], spot[last], low, high, len(where)):
        bottom, end = low[seen.part], high[seen.part]
        below = np.where(seen.before == NOBODY, 0, high[seen.before])
        cell = where[seen.cell]
        gap = np.maximum(np.minimum(bottom, ceiling[cell]) - below, 0)
        heads = np.flatnonzero(np.diff(cell, prepend=NOBODY))
        here = cell[heads]
        covered[here] = np.add.reduceat(np.maximum(end - np.maximum(bottom, below), 0), heads)
        largest[here], free[here] = np.maximum.reduceat(gap, heads), np.add.reduceat(gap, heads)
        top[here] = np.maximum.reduceat(end, heads)
        pairs = _with_pairs(pairs, seen, cell, (bottom < below) & (end > bottom), len(low))
    rest = np.where(looked, np.maximum(ceiling - top, 0), 0)
    return Swept(looked, covered, np.maximum(largest, rest), free + rest, pairs)


def pairs_by_address(first: Ints, last: Ints, low: Ints, high: Ints, owner: Ints) -> Ints | None:
    """Return the pairs of parts that share bytes as `Swept.pairs`, None where that is too much to look for.

    Of two parts of an owner that share bytes one begins at an address that the other holds as well. So it is enough
    to look at the addresses at which parts begin, for spans that overlap in time; where many parts are alive at once
    few share an address.
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
    """Return per cell the highest end of the spans [first, last) that hold it, 0 where none does.

    A span is what two spans cover whose length is a power of two; those of a length are handed down to its half.
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


def _looked_at(first: Ints, last: Ints, cells: int) -> Bools:
    """Choose the cells to look at: all of them, or evenly spaced ones where there is too much to see."""
    alive = entry_counts(first, last, cells)
    most = max(LEAST_ENTRIES, _ENTRIES_PER_PART * len(first))
    total = int(alive.sum())
    if total <= most:
        return np.ones(cells, dtype=bool)
    chosen = np.arange(cells) % -(-total // most) == 0
    return np.asarray(chosen & (np.cumsum(np.where(chosen, alive, 0)) <= 2 * most), dtype=np.bool_)


def _with_pairs(known: Ints, seen: Entries, cell: Ints, shares: Bools, parts: int) -> Ints:
    """Add the pairs of entries that share, each once; of a map that is all overlaps only so many are kept."""
    if not shares.any():
        return known
    found = np.stack([seen.before[shares], seen.part[shares], cell[shares]])
    found = np.concatenate([known, found], axis=1)
    found = found[:, np.lexsort((found[1], found[0]))]
    fresh = (np.diff(found[0], prepend=NOBODY) != 0) | (np.diff(found[1], prepend=NOBODY) != 0)
    return found[:, fresh][:, : _PAIRS_PER_PART * parts]
