"""Grid of the buffers of a profile that are alive at a given time, sorted by falling size."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
from dash import html

from analysis.memory.alive import alive
from analysis.memory.attempt_map import AttemptMap
from components.columns import GridColumn
from components.memory.alive_table import MAX_SENT, alive_grid
from components.memory.buffer_words import BufferLife
from components.memory.origin_words import origin_texts
from components.names import short_names
from components.tables import records
from schema.table_columns import Format

_MAX_NAME_LENGTH = 200
"""Characters of a shortened buffer name in the grid."""


def alive_buffers(
    grid_id: str, device: AttemptMap, time: int, origins: pd.DataFrame, selected: int | None = None
) -> html.Div:
    """Lay out the buffers that are alive at `time` (ns), largest first, as a grid of at most 1,000
    rows (MAX_SENT); a line below counts the rest.

    `device` is the memory map of one device, `origins` is frame `buffer_origins`. A row's id is the
    rank of its buffer on the device; the row of the buffer with rank `selected` is marked. A click,
    enter or space on a cell sets `cellClicked`.
    """
    rows = alive(device, time)
    listed = rows.head(MAX_SENT)
    sent = buffer_records(listed, device.length, int(rows["size"].sum()), origins)
    return alive_grid(
        grid_id, BUFFER_COLUMNS, sent, left=len(rows) - len(listed), selected=selected, when="time"
    )


def buffer_records(
    rows: pd.DataFrame, length: int, live_bytes: int, origins: pd.DataFrame
) -> list[dict[str, Any]]:
    """Convert rows of frame `allocations` to row data for the grid, a dict per row with the fields
    of BUFFER_COLUMNS.

    `length` is the length of the capture (ns) and `live_bytes` the sum of bytes alive, which shares
    refer to. Each time appears twice: in ns for sorting, and as text for display.
    """
    came = rows[["attempt", "block"]].merge(origins, how="left", on=["attempt", "block"])
    lives = [
        BufferLife(int(start), int(end), length)
        for start, end in zip(rows["start"], rows["end"], strict=True)
    ]
    return records(
        rows[["block", "name", "dtype", "size", "start", "end"]].assign(
            short=short_names(rows["name"].tolist(), _MAX_NAME_LENGTH),
            share=rows["size"].astype("float64") / max(live_bytes, 1),
            lasts=rows["end"] - rows["start"],
            since=[life.since for life in lives],
            until=[life.until for life in lives],
            lasts_words=[life.lasts for life in lives],
            origin=origin_texts(came),
        )
    )


_time = partial(GridColumn, format=Format.DURATION, tooltip="tsExact(params.value, 'ns')")
BUFFER_COLUMNS = (
    GridColumn(
        "short", "name", 100, is_mono=True, pinned="left", tooltip_field="name", is_filtered=True
    ),
    GridColumn("size", "size", 86, Format.SIZE),
    GridColumn(
        "share",
        "of alive",
        74,
        Format.SHARE,
        tooltip="'of the bytes alive at this time'",
        bar="params.value",
    ),
    GridColumn(
        "origin",
        "allocated in",
        160,
        help="the innermost traced range around its allocation, and the line of the program that asked for it",
        tooltip_field="origin",
        is_filtered=True,
    ),
    GridColumn("dtype", "dtype", 96, tooltip_field="dtype"),
    _time("lasts", "lifetime", width=78, text_field="lasts_words"),
    _time("start", "since", width=132, text_field="since"),
    _time("end", "until", width=132, text_field="until"),
)
