"""The name with the most busy time in each range of intervals, for the colour of merged bars."""

from __future__ import annotations

import numpy as np

from analysis.timeline.lanes import LaneIndex
from schema.array_types import Ints

_CHUNK = 1 << 15
"""Intervals that are summed at once: their arrays fit in a processor's cache."""
_MAX_CELLS_PER_INTERVAL = 32
"""Cells of a table of ranges and names for each interval, beyond which sorting is quicker."""


def largest_names(index: LaneIndex, first: Ints, last: Ints) -> tuple[Ints, Ints]:
    """Find the name with the most busy time in each range [first, last) of positions.

    Returns the name's code, and its busy ticks. Of equal names the one with the lowest code is
    returned; names are in alphabetical order. No range may be empty. Cost: O(intervals), for
    indexes with very many names O(intervals x log intervals).
    """
    code = np.zeros(len(first), np.int64)
    ticks = np.zeros(len(first), np.int64)
    # A range is never divided, so that a chunk has at least one.
    chunk = (np.cumsum(last - first) - 1) // _CHUNK
    edges = np.flatnonzero(np.diff(chunk, prepend=-1, append=-1))
    for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        part = slice(begin, end)
        code[part], ticks[part] = _of_chunk(index, first[part], last[part])
    return code, ticks


def _of_chunk(index: LaneIndex, first: Ints, last: Ints) -> tuple[Ints, Ints]:
    sizes = last - first
    begins = np.cumsum(sizes) - sizes
    count = int(sizes.sum())
    if count == last[-1] - first[0]:  # without gaps: slices are quicker than positions
        at: slice | Ints = slice(int(first[0]), int(last[-1]))
    else:
        at = np.arange(count) + np.repeat(first - begins, sizes)
    lengths = index.end[at] - index.start[at]
    # Code -1, an interval without a name, is column 0 of the table.
    names = len(index.names) + 1
    key = np.repeat(np.arange(len(first)) * names + 1, sizes) + index.code[at]
    if len(first) * names <= _MAX_CELLS_PER_INTERVAL * count:
        column, ticks = _by_table(key, lengths, len(first), names)
    else:
        column, ticks = _by_sorting(key, lengths, names)
    # A range without any busy time has no name with most of it.
    return np.where(ticks > 0, column - 1, index.code[first]), ticks


def _by_table(key: Ints, lengths: Ints, ranges: int, names: int) -> tuple[Ints, Ints]:
    """Sum the lengths in a table; `key` is range * names + column of the name."""
    # Sums of ticks are exact up to 2^53, which is 104 days in nanoseconds.
    table = np.bincount(key, lengths, ranges * names).reshape(ranges, names)
    column = table.argmax(axis=1)
    return column, table[np.arange(ranges), column].astype(np.int64)


def _by_sorting(key: Ints, lengths: Ints, names: int) -> tuple[Ints, Ints]:
    """Sum the lengths of equal keys after sorting; `key` is as in `_by_table`."""
    order = np.argsort(key, kind="stable")
    run = np.flatnonzero(np.diff(key[order], prepend=-1))
    ticks = np.add.reduceat(lengths[order], run)
    found = key[order][run]
    # The largest sum of each range is first, of equal sums the lowest code.
    largest = np.lexsort((found, -ticks, found // names))
    is_first = np.diff(found[largest] // names, prepend=-1) != 0
    best = largest[is_first]
    return found[best] % names, ticks[best]
