"""A memory map as rectangles to draw: the largest singly, what is too much to draw merged on a coarse grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.memory.attempt_map import NOT_PLACED, AttemptMap, Segments
from analysis.memory.merge import merge_segments
from analysis.memory.stacked import stack_tops
from schema.array_types import Floats, Ints

BUDGET = 4_000
"""Rectangles of one view; a browser draws this many without a pause."""
MERGED = -1
"""`row` of a rectangle that stands for several segments."""

_MERGED_SHARE = 4
"""One in so many rectangles may be a merged one."""
_FAR = 2**62


@dataclass(frozen=True)
class MapRectangles:
    """Rectangles, half-open; all int64, one length. Singles come first, in the order of the segments.

    `row` is the position of the block, or MERGED; `start`, `end` are steps, `low`, `high` bytes of the arena, above
    all else where a block has no address. `count` is how many segments a rectangle stands for, `bytes` their bytes
    times steps in it. `merged_blocks` is how many segments are not drawn singly.
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
    """Return at most `budget` rectangles of what lies in a window (steps, bytes of the arena; default everything).

    Where there are more segments, those with the largest area in the window are drawn singly and the others merged
    into bars on a grid. Blocks without an address lie above capacity and extent, on those of them that they meet.
    """
    steps, heights = span or (0, amap.length), addresses or (-_FAR, _FAR)
    parts = shown_segments(amap)
    left, right = np.maximum(parts.start, steps[0]), np.minimum(parts.end, steps[1])
    below, above = np.maximum(parts.low, heights[0]), np.minimum(parts.high, heights[1])
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
    return _join_rectangles(_singles(parts.take(seen[chosen]), len(rest)), _merge_bars(clipped, merged_most))


def display_top(amap: AttemptMap) -> int:
    """Return the highest byte that a map shows: of the arena, or of what is stacked above it."""
    parts = shown_segments(amap)
    arena = (amap.blocks["kind"] != "constant").to_numpy(bool)[parts.row]
    return int(parts.high[arena].max(initial=0))


def shown_segments(amap: AttemptMap) -> Segments:
    """Return the map's segments, those without an address above capacity and extent."""
    parts = amap.segments
    nowhere = parts.low == NOT_PLACED
    if not nowhere.any():
        return parts
    size = amap.blocks["size"].to_numpy(np.int64)
    base = max((amap.whole("capacity") or 0) - (amap.whole("static_bytes") or 0), amap.whole("extent") or 0, 0)
    stacked, tops = stack_tops(parts.take(nowhere), size, base)
    top = np.zeros(len(size), dtype=np.int64)
    top[stacked] = tops
    low = np.where(nowhere, top[parts.row] - size[parts.row], parts.low)
    return Segments(parts.row, parts.start, parts.end, low, np.where(nowhere, top[parts.row], parts.high))


def _singles(parts: Segments, merged: int) -> MapRectangles:
    ones = np.ones(len(parts), dtype=np.int64)
    area = _whole((parts.end - parts.start).astype(np.float64) * (parts.high - parts.low))
    return MapRectangles(parts.row, parts.start, parts.end, parts.low, parts.high, ones, area, merged)


def _merge_bars(parts: Segments, most: int) -> MapRectangles:
    """Return the bars that the segments are merged into, at most `most`."""
    bars = merge_segments(parts, most)
    nobody = np.full(len(bars), MERGED, dtype=np.int64)
    return MapRectangles(nobody, bars.start, bars.end, bars.low, bars.high, bars.count, bars.bytes, 0)


def _whole(area: Floats) -> Ints:
    return np.minimum(np.rint(area), float(_FAR)).astype(np.int64)


def _join_rectangles(one: MapRectangles, other: MapRectangles) -> MapRectangles:
    names = ("row", "start", "end", "low", "high", "count", "bytes")
    columns = {name: np.concatenate([getattr(one, name), getattr(other, name)]) for name in names}
    return MapRectangles(**columns, merged_blocks=one.merged_blocks)
