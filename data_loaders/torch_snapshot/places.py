"""Packed addresses of a device: segments in sequence, without the gaps between them.

Segments are spread over an address space of 2^64 bytes. The gaps do not belong to this allocator,
so they are not waste, and a map with gaps to scale would show little else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from data_loaders.torch_snapshot.replay import Lives
from data_loaders.torch_snapshot.segments import Blocks
from data_loaders.torch_snapshot.traces import Trace
from schema.array_types import Ints

_TOP = np.uint64(2**64 - 1)


@dataclass(frozen=True)
class Packing:
    """Ranges of addresses without gaps inside: begin of each, and its place after the gaps between
    them are removed.
    """

    low: npt.NDArray[np.uint64]
    offset: npt.NDArray[np.uint64]

    def of(self, address: Ints) -> Ints:
        """Compute the packed address of addresses within the ranges, in bytes from 0, int64."""
        if not len(self.low):
            return np.zeros(len(address), np.int64)
        own = address.view(np.uint64)
        at = np.searchsorted(self.low, own, side="right") - 1
        return np.asarray(own - self.low[at] + self.offset[at], np.int64)


def packing(lives: Lives, trace: Trace, blocks: Blocks | None) -> Packing:
    """Remove the gaps between the segments and allocations of a device.

    Freed segments count too. When ranges touch or overlap, their addresses keep their distances.
    """
    segments = trace.places("segment_alloc", "segment_free", "segment_map", "segment_unmap")
    bases = [trace.address[segments], lives.address, *([blocks.base] if blocks is not None else [])]
    sizes = [
        trace.size[segments],
        np.maximum(lives.size, 1),
        *([blocks.length] if blocks is not None else []),
    ]
    # Addresses from 2^63 on are negative in int64; they sort correctly only as unsigned numbers.
    base = np.concatenate(bases).view(np.uint64)
    length = np.concatenate(sizes).view(np.uint64)
    if not len(base):
        return Packing(base, base)
    order = np.argsort(base, kind="stable")
    base = base[order]
    reach = np.maximum.accumulate(base + np.minimum(length[order], _TOP - base))
    first = np.flatnonzero(np.append(True, base[1:] > reach[:-1]))
    low = base[first]
    high = reach[np.append(first[1:], len(base)) - 1]
    offset = np.concatenate([np.zeros(1, np.uint64), np.cumsum(high - low)[:-1]])
    return Packing(low, offset)
