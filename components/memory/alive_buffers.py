"""The buffers of a profile's device that are alive at one time, the largest first."""

from __future__ import annotations

from typing import Any

import pandas as pd
from dash import html

from analysis.memory.alive import alive
from analysis.memory.attempt_map import AttemptMap
from components.memory.alive_table import MOST_SENT, alive_grid
from components.memory.buffer_words import BufferLife
from components.memory.grid import TEXT_FILTER, number_column, size_column
from components.names import short_names
from components.tables import records

_LONGEST = 200


def alive_buffers(grid_id: str, device: AttemptMap, time: int, selected: int | None = None) -> html.Div:
    """Lay out the buffers that are alive at a time (ns) as a grid; a row's id is its block's rank on the device.

    The row of the buffer `selected` is marked. A click, enter or space sets `cellClicked`.
    """
    rows = alive(device, time)
    listed = rows.head(MOST_SENT)
    sent = buffer_records(listed, device.length, int(rows["size"].sum()))
    return alive_grid(grid_id, _COLUMNS, sent, left=len(rows) - len(listed), selected=selected, when="time")


def buffer_records(rows: pd.DataFrame, length: int, live_bytes: int) -> list[dict[str, Any]]:
    """Return rows of frame `allocations` as the grid takes them: times in ns to sort by, and beside them as words."""
    lives = [BufferLife(int(start), int(end), length) for start, end in zip(rows["start"], rows["end"], strict=True)]
    return records(
        rows[["block", "name", "dtype", "size", "start", "end"]].assign(
            short=short_names(rows["name"].tolist(), _LONGEST),
            share=rows["size"].astype("float64") / max(live_bytes, 1),
            lasts=rows["end"] - rows["start"],
            since=[life.since for life in lives],
            until=[life.until for life in lives],
            lasts_words=[life.lasts for life in lives],
        )
    )


def _time_column(title: str, field: str, words: str, width: int) -> dict[str, Any]:
    return number_column(title, width, f"params.data.{words}", "tsExact(params.value, 'ns')") | {"field": field}


_COLUMNS: list[dict[str, Any]] = [
    {
        "field": "short",
        "headerName": "name",
        "width": 100,
        "cellClass": "ts-mono",
        "pinned": "left",
        "tooltipField": "name",
        **TEXT_FILTER,
    },
    size_column("size", 86) | {"field": "size"},
    number_column("share", 74, "tsPercent(params.value)", "'of the bytes alive at this time'")
    | {"field": "share", "cellStyle": {"function": "tsShareBar(params.value)"}},
    {"field": "dtype", "headerName": "dtype", "width": 96, "tooltipField": "dtype"},
    _time_column("lifetime", "lasts", "lasts_words", 78),
    _time_column("since", "start", "since", 132),
    _time_column("until", "end", "until", 132),
]
