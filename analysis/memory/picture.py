"""Memory map of a device's buffers: the largest buffers are placed by a built-in allocator, the
rest is summed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from analysis.allocators.packing import place_blocks
from analysis.memory.attempt_map import AttemptMap, segments
from analysis.memory.live_curve import live_curve
from schema.array_types import Ints

MAX_DRAWN = 800
"""Maximum number of buffers to place, which takes an allocator well under 100 ms."""
_SCATTER = 2654435761
"""Knuth's multiplicative hash, which maps close rows to distant numbers."""


@dataclass(frozen=True)
class BufferPicture:
    """Map of the buffers that are alive in a window.

    `amap` holds the drawn buffers, at addresses of a built-in allocator, since a profile does not
    record real addresses. `row` are their rows in the device's blocks. `alive` and `alive_bytes`
    are the number and bytes of all buffers in the window, `drawn` and `drawn_bytes` of the drawn
    buffers in the window. `steady` is true if every buffer of the device is drawn, so that
    addresses are the same in any window.
    """

    amap: AttemptMap
    row: Ints
    alive: int
    alive_bytes: int
    drawn: int
    drawn_bytes: int
    steady: bool


def picture(
    device: AttemptMap, window: tuple[int, int], layout: str, wanted: Ints, most: int = MAX_DRAWN
) -> BufferPicture:
    """Place the largest buffers of a device that are alive in a window [begin, end) (ns), at most
    `most`, and return their map.

    `layout` is an allocator of `packing.PACKERS`. The buffers at rows `wanted` come first if they
    are alive in the window, then large buffers before small, and long lifetimes before short; of
    equal buffers, scattered rows are taken. If the device has at most `most` buffers, all are
    drawn.
    """
    start, end = (device.blocks[name].to_numpy(np.int64) for name in ("start", "end"))
    size = device.blocks["size"].to_numpy(np.int64)
    seen = (start < window[1]) & (end > window[0])
    steady = len(size) <= most
    row = (
        np.arange(len(size))
        if steady
        else _largest(np.flatnonzero(seen), size, end - start, wanted, most)
    )
    shown = row[seen[row]]
    return BufferPicture(
        amap=_device_map(device, row, layout),
        row=row,
        alive=int(seen.sum()),
        alive_bytes=int(size[seen].sum()),
        drawn=len(shown),
        drawn_bytes=int(size[shown].sum()),
        steady=steady,
    )


def _largest(rows: Ints, size: Ints, lasts: Ints, wanted: Ints, most: int) -> Ints:
    is_wanted = np.isin(rows, wanted)
    # If sizes and lifetimes are equal, choose scattered buffers: the first rows would all be at the
    # beginning.
    order = np.lexsort((rows * _SCATTER % 2**32, -lasts[rows], -size[rows], ~is_wanted))
    return np.sort(rows[order[:most]])


def _device_map(device: AttemptMap, row: Ints, layout: str) -> AttemptMap:
    """Build the map of the buffers at rows `row`, placed by `layout`, with the peak of the whole
    device.

    Extent and bound are computed from the drawn buffers. It has no rows of occupancy, because the
    map of the device has them.
    """
    part = replace(device, blocks=device.blocks.iloc[row].reset_index(drop=True))
    blocks = place_blocks(part, layout)
    parts = segments(blocks, device.length)
    new_values = {
        "blocks": len(blocks),
        "strategy": layout,
        "outcome": "solved",
        "extent": int(parts.high.max(initial=0)),
        "bound": live_curve(blocks, device.length).peak,
    }
    numbers = dict(device.attempt) | new_values
    return replace(
        part, attempt=numbers, blocks=blocks, segments=parts, occupancy=device.occupancy.head(0)
    )
