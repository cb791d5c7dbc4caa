"""Lifetimes of the segments of a device: the ranges of addresses that its allocator reserved.

An expandable segment grows and shrinks by ranges, each of which has a lifetime of its own.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from data_loaders.torch_snapshot.curves import GAINS, LOSSES
from data_loaders.torch_snapshot.devices import Device
from data_loaders.torch_snapshot.pools import GIVEN_BACK
from data_loaders.torch_snapshot.traces import Trace
from data_loaders.torch_snapshot.values import UNKNOWN
from schema.array_types import Ints
from schema.frames import complete

_ADDRESSES = 1 << 64
_MAX_ENTRIES_TO_BLOCK = 16
"""Entries after that of a segment in which the block is looked for that it was reserved for."""
_Row = tuple[int, int, int, int]
"""Address (unsigned), bytes, first entry, entry that gave it back."""


@dataclass(frozen=True)
class SegmentLives:
    """Ranges of addresses in order of their begin: address (negative from 2^63 on), bytes, and
    lifetime [start, end) in entries of the trace.

    A range that is still there at the end ends with the trace; `is_kept` marks it.
    """

    address: Ints
    size: Ints
    start: Ints
    end: Ints
    is_kept: np.ndarray[tuple[int], np.dtype[np.bool_]]


class _Ranges:
    """Ranges of addresses that do not overlap, each with the entry that reserved it."""

    def __init__(self) -> None:
        self._bases: list[int] = []
        self._held: dict[int, tuple[int, int]] = {}

    def add(self, base: int, size: int, start: int) -> None:
        """Reserve addresses of which none is reserved."""
        size = min(size, _ADDRESSES - base)
        insort(self._bases, base)
        self._held[base] = (size, start)

    def take(self, base: int, size: int) -> list[tuple[int, int, int]]:
        """Remove what lies in [base, base + size): (address, bytes, entry) of each part; an entry
        of -1 is a part that no entry reserved.
        """
        parts = []
        # A damaged file may have a range that ends beyond the last address.
        size = min(size, _ADDRESSES - base)
        at = base
        for own in self._overlapping(base, size):
            length, start = self._held.pop(own)
            del self._bases[bisect_left(self._bases, own)]
            low = max(own, base)
            high = min(own + length, base + size)
            if low > at:
                parts.append((at, low - at, -1))
            parts.append((low, high - low, start))
            if own < low:
                self.add(own, low - own, start)
            if high < own + length:
                self.add(high, own + length - high, start)
            at = high
        if at < base + size:
            parts.append((at, base + size - at, -1))
        return parts

    def rest(self) -> list[tuple[int, int, int]]:
        return [(base, *self._held[base]) for base in self._bases]

    def _overlapping(self, base: int, size: int) -> list[int]:
        first = bisect_right(self._bases, base)
        if first and self._bases[first - 1] + self._held[self._bases[first - 1]][0] > base:
            first -= 1
        return self._bases[first : bisect_left(self._bases, base + size)]


def segment_lives(device: Device) -> SegmentLives:
    """Follow the segments of a device through its trace; a segment that no entry reserved was there
    before the first entry.
    """
    trace = device.trace
    ranges = _Ranges()
    rows: list[_Row] = []
    gains = set(trace.places(*GAINS).tolist())
    for step in trace.places(*GAINS, *LOSSES).tolist():
        base = int(trace.address[step]) % _ADDRESSES
        size = int(trace.size[step])
        if size == UNKNOWN or size <= 0:
            continue
        # A segment of an address that is still reserved: the entry that gave it back was lost.
        parts = ranges.take(base, size)
        rows += [
            (low, length, max(start, 0), step)
            for low, length, start in parts
            if start >= 0 or step not in gains
        ]
        if step in gains:
            ranges.add(base, size, step)
    kept = _ranges_at_end(device, ranges)
    marked = [(row, False) for row in rows] + [(row, True) for row in kept]
    marked.sort(key=lambda pair: (pair[0][2], pair[0][0]))
    # Addresses are unsigned; as int64 they are negative from 2^63 on.
    columns = [
        np.array([row[place] for row, _ in marked], np.uint64).view(np.int64) for place in range(4)
    ]
    address, lengths, starts, ends = columns
    is_kept = np.array([is_last for _, is_last in marked], np.bool_)
    return SegmentLives(address, lengths, starts, ends, is_kept)


def _ranges_at_end(device: Device, ranges: _Ranges) -> list[_Row]:
    """List the ranges that are still reserved at the end, by the snapshot's own segments."""
    kept: list[tuple[int, int, int]] = []
    if device.blocks is not None:
        places = zip(device.blocks.base.tolist(), device.blocks.length.tolist(), strict=True)
        kept = [part for base, size in places for part in ranges.take(base % _ADDRESSES, size)]
    steps = device.lives.steps
    return [(low, size, max(start, 0), steps) for low, size, start in [*kept, *ranges.rest()]]


def segments_frame(devices: Sequence[Device], names: Sequence[str]) -> pd.DataFrame:
    """Build frame `memory_segments`, by device; `names` has the innermost line of call stacks."""
    parts = [_device_segments(rank, device, names) for rank, device in enumerate(devices)]
    rows = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    return complete("memory_segments", {name: rows[name] for name in rows})


def _device_segments(rank: int, device: Device, names: Sequence[str]) -> pd.DataFrame:
    lives = segment_lives(device)
    pools = _pools(device, lives)
    first = _first_blocks(device.trace, lives)
    return pd.DataFrame(
        {
            "attempt": rank,
            "segment": np.arange(len(lives.size)),
            "device": device.level,
            "device_address": lives.address,
            "address": device.packing.of(lives.address),
            "size": lives.size,
            "start": lives.start,
            "end": lives.end,
            "pool": pd.Series(pools, dtype="str"),
            "name": pd.Series(
                [names[stack] if stack >= 0 else None for stack in first.tolist()], dtype="str"
            ),
        }
    )


def _pools(device: Device, lives: SegmentLives) -> list[str]:
    if device.blocks is None or not len(device.blocks.base):
        return [GIVEN_BACK] * len(lives.size)
    base = device.blocks.base.view(np.uint64)
    order = np.argsort(base)
    at = np.searchsorted(base[order], lives.address.view(np.uint64), side="right") - 1
    return [
        device.blocks.pool[order[place]] if is_kept and place >= 0 else GIVEN_BACK
        for place, is_kept in zip(at.tolist(), lives.is_kept.tolist(), strict=True)
    ]


def _first_blocks(trace: Trace, lives: SegmentLives) -> Ints:
    """Find the call stack of the block that each segment was reserved for, the first allocation in
    it soon after its own entry; -1 if there is none.
    """
    stacks = np.full(len(lives.size), -1)
    allocations = trace.places("alloc")
    low = lives.address.view(np.uint64)
    reach = low + lives.size.view(np.uint64)
    place = np.searchsorted(allocations, lives.start)
    for _ in range(_MAX_ENTRIES_TO_BLOCK):
        entry = allocations[np.minimum(place, len(allocations) - 1)] if len(allocations) else low
        if not len(allocations):
            break
        address = trace.address[entry].view(np.uint64)
        is_soon = (place < len(allocations)) & (entry - lives.start <= _MAX_ENTRIES_TO_BLOCK)
        fits = is_soon & (stacks < 0) & (address >= low) & (address < reach)
        stacks[fits] = trace.stack[entry[fits]]
        place += 1
    return stacks
