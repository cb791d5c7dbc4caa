"""Marks on the bars of a memory map: frames of chosen blocks, arrows of blocks that wrap around."""

from __future__ import annotations

from typing import Any

import numpy as np

from components.figure import compact
from components.memory.bars import Bars, place_bars
from components.memory.boxes import Boxes
from components.theme import palette
from schema.array_types import Bools

_MAX_ARROWS = 200
"""Maximum number of arrows at each end that are drawn on a map."""
_ARROW_PX = 9
"""Minimum height of a bar with an arrow, in pixels."""


def outlines(bars: Bars, chosen: Bools, width: float) -> list[dict[str, Any]]:
    """Build the bar trace without fill that frames chosen blocks with a line of `width` pixels, in
    a list; empty if no box of these blocks has room for edges.

    `chosen` is a mask of the map's blocks.
    """
    boxes = bars.level.boxes
    framed = boxes.take((boxes.row >= 0) & chosen[boxes.row] & bars.have_room_for_edges(boxes))
    if not len(framed):
        return []
    line = {"color": palette(bars.theme).selection, "width": width}
    marker = {"color": "rgba(0,0,0,0)", "line": line}
    return [place_bars(framed, bars.level.axis) | {"marker": marker, "hoverinfo": "skip"}]


def arrows(bars: Bars) -> list[dict[str, Any]]:
    """Build at most two traces of arrows for blocks that wrap around the loop: at the last step and
    at step 0, at most 200 arrows each.

    Boxes flatter than 9 px (_ARROW_PX), and faded blocks, get no arrow; empty if there are no
    arrows.
    """
    boxes = bars.level.boxes.take(bars.level.boxes.row >= 0)
    wraps = bars.amap.blocks["wraps"].to_numpy(bool)[boxes.row]
    wraps &= (boxes.high - boxes.low) * bars.level.bytes_px >= _ARROW_PX
    if bars.lit is not None:
        wraps &= bars.lit[boxes.row]
    leaves = np.flatnonzero(wraps & (boxes.end >= bars.amap.length))[:_MAX_ARROWS]
    enters = np.flatnonzero(wraps & (boxes.start == 0))[:_MAX_ARROWS]
    ends = (
        (boxes.take(leaves), "end", "middle left"),
        (boxes.take(enters), "start", "middle right"),
    )
    return [_arrow(bars, part, side, place) for part, side, place in ends if len(part)]


def _arrow(bars: Bars, boxes: Boxes, side: str, place: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "text",
        "yaxis": bars.level.axis,
        "x": compact(getattr(boxes, side)),
        "y": boxes.low + (boxes.high - boxes.low) / 2,
        "text": "▸",
        "textposition": place,
        "textfont": {"size": 12, "color": bars.inks(boxes)},
        "hoverinfo": "skip",
        "showlegend": False,
    }
