"""Memory map of a new placement with outlines of the blocks' old addresses, on the same scale."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from analysis.memory.attempt_map import AttemptMap, unplaced_blocks
from analysis.memory.selection import MemorySelection
from components.memory.axis import PLOT_PX, steps_in_view
from components.memory.bars import have_room_for_edges, place_bars
from components.memory.boxes import compute_boxes
from components.memory.levels import fit_view, heights
from components.memory.memory_map import MapView, memory_map
from components.theme import fade, palette
from schema.array_types import Ints

_MAX_OUTLINES = 1_500
"""Outlines that are drawn at most."""
_NO_ADDRESS = -1
"""Address of a block that is not placed."""


def moved_blocks(before: AttemptMap, after: AttemptMap) -> Ints:
    """Find the numbers of the blocks that have another address in `after` than in `before`.

    Blocks that are unplaced in `before`, or missing there, do not count. Returns int64 numbers in
    the order of `after.blocks`.
    """
    numbers = after.blocks["block"].to_numpy(np.int64)
    old = dict(zip(before.blocks["block"].tolist(), _addresses(before).tolist(), strict=True))
    was = np.array([old.get(block, _NO_ADDRESS) for block in numbers.tolist()], dtype=np.int64)
    return np.asarray(numbers[(was != _NO_ADDRESS) & (was != _addresses(after))], dtype=np.int64)


def overlay(
    before: AttemptMap,
    after: AttemptMap,
    selection: MemorySelection,
    theme: str,
    *,
    search: str,
    outlined: bool,
) -> MapView:
    """Draw the map `after`; moved blocks are highlighted and, if `outlined` and large enough for
    it, have an outline at their old address, at most 1,500 outlines.

    If no block moved, it is the plain map.
    """
    moved = moved_blocks(before, after)
    shown = one_scale(before, after, selection)
    view = memory_map(
        [after], shown, theme, search=search, used=moved if len(moved) and outlined else None
    )
    if not outlined or not len(moved):
        return view
    return MapView(view.figure.with_traces([_outlines(before, moved, shown, theme)]), view.line)


def above_capacity(amap: AttemptMap, capacity: int | None, theme: str) -> list[dict[str, Any]]:
    """Build the shape of a line at a capacity in bytes and a band over the memory above it, in a
    list.

    Returns an empty list if the map fits or if `capacity` is None.
    """
    top = (amap.whole("static_bytes") or 0) + (amap.whole("extent") or 0)
    if capacity is None or top <= capacity:
        return []
    colour = palette(theme).trouble
    place = {
        "type": "rect",
        "xref": "x domain",
        "x0": 0,
        "x1": 1,
        "yref": "y",
        "y0": capacity,
        "y1": top,
    }
    look = {"fillcolor": fade(colour, 0.18), "line": {"color": colour, "width": 2}}
    return [place | look | {"name": "above capacity"}]


def one_scale(
    before: AttemptMap, after: AttemptMap | None, selection: MemorySelection
) -> MemorySelection:
    """Return a copy of the selection whose visible addresses are the range that both maps need.

    The selection itself is returned if the user chose a range, if `after` is None, or if `before`
    has unplaced blocks: these are stacked above all other blocks and would leave half of the map
    after empty.
    """
    if after is None or selection.addresses or len(unplaced_blocks(before)):
        return selection
    views = fit_view(before), fit_view(after)
    return replace(
        selection, addresses=(min(view[0] for view in views), max(view[1] for view in views))
    )


def _outlines(
    before: AttemptMap, moved: Ints, selection: MemorySelection, theme: str
) -> dict[str, Any]:
    rows = np.flatnonzero(np.isin(before.blocks["block"].to_numpy(np.int64), moved))
    parts = replace(before, segments=before.segments.take(np.isin(before.segments.row, rows)))
    window = steps_in_view([before], selection)
    view = selection.addresses or fit_view(before)
    boxes, _ = compute_boxes(parts, window, view, _MAX_OUTLINES, np.zeros(0, dtype=np.int64))
    bytes_px = heights([before])[0] / max(1, view[1] - view[0])
    is_framed = have_room_for_edges(boxes, bytes_px, PLOT_PX / (window[1] - window[0]))
    is_framed &= (boxes.row >= 0) & (_addresses(before)[boxes.row] != _NO_ADDRESS)
    boxes = boxes.take(is_framed)
    marker = {"color": "rgba(0,0,0,0)", "line": {"color": palette(theme).muted, "width": 1}}
    return place_bars(boxes, "y") | {"marker": marker, "hoverinfo": "skip", "meta": "before"}


def _addresses(amap: AttemptMap) -> Ints:
    address = amap.blocks["address"].to_numpy(np.int64, na_value=_NO_ADDRESS)
    return np.where((amap.blocks["status"] == "failed").to_numpy(bool), _NO_ADDRESS, address)
