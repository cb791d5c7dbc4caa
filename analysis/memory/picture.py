"""The buffers of a device as a memory map: the largest ones laid out by a built-in allocator, the rest summed."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from analysis.allocators.packing import place_blocks
from analysis.memory.attempt_map import AttemptMap, segments
from analysis.memory.live_curve import live_curve
from schema.array_types import Ints

MOST_DRAWN = 800
"""Buffers that are laid out: so many take an allocator well under 100 ms."""
_SCATTER = 2654435761
"""Knuth's multiplicative hash: near rows get far places."""


@dataclass(frozen=True)
class BufferPicture:
    """What is drawn of the buffers alive in a window.

    `amap` holds the drawn ones, at addresses from a built-in allocator: what a tool of the profile did is
    not known. `row` are their positions in the device's blocks. `alive` and `alive_bytes` are the buffers of the window
    and the sum of their sizes, `drawn_bytes` that of those in `amap`. `steady`: every buffer of the device is drawn, so
    that they keep their places in any window.
    """

    amap: AttemptMap
    row: Ints
    alive: int
    alive_bytes: int
    drawn: int
    drawn_bytes: int
    steady: bool


def picture(
    device: AttemptMap, window: tuple[int, int], layout: str, wanted: Ints, most: int = MOST_DRAWN
) -> BufferPicture:
    """Return the largest buffers of a device that are alive in a window [begin, end) (ns), at most `most`.

    `layout` is one of `packing.PACKERS`. The buffers at positions `wanted` come first, as far as they are alive in the
    window; of equal sizes the longest lifetime, then the earliest. A device with no more than `most` is drawn whole.
    """
    start, end = (device.blocks[name].to_numpy(np.int64) for name in ("start", "end"))
    size = device.blocks["size"].to_numpy(np.int64)
    seen = (start < window[1]) & (end > window[0])
    steady = len(size) <= most
    row = np.arange(len(size)) if steady else _largest(np.flatnonzero(seen), size, end - start, wanted, most)
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
    asked = np.isin(rows, wanted)
    # of equals a scattered few: the first ones would all lie at the beginning
    order = np.lexsort((rows * _SCATTER % 2**32, -lasts[rows], -size[rows], ~asked))
    return np.sort(rows[order[:most]])


def _device_map(device: AttemptMap, row: Ints, layout: str) -> AttemptMap:
    """Return the map of the buffers at positions `row`, with the peak of the whole device.

    Its extent and bound are those of the drawn ones; it has no occupancy, for the device has.
    """
    part = replace(device, blocks=device.blocks.iloc[row].reset_index(drop=True))
    blocks = place_blocks(part, layout)
    parts = segments(blocks, device.length)
    made = {
        "blocks": len(blocks),
        "strategy": layout,
        "outcome": "solved",
        "extent": int(parts.high.max(initial=0)),
        "bound": live_curve(blocks, device.length).peak,
    }
    known = dict(device.attempt) | made
    return replace(part, attempt=known, blocks=blocks, segments=parts, occupancy=device.occupancy.head(0))
