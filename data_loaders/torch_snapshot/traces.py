"""Trace of a device: the allocator's actions as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from data_loaders.torch_snapshot.call_stacks import CallStacks
from data_loaders.torch_snapshot.left_out import LeftOut
from data_loaders.torch_snapshot.values import (
    MAX_SIZE,
    MAX_TIME_US,
    NO_ADDRESS,
    UNKNOWN,
    address,
    number,
)
from schema.array_types import Ints
from schema.memory import MAX_BYTES

MOVES = (
    "alloc",
    "free_requested",
    "free_completed",
    "segment_alloc",
    "segment_free",
    "segment_map",
    "segment_unmap",
)
"""Actions with an address and a size."""
ACTIONS = (*MOVES, "oom", "snapshot")
"""Known actions; entries with other actions stay as steps without an effect."""
OTHER = len(ACTIONS)
_CODE = {action: code for code, action in enumerate(ACTIONS)}
_ENTRIES_PER_PART = 1 << 16
"""Number of entries that are converted at a time, after which their objects are freed."""
_ALLOC = _CODE["alloc"]
_OOM = _CODE["oom"]


@dataclass(frozen=True)
class Trace:
    """Entries of a device in order: code of ACTIONS, address, bytes, time (us), call stack; int64.

    Addresses from 2^63 on are negative. `stack` (an index of CallStacks) is set for allocations
    only, `device_free` (bytes) for entries of action `oom` only; other values are UNKNOWN.
    `readable` counts the entries that could be read completely.
    """

    action: Ints
    address: Ints
    size: Ints
    time: Ints
    stack: Ints
    device_free: Ints
    readable: int

    def places(self, *actions: str) -> Ints:
        """Return the positions of the trace's entries with any of these actions, in order.

        Empty if there are none.
        """
        return np.flatnonzero(np.isin(self.action, [_CODE[action] for action in actions]))


def no_trace() -> Trace:
    """Return the trace of a device without entries: all columns have length 0."""
    empty = np.zeros(0, np.int64)
    return Trace(empty, empty, empty, empty, empty, empty, 0)


def read_trace(
    device: int, entries: list[object], stacks: CallStacks, left_out: LeftOut, *, frees: bool = True
) -> Trace:
    """Read the entries of a device into columns with an item per entry.

    Unreadable entries are counted in `left_out`. An unreadable entry stays as a step without an
    effect, to preserve the step numbers. If `frees` is set, the entries are replaced by `None` as
    they are read: objects and columns of a large trace would not fit into memory together.
    """
    parts = [no_trace()]
    timeless = 0
    for begin in range(0, len(entries), _ENTRIES_PER_PART):
        part = entries[begin : begin + _ENTRIES_PER_PART]
        if frees:
            entries[begin : begin + len(part)] = [None] * len(part)
        trace, timeless_in_part = _read_part(device, part, stacks, left_out)
        parts.append(trace)
        timeless += timeless_in_part
    trace = _join(parts)
    if (trace.time != UNKNOWN).any():  # files of 2022 have no times at all
        left_out.add(device, "entry", "of the trace without a valid time", timeless)
    return trace


def _join(parts: Sequence[Trace]) -> Trace:
    columns = {
        name: np.concatenate([getattr(part, name) for part in parts])
        for name in ("action", "address", "size", "time", "stack", "device_free")
    }
    return Trace(**columns, readable=sum(part.readable for part in parts))


def _read_part(
    device: int, entries: Sequence[object], stacks: CallStacks, left_out: LeftOut
) -> tuple[Trace, int]:
    """Read some entries of a device, and count the entries without a valid time."""
    action, size, time, stack, device_free = ([UNKNOWN] * len(entries) for _ in range(5))
    addresses = [NO_ADDRESS] * len(entries)
    readable = timeless = 0
    for rank, entry in enumerate(entries):
        action[rank] = OTHER
        name = entry.get("action") if type(entry) is dict else None
        if type(entry) is not dict or type(name) is not str:
            left_out.add(device, "entry", "of the trace ignored: no action")
            continue
        code = _CODE.get(name, OTHER)
        addresses[rank] = address(entry.get("addr"))
        # A failed request may exceed the memory of every device.
        size[rank] = number(entry.get("size"), MAX_BYTES if code == _OOM else MAX_SIZE)
        time[rank] = number(entry.get("time_us"), MAX_TIME_US)
        timeless += time[rank] == UNKNOWN
        if code == _ALLOC:
            stack[rank] = stacks.number_stack(entry.get("frames"))
        elif code == _OOM:
            device_free[rank] = number(entry.get("device_free"), MAX_SIZE)
        if name in MOVES and (addresses[rank] == NO_ADDRESS or size[rank] == UNKNOWN):
            left_out.add(
                device, "entry", "of the trace ignored: address or size is missing or invalid"
            )
            continue
        action[rank] = code
        readable += 1
    trace = Trace(
        action=np.array(action, np.int64),
        address=np.array(addresses, np.uint64).view(np.int64),
        size=np.array(size, np.int64),
        time=np.array(time, np.int64),
        stack=np.array(stack, np.int64),
        device_free=np.array(device_free, np.int64),
        readable=readable,
    )
    return trace, timeless
