"""Grid of the blocks that are alive at a given step of a memory map, sorted by falling size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from dash import html

from analysis.memory.alive import alive
from analysis.memory.attempt_map import AttemptMap
from components.columns import GridColumn
from components.grid import marked_options, memory_grid
from components.memory.block_words import Life, marks
from components.names import short_names
from components.numbers import integer
from components.tables import frame_columns, records
from schema.table_columns import Format

MAX_SENT = 1_000
"""Maximum number of rows in the grid; a line below it counts the blocks that are left out."""
_MAX_NAME_LENGTH = 22
"""Characters of a shortened block name in the grid."""


def alive_table(grid_id: str, amap: AttemptMap, step: int, selected: int | None = None) -> html.Div:
    """Lay out the blocks that are alive at `step`, largest first, as a grid of at most 1,000 rows
    (MAX_SENT); a line below counts the rest.

    A row's id is the rank of its block in the attempt; the row of the block with rank `selected` is
    marked. A click, enter or space on a cell sets `cellClicked`.
    """
    rows = alive(amap, step)
    listed = rows.head(MAX_SENT)
    sent = alive_records(listed, step, _live_bytes(rows))
    left = len(rows) - len(listed)
    columns = [_narrow(column, sent) for column in _columns(listed)]
    return alive_grid(grid_id, columns, sent, left=left, selected=selected, when="step")


def alive_grid(
    grid_id: str,
    columns: Sequence[GridColumn],
    rows: list[dict[str, Any]],
    *,
    left: int,
    selected: int | None,
    when: str,
) -> html.Div:
    """Lay out rows as a grid with a line below it that counts the rows left out.

    `left` is the number of rows left out, `selected` the rank of the block whose row is marked, and
    `when` the word for a point in time in the text of an empty grid: `step` or `time`.
    """
    sentence = f"{integer(left)} smaller one{' is' if left == 1 else 's are'} not listed."
    more = [html.P(sentence, className="ts-panel-hint")] if left else []
    grid = memory_grid(
        grid_id,
        columns,
        len(rows),
        marked_options(f"No block is alive at this {when}.", selected),
        rowData=rows,
        getRowId="params.data.block.toString()",
    )
    return html.Div([grid, *more])


def alive_records(rows: pd.DataFrame, step: int, live_bytes: int) -> list[dict[str, Any]]:
    """Convert rows of frame `allocations` to row data for the grid, a dict per row.

    Adds to each block its share (0 to 1) of `live_bytes`, since when it has been alive at `step`,
    and its marks. Constants and failed blocks have no share, because `live_bytes` does not include
    them.
    """
    counted = _in_arena(rows)
    share = np.where(counted, rows["size"].to_numpy(np.float64) / max(live_bytes, 1), np.nan)
    named = list(rows[_FIELDS].itertuples(index=False))
    lives = [Life.of(row) for row in named]
    words = {
        "steps": [life.steps for life in lives],
        "since": [life.since(step) for life in lives],
        "marks": [", ".join(marks(row)) for row in named],
    }
    shown = rows[["block", "name", "op_type", "kind", "dtype", "address", "size", "start"]]
    if _has_origins(rows):
        shown = shown.assign(origin=rows["origin"])
    short = short_names(shown["name"].tolist(), _MAX_NAME_LENGTH)
    return records(shown.assign(short=short, share=pd.array(share, dtype="Float64"), **words))


_FIELDS = ["kind", "plan", "status", "hold", "wraps", "start", "end"]


def _in_arena(rows: pd.DataFrame) -> np.ndarray:
    """Compute the mask of rows that count as live bytes: neither constants nor failed blocks."""
    return np.asarray(
        (rows["kind"] != "constant").to_numpy(bool) & (rows["status"] != "failed").to_numpy(bool)
    )


def _live_bytes(rows: pd.DataFrame) -> int:
    return int(rows["size"].to_numpy(np.int64)[_in_arena(rows)].sum())


def _has_origins(rows: pd.DataFrame) -> bool:
    return "origin" in rows and bool(rows["origin"].notna().any())


def _columns(rows: pd.DataFrame) -> list[GridColumn]:
    frame = {column.name: column.without_filter() for column in frame_columns("allocations", rows)}
    columns = []
    for column in _COLUMNS:
        if isinstance(column, GridColumn):
            columns.append(column)
        elif column in frame and (column != "origin" or _has_origins(rows)):
            columns.append(replace(frame[column], **_OF_FRAME[column]))
    # Most attempts have no marked block, and an empty column would take width from other columns.
    is_plain = not any(marks(row) for row in rows[_FIELDS].itertuples(index=False))
    return [
        replace(column, is_hidden=is_plain) if column is _MARKS else column for column in columns
    ]


def _narrow(column: GridColumn, rows: list[dict[str, Any]]) -> GridColumn:
    """Return a column of _SHORT_TEXTS as wide as its longest text needs, other columns as they
    are: beside the map there is no room for free space.
    """
    if column.name not in _SHORT_TEXTS or not rows:
        return column
    longest = max(len(column.label), *(len(str(row[column.name])) for row in rows))
    return replace(column, width=min(column.width, round(_CHARACTER_PX * longest) + _PADDING_PX))


_SHORT_TEXTS = frozenset({"since", "steps"})
_CHARACTER_PX, _PADDING_PX = 7.2, 16
_MARKS = GridColumn(
    "marks",
    "marks",
    92,
    help="held, wraps around the loop, failed, shared storage, not placed, inner plan",
    marks={"ts-trouble": "params.data.marks == 'failed'"},
    tooltip_field="marks",
)
_COLUMNS: tuple[GridColumn | str, ...] = (
    GridColumn(
        "short", "name", 180, is_mono=True, pinned="left", tooltip_field="name", is_filtered=True
    ),
    "size",
    GridColumn(
        "share",
        "share of alive",
        96,
        Format.SHARE,
        tooltip="'of the bytes alive at this step'",
        bar="params.value",
    ),
    GridColumn("since", "since", 104, help="the step that it has been alive since"),
    _MARKS,
    "address",
    GridColumn("steps", "steps", 110, help="alive in these steps, both ends included"),
    "kind",
    "op_type",
    "dtype",
    "origin",
)
_OF_FRAME: dict[str, dict[str, Any]] = {
    "size": {"width": 80, "tooltip": None},
    "address": {"width": 92, "format": Format.ADDRESS, "tooltip": None},
    "kind": {"width": 88},
    "op_type": {"width": 110},
    "dtype": {"width": 72},
    "origin": {"width": 190},
}
"""Column of frame `allocations` -> fields that differ from the column in the frame's own table."""
