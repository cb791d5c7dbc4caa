"""What an allocator has to place: storages with their sizes, alignments, and when which of their bytes are in use."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap, segments
from analysis.memory.gaps import without_gaps
from analysis.memory.storage import storage_of
from schema.array_types import Ints


@dataclass(frozen=True)
class Demand:
    """Storages, one per block that is no alias, and their parts: bytes [bottom, top) in use in steps [start, end).

    `row` is the position of a storage's block in the map's blocks. `size` and `alignment` (at least 1, powers of two)
    are the largest of the blocks that use it. `arena` are the positions of all blocks but constants, `of` the storage
    of each of them. `storage` is that of a part; parts are sorted by it and by start. All int64.
    """

    row: Ints
    size: Ints
    alignment: Ints
    arena: Ints
    of: Ints
    storage: Ints
    start: Ints
    end: Ints
    bottom: Ints
    top: Ints

    def __len__(self) -> int:
        return len(self.row)

    @property
    def bounds(self) -> Ints:
        """Return where each storage's parts begin, and as last entry where they end."""
        return np.searchsorted(self.storage, np.arange(len(self) + 1))

    @property
    def first(self) -> Ints:
        """Return the first step of each storage, 0 where it never lives."""
        first = np.zeros(len(self), dtype=np.int64)
        used, where = np.unique(self.storage, return_index=True)
        first[used] = self.start[where]
        return first


def demand(amap: AttemptMap) -> Demand:
    """Return what an attempt asks for, failed blocks too: no constants, aliases as part of what they lie in.

    A block of an inner plan asks for its one step; a wrap and a gap are two parts. An alias keeps in use at least the
    bytes of the block that it lies in, and its alignment counts as well.
    """
    arena = np.flatnonzero((amap.blocks["kind"] != "constant").to_numpy(bool))
    blocks = amap.blocks.iloc[arena].reset_index(drop=True)
    root = storage_of(blocks)
    first, of = np.unique(root, return_inverse=True)
    size = blocks["size"].to_numpy(np.int64)
    alignment = blocks["alignment"].fillna(amap.whole("align_bytes") or 1).to_numpy(np.int64)
    # At address 0 the bytes of a part are offsets in its storage.
    at_zero = pd.array(np.zeros(len(blocks), dtype=np.int64), dtype="Int64")
    laid = blocks.assign(address=at_zero, size=np.maximum(size, size[root]))
    parts, _ = without_gaps(laid, segments(laid, amap.length))
    storage, end = of[parts.row], np.minimum(parts.end, amap.length)
    order = np.lexsort((parts.start, storage))
    order = order[end[order] > parts.start[order]]
    used = (values[order] for values in (storage, parts.start, end, parts.low, parts.high))
    return Demand(arena[first], _largest(size, of), np.maximum(_largest(alignment, of), 1), arena, of, *used)


def _largest(values: Ints, of: Ints) -> Ints:
    """Return per storage the largest of its blocks' values, at least 0."""
    largest = np.zeros(int(of.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(largest, of, values)
    return largest
