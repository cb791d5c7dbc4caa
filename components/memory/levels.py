"""Where a map's blocks lie on its y axis: constants below, the arena above them, what has no address on top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.memory.attempt_map import NOT_PLACED, AttemptMap
from analysis.memory.rectangles import display_top
from components.memory.boxes import Boxes, boxes_of, floor_of, shares
from schema.array_types import Ints

_HEADROOM = 0.04
_FAR = 3
"""A capacity this many times as high as what is in use stays out of view, so that the blocks can be seen."""
_LONE_STACK = 0.2
_BAND_SHARE = 0.25
GAP_PX = 26
_EMPTY_WEIGHT, _SINGLE_PX, _LEVEL_PX = 0.35, 400, 190


@dataclass(frozen=True)
class Level:
    """One map on its y axis: its boxes, the bytes in view, its part of the height (shares from below, and pixels).

    `merged` is how many blocks have no box of their own.
    """

    amap: AttemptMap
    boxes: Boxes
    merged: int
    view: tuple[int, int]
    domain: tuple[float, float]
    px: float
    rank: int

    @property
    def axis(self) -> str:
        """Return the name of its y axis as traces and shapes use it."""
        return "y" if self.rank == 0 else f"y{self.rank + 1}"

    @property
    def floor(self) -> int:
        """Return where its arena begins on the y axis: above the constants."""
        return floor_of(self.amap)

    @property
    def bytes_px(self) -> float:
        """Return pixels per byte."""
        return self.px / max(1, self.view[1] - self.view[0])


def heights(maps: Sequence[AttemptMap]) -> list[float]:
    """Return the pixels that each map takes, from the first: a level without blocks needs little."""
    if len(maps) == 1:
        return [_SINGLE_PX]
    return [_LEVEL_PX * (1.0 if len(one.blocks) else _EMPTY_WEIGHT) for one in maps]


def levels(
    maps: Sequence[AttemptMap],
    window: tuple[int, int],
    addresses: tuple[int, int] | None,
    budget: int,
    wanted: Sequence[Ints],
) -> list[Level]:
    """Return the maps under each other; `addresses` (bytes on the y axis) are what is in view of a single one.

    At most `budget` boxes in all. The blocks at positions `wanted`, per map, have boxes of their own in any case.
    """
    pixels = heights(maps)
    whole = sum(pixels) + GAP_PX * (len(maps) - 1)
    # A block that is wanted may be asked for twice: it has up to two boxes.
    needs = [len(one.segments) + 2 * len(rows) for one, rows in zip(maps, wanted, strict=True)]
    budgets = shares(needs, budget)
    top, found = whole, []
    for rank, (one, px, share) in enumerate(zip(maps, pixels, budgets, strict=True)):
        view = addresses if addresses and len(maps) == 1 else view_of(one)
        boxes, merged = boxes_of(one, window, view, share, wanted[rank])
        found.append(Level(one, boxes, merged, view, ((top - px) / whole, top / whole), px, rank))
        top -= px + GAP_PX
    return found


def view_of(amap: AttemptMap) -> tuple[int, int]:
    """Return the bytes that show a map at its best: all of its arena, and its capacity unless that is far away."""
    floor, top = floor_of(amap), max(display_top(amap), amap.whole("extent") or 0)
    room = (amap.whole("capacity") or 0) - floor
    if room > 0 and top * _FAR >= room:
        top = max(top, room)
    lowest = -floor if not top else max(-floor, -round(top * _BAND_SHARE))
    stacked = _stack_floor(amap)
    if stacked is not None and stacked > top * _LONE_STACK:
        lowest = stacked - round((top - stacked) * _HEADROOM)
    highest = top + max(1, round((top - lowest) * _HEADROOM))
    return floor + lowest, floor + highest


def _stack_floor(amap: AttemptMap) -> int | None:
    """Return where the stack of blocks without an address begins, None where any block has one."""
    parts = amap.segments
    constant = (amap.blocks["kind"] == "constant").to_numpy(bool)[parts.row]
    if constant.all() or (parts.low[~constant] != NOT_PLACED).any():
        return None
    return max((amap.whole("capacity") or 0) - floor_of(amap), amap.whole("extent") or 0)
