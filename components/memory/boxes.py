"""The rectangles of one memory map, on its y axis: constants below, the arena above them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from analysis.memory.attempt_map import AttemptMap, Segments
from analysis.memory.rectangles import map_rectangles, shown_segments
from schema.array_types import Bools, Ints

_WANTED_SHARE = 4
"""One in so many boxes may be one that is asked for."""


@dataclass(frozen=True)
class Boxes:
    """Rectangles of one map: `row` is a position in its blocks, -1 where `count` blocks of `bytes` are merged.

    `low` and `high` are places on the y axis, `floor` is where address 0 lies on it. All int64, one length.
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
        """Return the names of the arrays, in order."""
        return [field.name for field in fields(Boxes)]

    def __len__(self) -> int:
        return len(self.row)

    def take(self, chosen: Bools | Ints) -> Boxes:
        """Return the boxes that a mask or positions choose."""
        return Boxes(*(getattr(self, name)[chosen] for name in self.names()))


def floor_of(amap: AttemptMap) -> int:
    """Return where a map's arena begins on the y axis: above the constants."""
    return amap.whole("static_bytes") or 0


def boxes_of(
    amap: AttemptMap, window: tuple[int, int], view: tuple[int, int], budget: int, wanted: Ints
) -> tuple[Boxes, int]:
    """Return what is in view as at most `budget` boxes, constants in the band below, and how many blocks are merged."""
    parts = shown_segments(amap)
    constant = (amap.blocks["kind"] == "constant").to_numpy(bool)
    floor = np.where(constant[parts.row], 0, floor_of(amap))
    asked = np.isin(parts.row, wanted[: budget // _WANTED_SHARE]) & _is_in_view(parts, floor, window, view)
    below = constant[amap.segments.row]
    band, arena = (replace(amap, segments=amap.segments.take(chosen)) for chosen in (below, ~below))
    budgets = shares([len(band.segments), len(arena.segments)], budget - int(asked.sum()))
    found = [_boxes(band, window, view, budgets[0], 0), _boxes(arena, window, view, budgets[1], floor_of(amap))]
    singles = np.concatenate([boxes.row for boxes, _ in found])
    asked &= ~np.isin(parts.row, singles)
    added = _single_boxes(parts.take(asked), floor[asked])
    return _join_boxes([*(boxes for boxes, _ in found), added]), sum(merged for _, merged in found) - len(added)


def _is_in_view(parts: Segments, floor: Ints, window: tuple[int, int], view: tuple[int, int]) -> Bools:
    """Tell which segments lie in view: only those are merged where they have no box."""
    in_time = (parts.start < window[1]) & (parts.end > window[0])
    return np.asarray(in_time & (parts.low + floor < view[1]) & (parts.high + floor > view[0]), dtype=np.bool_)


def shares(needs: Sequence[int], budget: int) -> list[int]:
    """Return what each gets of a budget: who needs less than the others all of it, the others the same."""
    shares = [0] * len(needs)
    for given, rank in enumerate(sorted(range(len(needs)), key=needs.__getitem__)):
        shares[rank] = min(needs[rank], (budget - sum(shares)) // (len(needs) - given))
    return shares


def _boxes(
    amap: AttemptMap, window: tuple[int, int], view: tuple[int, int], budget: int, floor: int
) -> tuple[Boxes, int]:
    shown = map_rectangles(amap, window, (view[0] - floor, view[1] - floor), budget)
    offset = np.full(len(shown), floor, dtype=np.int64)
    low, high = shown.low + floor, shown.high + floor
    boxes = Boxes(shown.row, shown.start, shown.end, low, high, shown.count, shown.bytes, offset)
    return boxes, shown.merged_blocks


def _single_boxes(parts: Segments, floor: Ints) -> Boxes:
    ones = np.ones(len(parts), dtype=np.int64)
    return Boxes(parts.row, parts.start, parts.end, parts.low + floor, parts.high + floor, ones, ones, floor)


def _join_boxes(parts: Sequence[Boxes]) -> Boxes:
    return Boxes(*(np.concatenate([getattr(part, name) for part in parts]) for name in Boxes.names()))
