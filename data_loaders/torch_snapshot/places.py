"""Packed addresses of a device: segments one after another, without the space between them.

Segments are spread over an address space of 2^64 bytes. The space between them belongs to nobody, so it is no waste of
this allocator, and a map that drew it would show nothing else.
"""

from __future__ import annotations

import numpy as np

from data_loaders.torch_snapshot.replay import Lives
from data_loaders.torch_snapshot.segments import Blocks
from data_loaders.torch_snapshot.traces import Trace
from schema.array_types import Ints

_TOP = np.uint64(2**64 - 1)


def packed_addresses(lives: Lives, trace: Trace, blocks: Blocks | None) -> Ints:
    """Return the place of each allocation once all segments, freed ones too, follow each other by address, int64."""
    if not len(lives.address):
        return np.zeros(0, np.int64)
    segments = trace.places("segment_alloc", "segment_free", "segment_map", "segment_unmap")
    bases = [trace.address[segments], lives.address, *([blocks.base] if blocks is not None else [])]
    sizes = [trace.size[segments], np.maximum(lives.size, 1), *([blocks.length] if blocks is not None else [])]
    base, length = np.concatenate(bases).view(np.uint64), np.concatenate(sizes).view(np.uint64)
    order = np.argsort(base, kind="stable")
    base = base[order]
    reach = np.maximum.accumulate(base + np.minimum(length[order], _TOP - base))
    first = np.flatnonzero(np.append(True, base[1:] > reach[:-1]))
    low = base[first]
    high = reach[np.append(first[1:], len(base)) - 1]
    offset = np.concatenate([np.zeros(1, np.uint64), np.cumsum(high - low)[:-1]])
    own = lives.address.view(np.uint64)
    at = np.searchsorted(low, own, side="right") - 1
    return np.asarray(own - low[at] + offset[at], np.int64)
