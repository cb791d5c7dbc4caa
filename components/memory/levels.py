"""Memory maps in stacked plots, each with constants below, arena above, unplaced blocks on top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from analysis.memory.attempt_map import NOT_PLACED, AttemptMap
from analysis.memory.rectangles import display_top
from components.memory.boxes import Boxes, arena_floor, compute_boxes, shares
from schema.array_types import Ints

_HEADROOM = 0.04
"""Empty part of the y axis above the blocks, as a share of its length."""
_FAR = 3
"""A capacity above this many times the height in use is not in view: blocks would be too flat."""
_LONE_STACK = 0.2
"""Minimum height of the axis below a stack of blocks, as a share of all, to leave it out.

Applies if no block has an address.
"""
_BAND_SHARE = 0.25
"""Maximum height of the band of constants, as a share of the arena."""
GAP_PX = 26
"""Pixels between two maps."""
_EMPTY_WEIGHT, _SINGLE_PX, _LEVEL_PX, _SMALL_LEVEL_PX = 0.35, 400, 190, 120
_MAX_LARGE_LEVELS = 2
"""Above this number of levels their maps are smaller, so that all fit on a screen."""


@dataclass(frozen=True)
class Level:
    """A map in its plot: boxes, bytes in view, part of the figure's height (0 to 1), pixels.

    `merged` is the number of blocks without a box of their own, `whole` the bytes in view if
    nothing is zoomed.
    """

    amap: AttemptMap
    boxes: Boxes
    merged: int
    view: tuple[int, int]
    whole: tuple[int, int]
    domain: tuple[float, float]
    px: float
    rank: int

    @property
    def axis(self) -> str:
        """Name of the map's y axis as in plotly traces and shapes: `y`, `y2`, ..."""
        return "y" if self.rank == 0 else f"y{self.rank + 1}"

    @property
    def floor(self) -> int:
        """Y coordinate (bytes) at which the map's arena begins, above the constants."""
        return arena_floor(self.amap)

    @property
    def bytes_px(self) -> float:
        """Height of a byte on the map's y axis in pixels."""
        return self.px / max(1, self.view[1] - self.view[0])


def heights(maps: Sequence[AttemptMap]) -> list[float]:
    """Compute the height of each map in pixels: 400 for a single map, 190 for two, else 120, and
    about a third of that for levels without blocks.
    """
    if len(maps) == 1:
        return [_SINGLE_PX]
    px = _LEVEL_PX if len(maps) <= _MAX_LARGE_LEVELS else _SMALL_LEVEL_PX
    return [px * (1.0 if len(amap.blocks) else _EMPTY_WEIGHT) for amap in maps]


def levels(
    maps: Sequence[AttemptMap],
    window: tuple[int, int],
    addresses: tuple[int, int] | None,
    budget: int,
    wanted: Sequence[Ints],
    *,
    reach: Mapping[int, int] | None = None,
    same_scale: bool = False,
) -> list[Level]:
    """Compute the boxes and the place of each map in the figure, from the top.

    At most `budget` boxes are made in all maps together. `addresses` is the range [low, high) in
    view on the y axis, used only if there is a single map. Blocks at the positions `wanted`, per
    map, get boxes of their own. `reach` has the end of the segments of an attempt, by its number.
    If `same_scale` is true, all maps have the y range that shows each.
    """
    pixels = heights(maps)
    whole = sum(pixels) + GAP_PX * (len(maps) - 1)
    # A wanted block has up to two boxes, as it may wrap around the loop.
    needs = [len(amap.segments) + 2 * len(rows) for amap, rows in zip(maps, wanted, strict=True)]
    budgets = shares(needs, budget)
    views = [fit_view(amap, (reach or {}).get(amap.number, 0)) for amap in maps]
    if same_scale:
        views = [(min(low for low, _ in views), max(high for _, high in views))] * len(views)
    top = whole
    placed = []
    for rank, (amap, px, share) in enumerate(zip(maps, pixels, budgets, strict=True)):
        view = addresses if addresses and len(maps) == 1 else views[rank]
        boxes, merged = compute_boxes(amap, window, view, share, wanted[rank])
        domain = (top - px) / whole, top / whole
        placed.append(Level(amap, boxes, merged, view, views[rank], domain, px, rank))
        top -= px + GAP_PX
    return placed


def fit_view(amap: AttemptMap, reach: int = 0) -> tuple[int, int]:
    """Compute the y range [low, high] (bytes) that shows a map best: its arena, a part of the
    constants, and its capacity and the end of its segments (`reach`) if these are at most three
    times as high.
    """
    floor = arena_floor(amap)
    top = max(display_top(amap), amap.whole("extent") or 0)
    room = (amap.address_limit or 0) - floor
    if room > 0 and top * _FAR >= room:
        top = max(top, room)
    if top * _FAR >= reach:
        top = max(top, reach)
    # Constants may be much larger than the arena: a band below it is enough to show them.
    lowest = -floor if not top else max(-floor, -round(top * _BAND_SHARE))
    stacked = _stack_floor(amap)
    if stacked is not None and stacked > top * _LONE_STACK:
        lowest = stacked - round((top - stacked) * _HEADROOM)
    highest = top + max(1, round((top - lowest) * _HEADROOM))
    return floor + lowest, floor + highest


def _stack_floor(amap: AttemptMap) -> int | None:
    """Return the y coordinate (bytes above the constants) from which blocks without an address are
    stacked.

    None if any block has an address.
    """
    parts = amap.segments
    constant = (amap.blocks["kind"] == "constant").to_numpy(bool)[parts.row]
    if constant.all() or (parts.low[~constant] != NOT_PLACED).any():
        return None
    return max((amap.whole("capacity") or 0) - arena_floor(amap), amap.whole("extent") or 0)
