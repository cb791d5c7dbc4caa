"""Rectangles of a memory map in y-axis coordinates: constants below, the arena above them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from analysis.memory.attempt_map import AttemptMap, Segments
from analysis.memory.rectangles import map_rectangles, shown_segments
from schema.array_types import Bools, Ints

_WANTED_SHARE = 4
"""At most 1/_WANTED_SHARE of the boxes is reserved for blocks that the caller wants drawn singly.
"""


@dataclass(frozen=True)
class Boxes:
    """Rectangles of a memory map, as int64 arrays of equal length.

    `row` is the position of the block in the map's blocks, or -1 if the rectangle merges `count`
    blocks of `bytes` in total. `start` and `end` are steps; `low` and `high` are y coordinates in
    bytes; `floor` is the y coordinate of address 0.
    """

    row: Ints
    start: Ints
    end: Ints
    low: Ints
    high: Ints
    count: Ints
    bytes: Ints
    floor: Ints

    @staticmethod
    def names() -> list[str]:
        """List the names of the arrays of `Boxes` in field order."""
        return [field.name for field in fields(Boxes)]

    def __len__(self) -> int:
        return len(self.row)

    def take(self, chosen: Bools | Ints) -> Boxes:
        """Return the boxes that a mask or positions select, as new `Boxes` in that order."""
        return Boxes(*(getattr(self, name)[chosen] for name in self.names()))


def arena_floor(amap: AttemptMap) -> int:
    """Return the y coordinate (bytes) at which a map's arena begins: the size of its constants, 0
    without constants.
    """
    return amap.whole("static_bytes") or 0


def compute_boxes(
    amap: AttemptMap, window: tuple[int, int], view: tuple[int, int], budget: int, wanted: Ints
) -> tuple[Boxes, int]:
    """Compute at most `budget` boxes for the part of a map in view, and count the blocks in view
    that have no box of their own.

    `window` is [begin, end) in steps and `view` is [low, high) in bytes of the y axis. Blocks at
    the positions `wanted` get a box each, for up to a quarter of the budget (1/_WANTED_SHARE).
    """
    parts = shown_segments(amap)
    constant = (amap.blocks["kind"] == "constant").to_numpy(bool)
    floor = np.where(constant[parts.row], 0, arena_floor(amap))
    extra = np.isin(parts.row, wanted[: budget // _WANTED_SHARE]) & _is_in_view(
        parts, floor, window, view
    )
    below = constant[amap.segments.row]
    band, arena = (replace(amap, segments=amap.segments.take(chosen)) for chosen in (below, ~below))
    # Constants and arena both have addresses from 0, so each part is reduced with its own floor.
    budgets = shares([len(band.segments), len(arena.segments)], budget - int(extra.sum()))
    drawn = [
        _boxes(band, window, view, budgets[0], 0),
        _boxes(arena, window, view, budgets[1], arena_floor(amap)),
    ]
    singles = np.concatenate([boxes.row for boxes, _ in drawn])
    # A wanted block that was drawn singly anyway must not be drawn twice.
    extra &= ~np.isin(parts.row, singles)
    added = _single_boxes(parts.take(extra), floor[extra])
    return _join_boxes([*(boxes for boxes, _ in drawn), added]), sum(
        merged for _, merged in drawn
    ) - len(added)


def _is_in_view(
    parts: Segments, floor: Ints, window: tuple[int, int], view: tuple[int, int]
) -> Bools:
    """Compute the mask of the segments that overlap the window (steps) and the view (bytes of the y
    axis).

    `floor` is the y coordinate of address 0 per segment.
    """
    in_time = (parts.start < window[1]) & (parts.end > window[0])
    return np.asarray(
        in_time & (parts.low + floor < view[1]) & (parts.high + floor > view[0]), dtype=np.bool_
    )


def shares(needs: Sequence[int], budget: int) -> list[int]:
    """Split a budget into a share per need, in order: small needs are met in full, the rest is
    shared equally.
    """
    shares = [0] * len(needs)
    # In order of rising need, so that bytes left by a small need are shared by the larger needs.
    for served, rank in enumerate(sorted(range(len(needs)), key=needs.__getitem__)):
        shares[rank] = min(needs[rank], (budget - sum(shares)) // (len(needs) - served))
    return shares


def _boxes(
    amap: AttemptMap, window: tuple[int, int], view: tuple[int, int], budget: int, floor: int
) -> tuple[Boxes, int]:
    """Compute the boxes of the constants or of the arena of a map, and the number of merged blocks.

    `floor` is the y coordinate of address 0 of that part.
    """
    shown = map_rectangles(amap, window, (view[0] - floor, view[1] - floor), budget)
    offset = np.full(len(shown), floor, dtype=np.int64)
    low = shown.low + floor
    high = shown.high + floor
    boxes = Boxes(shown.row, shown.start, shown.end, low, high, shown.count, shown.bytes, offset)
    return boxes, shown.merged_blocks


def _single_boxes(parts: Segments, floor: Ints) -> Boxes:
    ones = np.ones(len(parts), dtype=np.int64)
    return Boxes(
        parts.row, parts.start, parts.end, parts.low + floor, parts.high + floor, ones, ones, floor
    )


def _join_boxes(parts: Sequence[Boxes]) -> Boxes:
    return Boxes(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in Boxes.names())
    )
