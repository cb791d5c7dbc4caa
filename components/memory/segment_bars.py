"""Segments of a caching allocator behind the blocks of a memory map."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from components.memory.levels import Level
from components.numbers import plain, size
from components.theme import fade, palette

SEGMENTS = "segments"
"""`meta` of the trace of the segments."""
MAX_DRAWN = 300
"""Maximum number of segments that are drawn in a map, the largest in view first."""


def segment_bars(level: Level, segments: pd.DataFrame | None, theme: str) -> list[dict[str, Any]]:
    """Build the trace of the segments of a map's device, in a list; empty if none is in view.

    `segments` is frame `memory_segments`. Area of a segment that no block covers is reserved and
    free.
    """
    if segments is None:
        return []
    low = segments["address"] + level.floor
    is_shown = (segments["attempt"] == level.amap.number) & (segments["end"] > segments["start"])
    in_view = (low < level.view[1]) & (low + segments["size"] > level.view[0])
    rows = segments[(is_shown & in_view).to_numpy(bool)].nlargest(MAX_DRAWN, "size")
    if not len(rows):
        return []
    colours = palette(theme)
    length = rows["size"].to_numpy(np.int64)
    return [
        {
            "type": "bar",
            "orientation": "h",
            "yaxis": level.axis,
            "base": rows["start"].tolist(),
            "x": (rows["end"] - rows["start"]).tolist(),
            "y": (rows["address"].to_numpy(np.int64) + level.floor + length / 2).tolist(),
            "width": length.tolist(),
            "marker": {
                "color": fade(colours.muted, 0.08),
                "line": {"width": 1, "color": fade(colours.muted, 0.45)},
            },
            "hovertext": [_words(row, level.amap.length) for row in rows.to_dict("records")],
            "hovertemplate": "%{hovertext}<extra></extra>",
            "customdata": [[level.amap.number, None]] * len(rows),
            "showlegend": False,
            "meta": SEGMENTS,
        }
    ]


def segment_reach(segments: pd.DataFrame | None) -> dict[int, int]:
    """Compute the end of the segments of each attempt in its memory map, bytes."""
    if segments is None:
        return {}
    ends = segments["address"] + segments["size"]
    return {
        int(number): int(end) for number, end in ends.groupby(segments["attempt"]).max().items()
    }


def _words(row: dict[Any, Any], length: int) -> str:
    until = "the end" if row["end"] >= length else f"step {row['end']}"
    name = row["name"]
    cause = f"<br>first block: {plain(name, 60)}" if isinstance(name, str) else ""
    lasting = f"reserved from step {row['start']} to {until}, pool: {plain(row['pool'], 30)}"
    return f"segment of {size(row['size'])}<br>{lasting}{cause}"
