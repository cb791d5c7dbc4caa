"""Replay each device of a snapshot; a device without readable content is empty and has a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from data_loaders.protocol import LoadError
from data_loaders.torch_snapshot.entries import Snapshot
from data_loaders.torch_snapshot.left_out import level_name
from data_loaders.torch_snapshot.places import Packing, packing
from data_loaders.torch_snapshot.replay import Lives, closes, replay
from data_loaders.torch_snapshot.segments import Blocks
from data_loaders.torch_snapshot.traces import MOVES, Trace, no_trace
from schema.array_types import Ints
from schema.memory import MAX_BYTES

_MAX_REASONS = 3
_TOO_MANY_BYTES = (
    "the sizes of its allocations and segments sum to more than the limit of a machine"
)


@dataclass(frozen=True)
class Device:
    """A replayed device; `packing` has the place of each address in a map without gaps."""

    number: int
    trace: Trace
    blocks: Blocks | None
    lives: Lives
    packing: Packing

    @property
    def address(self) -> Ints:
        """Packed address of each allocation, bytes."""
        return self.packing.of(self.lives.address)

    @property
    def level(self) -> str:
        """Name of the device, for example `cuda:0`."""
        return level_name(self.number)

    @property
    def closes(self) -> bool:
        """Whether the device's trace explains the bytes alive at the end, and no entries were lost."""
        return closes(self.lives, self.blocks) and not self.lives.lost

    @property
    def is_readable(self) -> bool:
        """Whether the snapshot contains a readable entry or segment of the device."""
        return bool(self.trace.readable) or (
            self.blocks is not None and bool(len(self.blocks.base))
        )


def replay_devices(snapshot: Snapshot) -> tuple[list[Device], dict[int, str]]:
    """Replay the devices that have segments or entries.

    The list is sorted by number and contains empty devices too. Also returns the reason for each
    empty device, by number. Raises LoadError if no device has readable content.
    """
    numbers = sorted({*snapshot.traces, *snapshot.blocks})
    parts = {
        number: (snapshot.traces.get(number, no_trace()), snapshot.blocks.get(number))
        for number in numbers
    }
    too_large = _too_large(parts)
    devices: list[Device] = []
    empty: dict[int, str] = {}
    for number, (trace, blocks) in parts.items():
        is_shown = number not in too_large
        content = (trace, blocks) if is_shown else (no_trace(), None)
        device = _replay_device(number, *content)
        devices.append(device)
        if not device.is_readable:
            empty[number] = snapshot.left_out.words(number) if is_shown else _TOO_MANY_BYTES
    if len(empty) == len(devices):
        reasons = (
            "; ".join([*empty.values()][:_MAX_REASONS])
            or snapshot.left_out.words(None)
            or "it has neither segments nor entries"
        )
        raise LoadError(f"it has no device with readable segments or entries: {reasons}")
    return devices, empty


def _replay_device(number: int, trace: Trace, blocks: Blocks | None) -> Device:
    lives = replay(trace, blocks)
    return Device(number, trace, blocks, lives, packing(lives, trace, blocks))


def _too_large(parts: Mapping[int, tuple[Trace, Blocks | None]]) -> set[int]:
    """Return the numbers of the devices with so many bytes that sums would reach 2^62.

    All sizes of a device are added, whenever they are alive, since analyses may add any of them.
    Devices are admitted from the smallest to the largest until the sum is too large.
    """
    total = 0.0
    too_large: set[int] = set()
    sizes = [(_all_bytes(trace, blocks), number) for number, (trace, blocks) in parts.items()]
    for size, number in sorted(sizes):
        if total + size >= MAX_BYTES:
            too_large.add(number)
        else:
            total += size
    return too_large


def _all_bytes(trace: Trace, blocks: Blocks | None) -> float:
    moved = trace.size[trace.places(*MOVES)]
    sizes = [moved] if blocks is None else [moved, blocks.length, blocks.requested]
    # Floats, because a sum of int64 could overflow before the caller compares it.
    total = sum(float(size.astype(np.float64).sum()) for size in sizes)
    return total + (0 if blocks is None else blocks.reserved + (blocks.allocated or 0))
