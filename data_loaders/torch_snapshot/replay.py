"""Replay a device's trace: lifetimes of its allocations, and reserved bytes.

An allocation is older than the trace if it is alive at the end and no entry allocated it, or if its
address is freed without having been allocated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from data_loaders.torch_snapshot.call_stacks import NO_STACK
from data_loaders.torch_snapshot.segments import Blocks
from data_loaders.torch_snapshot.traces import Trace
from schema.array_types import Ints


@dataclass(frozen=True)
class Lives:
    """Allocations of a device: address, requested bytes, lifetime in entries [start, end), and
    number of the call stack.

    `lost` counts frees and allocations with a counterpart that was overwritten in the ring buffer
    of entries.
    """

    address: Ints
    size: Ints
    start: Ints
    end: Ints
    stack: Ints
    steps: int
    lost: int


def replay(trace: Trace, blocks: Blocks | None) -> Lives:
    """Return the allocations of a device, the allocations from before its trace first."""
    steps = max(1, len(trace.action))
    moments = trace.places("alloc", "free_completed")
    comes = np.isin(moments, trace.places("alloc"))
    # Sorted by address, then by time, an allocation is directly followed by its free.
    order = np.lexsort((moments, trace.address[moments]))
    moments, comes = moments[order], comes[order]
    same = np.zeros(len(order), np.bool_)
    same[:-1] = trace.address[moments][1:] == trace.address[moments][:-1]
    following = np.append(moments[1:], steps)[: len(moments)]
    end = np.where(same, following, steps)
    orphan = ~comes & ~np.concatenate([[False], same[:-1] & comes[:-1]])[: len(comes)]
    again = same & comes & np.append(comes[1:], False)[: len(comes)]
    twice = orphan & np.concatenate([[False], same[:-1] & ~comes[:-1]])[: len(comes)]
    made, freed = moments[comes], moments[orphan]
    alive = trace.address[moments[comes & ~same]]
    before = _unmade(blocks, alive)
    nowhere = np.full(len(freed), NO_STACK)
    parts = [
        (before[0], before[1], np.zeros(len(before[0]), np.int64), np.full(len(before[0]), steps), before[2]),
        (trace.address[freed], trace.size[freed], np.zeros(len(freed), np.int64), freed, nowhere),
        (trace.address[made], trace.size[made], made, end[comes], trace.stack[made]),
    ]
    address, size, start, stop, stack = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(start, kind="stable")
    stop = np.maximum(stop, start + 1)
    lost = int(again.sum() + twice.sum())
    return Lives(address[order], size[order], start[order], stop[order], stack[order], steps, lost)


def _unmade(blocks: Blocks | None, made: Ints) -> tuple[Ints, Ints, Ints]:
    """Return address, bytes and call stack of the blocks at the end that no entry allocated."""
    if blocks is None:
        none = np.zeros(0, np.int64)
        return none, none, none
    own = ~np.isin(blocks.address, made)
    return blocks.address[own], blocks.requested[own], blocks.stack[own]


def reserved_peak(trace: Trace, blocks: Blocks | None) -> int | None:
    """Return the maximum of the reserved bytes.

    `None` if the snapshot has neither segments nor segment entries. The snapshot contains only the
    reserved bytes of its end, so earlier values are computed backwards from the segments that were
    allocated and freed.
    """
    gains, losses = trace.places("segment_alloc", "segment_map"), trace.places("segment_free", "segment_unmap")
    change = np.zeros(len(trace.action) + 1, np.int64)
    change[gains + 1] = trace.size[gains]
    change[losses + 1] = -trace.size[losses]
    held = np.cumsum(change)
    at_end = blocks.reserved if blocks is not None else 0
    peak = int((held - held[-1]).max()) + at_end
    return peak if peak > 0 else None


def closes(lives: Lives, blocks: Blocks | None) -> bool:
    """Whether the bytes alive at the end equal the sum of the segments' requested bytes.

    True if this sum is unknown.
    """
    if blocks is None or blocks.requested_end is None:
        return True
    return int(lives.size[lives.end >= lives.steps].sum()) == blocks.requested_end
