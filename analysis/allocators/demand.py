"""Demand of an attempt: storages with sizes, alignments, and the bytes that they use
in each step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.memory.attempt_map import AttemptMap, segments
from analysis.memory.gaps import without_gaps
from analysis.memory.storage import find_storage
from schema.array_types import Ints


@dataclass(frozen=True)
class Demand:
    """Storages of an attempt, and the parts of their lifetimes: bytes [bottom, top) in use in steps
    [start, end).

    Each block that is not an alias has a storage. `row` is the row of a storage's block in the
    map's blocks. `size` and `alignment` (at least 1, powers of two) are the maxima of the blocks
    that use the storage. `arena` are the rows of all blocks except constants, `of` their storages.
    `storage` is the storage of a part; parts are sorted by storage and start. All arrays are int64.
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
        """Index of each storage's first part in the demand's part arrays, then the number of parts:
        storage s has the parts [bounds[s], bounds[s + 1]).
        """
        return np.searchsorted(self.storage, np.arange(len(self) + 1))

    @property
    def first(self) -> Ints:
        """First time step of each storage, 0 if it is never alive."""
        first = np.zeros(len(self), dtype=np.int64)
        used, where = np.unique(self.storage, return_index=True)
        first[used] = self.start[where]
        return first


def demand(amap: AttemptMap) -> Demand:
    """Build the demand of an attempt: a storage for each block except constants, failed blocks too,
    and aliases as parts of the storage that they use.

    A block of an inner plan is alive for its step only; wraps and gaps make two parts. While an
    alias is alive, at least the bytes of the block that contains it are in use. The alignment of an
    alias counts for its storage.
    """
    arena = np.flatnonzero((amap.blocks["kind"] != "constant").to_numpy(bool))
    blocks = amap.blocks.iloc[arena].reset_index(drop=True)
    root = find_storage(blocks)
    first, of = np.unique(root, return_inverse=True)
    size = blocks["size"].to_numpy(np.int64)
    alignment = blocks["alignment"].fillna(amap.whole("align_bytes") or 1).to_numpy(np.int64)
    # At address 0, the addresses of a part equal its offsets in the storage.
    at_zero = pd.array(np.zeros(len(blocks), dtype=np.int64), dtype="Int64")
    laid = blocks.assign(address=at_zero, size=np.maximum(size, size[root]))
    parts, _ = without_gaps(laid, segments(laid, amap.length))
    storage = of[parts.row]
    end = np.minimum(parts.end, amap.length)
    order = np.lexsort((parts.start, storage))
    order = order[end[order] > parts.start[order]]
    used = (values[order] for values in (storage, parts.start, end, parts.low, parts.high))
    return Demand(
        arena[first], _largest(size, of), np.maximum(_largest(alignment, of), 1), arena, of, *used
    )


def _largest(values: Ints, of: Ints) -> Ints:
    """Compute the maximum of the blocks' values per storage, at least 0; `of` has the storage of
    each block.
    """
    largest = np.zeros(int(of.max(initial=-1)) + 1, dtype=np.int64)
    np.maximum.at(largest, of, values)
    return largest
