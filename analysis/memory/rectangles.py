"""Rectangles of a memory map to draw: the largest segments individually, the rest merged on a
coarse grid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.memory.attempt_map import NOT_PLACED, AttemptMap, Segments
from analysis.memory.merge import merge_segments
from analysis.memory.stacked import stack_tops
from schema.array_types import Floats, Ints

BUDGET = 4_000
"""Maximum number of rectangles of a view, which a browser draws without a pause."""
MERGED = -1
"""Value of `row` for a rectangle that represents several segments."""

_MERGED_SHARE = 4
"""Divisor of the budget: at most this fraction of the rectangles are merged bars."""
_FAR = 2**62
"""Limit of addresses, and of byte-steps."""


@dataclass(frozen=True)
class MapRectangles:
    """Half-open rectangles as int64 arrays of equal length; individual segments come first, in the
    order of the segments.

    `row` is the row of the block, or MERGED. `start` and `end` are steps, `low` and `high` bytes of
    the arena; a block without an address is above everything else. `count` is the number of
    segments in a rectangle, `bytes` their bytes times steps in it. `merged_blocks` is the number of
    segments that are not drawn individually.
    """

    row: Ints
    start: Ints
    end: Ints
    low: Ints
    high: Ints
    count: Ints
    bytes: Ints
    merged_blocks: int

    def __len__(self) -> int:
        return len(self.row)


def map_rectangles(
    amap: AttemptMap,
    span: tuple[int, int] | None = None,
    addresses: tuple[int, int] | None = None,
    budget: int = BUDGET,
) -> MapRectangles:
    """Compute at most `budget` rectangles for the blocks in a window [begin, end) of steps (`span`)
    and of bytes of the arena (`addresses`); by default the whole map.

    If there are more segments, the segments with the largest area in the window are drawn
    individually, and the rest is merged into bars on a grid (at most a quarter of the budget).
    Blocks without an address are stacked above capacity and extent.
    """
    steps = span or (0, amap.length)
    heights = addresses or (-_FAR, _FAR)
    parts = shown_segments(amap)
    left = np.maximum(parts.start, steps[0])
    right = np.minimum(parts.end, steps[1])
    below = np.maximum(parts.low, heights[0])
    above = np.minimum(parts.high, heights[1])
    seen = np.flatnonzero((right > left) & (above > below))
    area = (right - left)[seen].astype(np.float64) * (above - below)[seen]
    if len(seen) <= budget:
        return _singles(parts.take(seen), 0)
    merged_most = budget // _MERGED_SHARE
    order = np.argsort(-area, kind="stable")
    chosen = np.sort(order[: budget - merged_most])
    rest = seen[np.sort(order[budget - merged_most :])]
    if not merged_most:
        return _singles(parts.take(seen[chosen]), len(rest))
    clipped = Segments(parts.row[rest], left[rest], right[rest], below[rest], above[rest])
    return _join_rectangles(
        _singles(parts.take(seen[chosen]), len(rest)), _merge_bars(clipped, merged_most)
    )


def display_top(amap: AttemptMap) -> int:
    """Compute the address (bytes of the arena) at which the highest block that a map shows ends,
    blocks without an address included, which are stacked above; 0 without blocks.
    """
    parts = shown_segments(amap)
    arena = (amap.blocks["kind"] != "constant").to_numpy(bool)[parts.row]
    return int(parts.high[arena].max(initial=0))


def shown_segments(amap: AttemptMap) -> Segments:
    """Return the map's segments; segments without an address are stacked above capacity and extent,
    so that all have `low` and `high`.
    """
    parts = amap.segments
    nowhere = parts.low == NOT_PLACED
    if not nowhere.any():
        return parts
    size = amap.blocks["size"].to_numpy(np.int64)
    base = max(
        (amap.whole("capacity") or 0) - (amap.whole("static_bytes") or 0),
        amap.whole("extent") or 0,
        0,
    )
    stacked, tops = stack_tops(parts.take(nowhere), size, base)
    top = np.zeros(len(size), dtype=np.int64)
    top[stacked] = tops
    low = np.where(nowhere, top[parts.row] - size[parts.row], parts.low)
    return Segments(
        parts.row, parts.start, parts.end, low, np.where(nowhere, top[parts.row], parts.high)
    )


def _singles(parts: Segments, merged: int) -> MapRectangles:
    ones = np.ones(len(parts), dtype=np.int64)
    area = _whole((parts.end - parts.start).astype(np.float64) * (parts.high - parts.low))
    return MapRectangles(
        parts.row, parts.start, parts.end, parts.low, parts.high, ones, area, merged
    )


def _merge_bars(parts: Segments, most: int) -> MapRectangles:
    bars = merge_segments(parts, most)
    merged = np.full(len(bars), MERGED, dtype=np.int64)
    return MapRectangles(
        merged, bars.start, bars.end, bars.low, bars.high, bars.count, bars.bytes, 0
    )


def _whole(area: Floats) -> Ints:
    return np.minimum(np.rint(area), float(_FAR)).astype(np.int64)


def _join_rectangles(first: MapRectangles, second: MapRectangles) -> MapRectangles:
    names = ("row", "start", "end", "low", "high", "count", "bytes")
    columns = {
        name: np.concatenate([getattr(first, name), getattr(second, name)]) for name in names
    }
    return MapRectangles(**columns, merged_blocks=first.merged_blocks)
