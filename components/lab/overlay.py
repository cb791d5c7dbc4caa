"""Before and after in one picture on one scale: the new map, and where blocks lay before as outlines over it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from analysis.memory.attempt_map import AttemptMap, unplaced_blocks
from analysis.memory.selection import MemorySelection
from components.memory.axis import window_of
from components.memory.bars import place_bars
from components.memory.boxes import boxes_of
from components.memory.levels import view_of
from components.memory.memory_map import MapView, memory_map
from components.theme import fade, palette
from schema.array_types import Ints

_MOST_OUTLINES = 1_500
_NOWHERE = -1


def moved_blocks(before: AttemptMap, after: AttemptMap) -> Ints:
    """Return the numbers of the blocks that lie elsewhere after than before."""
    numbers = after.blocks["block"].to_numpy(np.int64)
    old = dict(zip(before.blocks["block"].tolist(), _addresses(before).tolist(), strict=True))
    was = np.array([old.get(block, _NOWHERE) for block in numbers.tolist()], dtype=np.int64)
    return np.asarray(numbers[(was != _NOWHERE) & (was != _addresses(after))], dtype=np.int64)


def overlay(
    before: AttemptMap, after: AttemptMap, selection: MemorySelection, theme: str, *, search: str, outlined: bool
) -> MapView:
    """Draw the map after; what moved is lit and, where `outlined`, has an edge where it lay before."""
    moved = moved_blocks(before, after)
    shown = one_scale(before, after, selection)
    view = memory_map([after], shown, theme, search=search, used=moved if len(moved) and outlined else None)
    if not outlined or not len(moved):
        return view
    return MapView(view.figure.with_traces([_outlines(before, moved, shown, theme)]), view.line)


def above_capacity(amap: AttemptMap, capacity: int | None, theme: str) -> list[dict[str, Any]]:
    """Return a line at a capacity in bytes and a band over what a map has above it; nothing where it has nothing."""
    top = (amap.whole("static_bytes") or 0) + (amap.whole("extent") or 0)
    if capacity is None or top <= capacity:
        return []
    colour = palette(theme).trouble
    place = {"type": "rect", "xref": "x domain", "x0": 0, "x1": 1, "yref": "y", "y0": capacity, "y1": top}
    look = {"fillcolor": fade(colour, 0.18), "line": {"color": colour, "width": 2}}
    return [place | look | {"name": "above capacity"}]


def one_scale(before: AttemptMap, after: AttemptMap | None, selection: MemorySelection) -> MemorySelection:
    """Return the selection with the addresses in view that both maps need, where none are chosen.

    Blocks that the map before stacks above all others, as they have no place, would leave the map after half empty.
    """
    if after is None or selection.addresses or len(unplaced_blocks(before)):
        return selection
    views = view_of(before), view_of(after)
    return replace(selection, addresses=(min(view[0] for view in views), max(view[1] for view in views)))


def _outlines(before: AttemptMap, moved: Ints, selection: MemorySelection, theme: str) -> dict[str, Any]:
    rows = np.flatnonzero(np.isin(before.blocks["block"].to_numpy(np.int64), moved))
    parts = replace(before, segments=before.segments.take(np.isin(before.segments.row, rows)))
    window, view = window_of([before], selection), selection.addresses or view_of(before)
    boxes, _ = boxes_of(parts, window, view, _MOST_OUTLINES, np.zeros(0, dtype=np.int64))
    boxes = boxes.take((boxes.row >= 0) & (_addresses(before)[boxes.row] != _NOWHERE))
    marker = {"color": "rgba(0,0,0,0)", "line": {"color": palette(theme).muted, "width": 1}}
    return place_bars(boxes, "y") | {"marker": marker, "hoverinfo": "skip", "meta": "before"}


def _addresses(amap: AttemptMap) -> Ints:
    address = amap.blocks["address"].to_numpy(np.int64, na_value=_NOWHERE)
    return np.where((amap.blocks["status"] == "failed").to_numpy(bool), _NOWHERE, address)
