"""Addresses of a device that lie close to each other: segments one after another, without the space between them.

Segments lie anywhere in an address space of 2^47 bytes. What lies between them belongs to nobody, so it is no waste of
this allocator, and a map that drew it would show nothing else.
"""

from __future__ import annotations

import numpy as np

from data_loaders.torch_snapshot.entries import Blocks, Trace
from data_loaders.torch_snapshot.replay import Lives
from schema.array_types import Ints


def packed_addresses(lives: Lives, trace: Trace, blocks: Blocks | None) -> Ints:
    """Return where each allocation lies once the segments, freed ones too, follow each other in order of address."""
    segments = trace.places("segment_alloc", "segment_free", "segment_map", "segment_unmap")
    bases = [trace.address[segments], lives.address, *([blocks.base] if blocks is not None else [])]
    sizes = [trace.size[segments], np.maximum(lives.size, 1), *([blocks.length] if blocks is not None else [])]
    base, length = np.concatenate(bases), np.concatenate(sizes)
    order = np.argsort(base, kind="stable")
    base, reach = base[order], np.maximum.accumulate(base[order] + length[order])
    first = np.flatnonzero(np.append(True, base[1:] > reach[:-1])[: len(base)])
    low = base[first]
    high = reach[np.append(first[1:], len(base)) - 1]
    offset = np.concatenate([[0], np.cumsum(high - low)[:-1]])
    at = np.searchsorted(low, lives.address, side="right") - 1
    return np.asarray(lives.address - low[at] + offset[at], np.int64)
