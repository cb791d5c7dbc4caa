"""Pools of a device's allocator: every private pool, such as that of a CUDA graph, has segments of
its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from data_loaders.torch_snapshot.curves import ByteCurve, allocated_curve, reserved_curve
from data_loaders.torch_snapshot.devices import Device
from schema.array_types import Ints
from schema.frames import frame_of_records

GIVEN_BACK = "given back"
"""Pool of the segments that no longer exist at the end: a trace does not tell their pools."""
_OTHERS = "others"
_MAX_POOLS = 20
"""Maximum number of pools of a device with a row of their own; the smaller pools share a row."""


@dataclass(frozen=True)
class Pool:
    """A pool: its name, segments at the end, and its bytes over the entries of the trace."""

    name: str
    segments: int
    allocated: ByteCurve
    reserved: ByteCurve


def device_pools(device: Device) -> list[Pool]:
    """Split a device's segments and allocations by pool, the largest pool at the end first."""
    names = _pool_names(device)
    place = np.array([names.index(name) for name in _pools_of_segments(device, names)], np.int64)
    of_entry = _segment_pools(device, device.trace.address, place, names)
    of_block = _segment_pools(device, device.lives.address, place, names)
    length = device.blocks.length if device.blocks is not None else np.zeros(0, np.int64)
    pools = []
    for code, name in enumerate(names):
        at_end = int(length[place == code].sum())
        pools.append(
            Pool(
                name,
                int((place == code).sum()),
                allocated_curve(device.lives, of_block == code),
                reserved_curve(device.trace, at_end, of_entry == code),
            )
        )
    # A pool that had no memory at any time would be a row of zeros.
    return [pool for pool in pools if pool.segments or pool.reserved.peak or pool.allocated.peak]


def pools_frame(devices: Sequence[Device]) -> pd.DataFrame:
    """Build frame `memory_pools`, by device."""
    records = [
        {
            "device": device.level,
            "attempt": rank,
            "pool": pool.name,
            "segments": pool.segments,
            "peak_allocated": pool.allocated.peak,
            "peak_reserved": pool.reserved.peak,
            "end_allocated": pool.allocated.end,
            "end_reserved": pool.reserved.end,
        }
        for rank, device in enumerate(devices)
        for pool in device_pools(device)
    ]
    return frame_of_records("memory_pools", records)


def _pool_names(device: Device) -> list[str]:
    """Name the pools with rows of their own by their bytes at the end, then the pool of segments that
    were given back.
    """
    sizes: Counter[str] = Counter()
    if device.blocks is not None:
        for name, length in zip(device.blocks.pool, device.blocks.length.tolist(), strict=True):
            sizes[name] += length
    names = [name for name, _ in sizes.most_common(_MAX_POOLS)]
    if len(sizes) > _MAX_POOLS:
        names.append(_OTHERS)
    return [*names, GIVEN_BACK]


def _pools_of_segments(device: Device, names: list[str]) -> list[str]:
    """Return the pool of each segment, `others` for a pool without a row of its own."""
    if device.blocks is None:
        return []
    known = set(names)
    return [name if name in known else _OTHERS for name in device.blocks.pool]


def _segment_pools(device: Device, address: Ints, place: Ints, names: list[str]) -> Ints:
    """Return the code of the pool whose segment at the end holds each address, else that of
    GIVEN_BACK.
    """
    given_back = len(names) - 1
    if device.blocks is None or not len(device.blocks.base):
        return np.full(len(address), given_back)
    # Addresses from 2^63 on are negative in int64; they sort correctly only as unsigned numbers.
    base = device.blocks.base.view(np.uint64)
    order = np.argsort(base, kind="stable")
    own = address.view(np.uint64)
    segment = order[np.maximum(np.searchsorted(base[order], own, side="right") - 1, 0)]
    length = device.blocks.length.view(np.uint64)[segment]
    is_inside = (own >= base[segment]) & (own - base[segment] < length)
    return np.where(is_inside, place[segment], given_back)
