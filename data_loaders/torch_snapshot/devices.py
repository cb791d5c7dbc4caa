"""The devices of a snapshot, replayed; a device without anything readable is empty and says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from data_loaders.protocol import LoadError
from data_loaders.torch_snapshot.entries import Snapshot
from data_loaders.torch_snapshot.left_out import level_name
from data_loaders.torch_snapshot.places import packed_addresses
from data_loaders.torch_snapshot.replay import Lives, closes, replay
from data_loaders.torch_snapshot.segments import Blocks
from data_loaders.torch_snapshot.traces import MOVES, Trace, no_trace
from schema.array_types import Ints
from schema.memory import MOST_BYTES

_MAX_REASONS = 3
_TOO_MANY_BYTES = "its allocations and segments add up to more bytes than any machine has"


@dataclass(frozen=True)
class Device:
    """A device of a snapshot, replayed; `address` has the packed place of each allocation."""

    number: int
    trace: Trace
    blocks: Blocks | None
    lives: Lives
    address: Ints

    @property
    def level(self) -> str:
        """Return the name of the device."""
        return level_name(self.number)

    @property
    def closes(self) -> bool:
        """Return whether the trace explains what is alive at the end."""
        return closes(self.lives, self.blocks) and not self.lives.lost

    @property
    def is_readable(self) -> bool:
        """Return whether the snapshot has a readable entry or segment of the device."""
        return bool(self.trace.readable) or (self.blocks is not None and bool(len(self.blocks.base)))


def devices_of(snapshot: Snapshot) -> tuple[list[Device], dict[int, str]]:
    """Return the devices that have segments or entries, and for each empty one why it is empty.

    Raises LoadError if no device has anything readable.
    """
    numbers = sorted({*snapshot.traces, *snapshot.blocks})
    parts = {number: (snapshot.traces.get(number, no_trace()), snapshot.blocks.get(number)) for number in numbers}
    too_large = _too_large(parts)
    devices, empty = [], {}
    for number, (trace, blocks) in parts.items():
        is_shown = number not in too_large
        device = _replay_device(number, trace, blocks) if is_shown else _replay_device(number, no_trace(), None)
        devices.append(device)
        if not device.is_readable:
            empty[number] = snapshot.left_out.words(number) if is_shown else _TOO_MANY_BYTES
    if len(empty) == len(devices):
        why = "; ".join([*empty.values()][:_MAX_REASONS]) or snapshot.left_out.words(None) or "it has neither"
        raise LoadError(f"it has no device with readable segments or entries: {why}")
    return devices, empty


def _replay_device(number: int, trace: Trace, blocks: Blocks | None) -> Device:
    lives = replay(trace, blocks)
    return Device(number, trace, blocks, lives, packed_addresses(lives, trace, blocks))


def _too_large(parts: Mapping[int, tuple[Trace, Blocks | None]]) -> set[int]:
    """Return the devices whose bytes would not fit into sums of int64, the largest ones first.

    All sizes of a device are added up, whenever they are alive, since analyses add up any of them.
    """
    total, too_large = 0.0, set()
    for size, number in sorted((_all_bytes(trace, blocks), number) for number, (trace, blocks) in parts.items()):
        if total + size >= MOST_BYTES:
            too_large.add(number)
        else:
            total += size
    return too_large


def _all_bytes(trace: Trace, blocks: Blocks | None) -> float:
    moved = trace.size[trace.places(*MOVES)]
    sizes = [moved] if blocks is None else [moved, blocks.length, blocks.requested]
    total = sum(float(size.astype(np.float64).sum()) for size in sizes)
    return total + (0 if blocks is None else blocks.reserved + (blocks.allocated or 0))
