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
    """Allocations of a device: address, requested bytes, lifetime [start, end), call stack.

    Lifetimes count entries of the trace. `lost` counts frees and allocations with a counterpart
    that was overwritten in the ring buffer of entries.
    """

    address: Ints
    size: Ints
    start: Ints
    end: Ints
    stack: Ints
    steps: int
    lost: int


def replay(trace: Trace, blocks: Blocks | None) -> Lives:
    """Compute the allocations of a device, sorted by start: allocations from before its trace
    first.

    An allocation that is not freed ends with the trace. Empty without entries and blocks.
    """
    steps = max(1, len(trace.action))
    # Memory is available again at `free_completed`, not when the user requests the free.
    moments = trace.places("alloc", "free_completed")
    is_alloc = np.isin(moments, trace.places("alloc"))
    # Sorted by address, then by time, an allocation is directly followed by its free.
    order = np.lexsort((moments, trace.address[moments]))
    moments = moments[order]
    is_alloc = is_alloc[order]
    same = np.zeros(len(order), np.bool_)
    same[:-1] = trace.address[moments][1:] == trace.address[moments][:-1]
    following = np.append(moments[1:], steps)[: len(moments)]
    end = np.where(same, following, steps)
    orphan = ~is_alloc & ~np.concatenate([[False], same[:-1] & is_alloc[:-1]])[: len(is_alloc)]
    again = same & is_alloc & np.append(is_alloc[1:], False)[: len(is_alloc)]
    # Two frees of an address without an allocation between them, or two allocations without a free,
    # show that the ring buffer lost entries.
    twice = orphan & np.concatenate([[False], same[:-1] & ~is_alloc[:-1]])[: len(is_alloc)]
    allocs = moments[is_alloc]
    frees = moments[orphan]
    alive = trace.address[moments[is_alloc & ~same]]
    old_address, old_size, old_stack = _older_blocks(blocks, alive)
    at_begin = np.zeros(len(old_address), np.int64)
    at_end = np.full(len(old_address), steps)
    no_stack = np.full(len(frees), NO_STACK)
    parts = [
        (old_address, old_size, at_begin, at_end, old_stack),
        (trace.address[frees], trace.size[frees], np.zeros(len(frees), np.int64), frees, no_stack),
        (trace.address[allocs], trace.size[allocs], allocs, end[is_alloc], trace.stack[allocs]),
    ]
    address, size, start, stop, stack = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    order = np.argsort(start, kind="stable")
    stop = np.maximum(stop, start + 1)
    lost = int(again.sum() + twice.sum())
    return Lives(address[order], size[order], start[order], stop[order], stack[order], steps, lost)


def _older_blocks(blocks: Blocks | None, made: Ints) -> tuple[Ints, Ints, Ints]:
    """Return address, bytes and call stack of the blocks at the end whose address is not in `made`:
    no entry allocated them.

    Empty arrays if `blocks` is `None`.
    """
    if blocks is None:
        empty = np.zeros(0, np.int64)
        return empty, empty, empty
    own = ~np.isin(blocks.address, made)
    return blocks.address[own], blocks.requested[own], blocks.stack[own]


def closes(lives: Lives, blocks: Blocks | None) -> bool:
    """Whether the bytes alive at the end equal the sum of the segments' requested bytes.

    True if this sum is unknown.
    """
    if blocks is None or blocks.requested_end is None:
        return True
    return int(lives.size[lives.end >= lives.steps].sum()) == blocks.requested_end
