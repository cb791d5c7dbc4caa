"""Grids of the time of devices: windows with their exact times, and the longest gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import dash_ag_grid as dag
import pandas as pd
from dash import html
from dash.development.base_component import Component

from components.columns import GridColumn
from components.grid import marked_options, memory_grid
from components.hints import left_out_hint
from components.kernels.device_rows import window_labels
from components.kernels.device_words import REASON_LABELS
from components.numbers import shorten
from components.tables import records
from schema.table_columns import Format

MAX_SENT = 5_000
"""Maximum number of windows that are listed; a note gives the number of the rest."""
_MAX_NAME_CHARACTERS = 200
_time = partial(GridColumn, width=84, format=Format.DURATION)
_SPLIT_COLUMNS = (
    _time("total", "time", help="length of the window"),
    GridColumn(
        "busy_share",
        "busy",
        72,
        Format.SHARE,
        help="time with any execution on any stream, of the window",
        bar="params.value",
    ),
    _time(
        "idle",
        "idle",
        help="no execution; with compute and both exposed times it sums to the window",
    ),
    _time("compute", "compute", help="time with an execution that computes"),
    _time(
        "communication_exposed",
        "comm. exposed",
        width=124,
        help="communication while nothing computes",
    ),
    _time(
        "copy_exposed",
        "copies exposed",
        width=128,
        help="copies while nothing computes or communicates",
    ),
    _time(
        "communication_overlapped",
        "comm. hidden",
        width=116,
        help="communication while something computes, part of compute",
    ),
)
TIMES_COLUMNS = (
    GridColumn("label", "window", 176, pinned="left", tooltip_field="label"),
    *_SPLIT_COLUMNS,
)
"""Columns of the grid of windows."""
GAP_COLUMNS = (
    _time("duration", "gap", pinned="left", help="length of the gap"),
    GridColumn("device", "device", 66),
    GridColumn("reason", "reason", 132, help="reason of the largest part"),
    GridColumn(
        "next",
        "before",
        150,
        grows=2,
        is_mono=True,
        help="execution that ends the gap",
        tooltip_field="next",
    ),
    GridColumn(
        "op",
        "operator",
        110,
        grows=1,
        is_mono=True,
        help="innermost operator of the launching thread in the middle of the gap",
        tooltip_field="op",
    ),
    GridColumn(
        "python",
        "Python",
        110,
        grows=1,
        is_mono=True,
        help="innermost Python function there",
        tooltip_field="python",
    ),
    _time("start", "at", help="begin of the gap, from the begin of the trace"),
)
"""Columns of the grid of gaps."""


def times_records(times: pd.DataFrame) -> list[dict[str, Any]]:
    """Convert the first 5,000 rows (MAX_SENT) of frame `device_times` for the grid."""
    listed = times.head(MAX_SENT)
    share = (listed["busy"] / listed["total"]).where(listed["total"] > 0)
    names = [column.name for column in _SPLIT_COLUMNS]
    rows = records(listed.assign(busy_share=share.astype("float64"))[names])
    labels = window_labels(listed)
    return [row | {"label": label} for row, label in zip(rows, labels, strict=True)]


def gap_records(gaps: pd.DataFrame) -> list[dict[str, Any]]:
    """Convert rows of frame `idle_gaps` for the grid, the longest of all devices first."""
    rows = records(longest_first(gaps)[[column.name for column in GAP_COLUMNS]])
    return [
        row
        | {
            "reason": REASON_LABELS[str(row["reason"])],
            **{name: _short(row[name]) for name in ("next", "op", "python")},
        }
        for row in rows
    ]


def longest_first(gaps: pd.DataFrame) -> pd.DataFrame:
    """Order rows of frame `idle_gaps` as the grid lists them."""
    return gaps.sort_values("duration", ascending=False, kind="stable", ignore_index=True)


def gap_columns(gaps: pd.DataFrame) -> list[GridColumn]:
    """Build the columns of the grid of gaps; columns that say the same in every row are hidden:
    the device of a trace of one, operators and Python functions that are unknown in all gaps.
    """
    hidden = {name for name in ("op", "python") if gaps[name].isna().all()}
    hidden |= {"device"} if gaps["device"].nunique() < 2 else set()
    return [replace(column, is_hidden=column.name in hidden) for column in GAP_COLUMNS]


def times_grid(grid_id: str, times: pd.DataFrame, marked: int | None) -> Component:
    """Build the grid of windows; row `marked` is marked. A click, Enter or Space sets
    `cellClicked`.
    """
    grid = _grid(grid_id, TIMES_COLUMNS, times_records(times), times_options(marked))
    return html.Div(
        [grid, *left_out_hint(len(times) - MAX_SENT, "step", " not listed: the export has all.")]
    )


def gaps_grid(grid_id: str, gaps: pd.DataFrame, marked: int | None) -> Component:
    """Build the grid of gaps; row `marked` is marked. A click, Enter or Space sets `cellClicked`."""
    return html.Div(_grid(grid_id, gap_columns(gaps), gap_records(gaps), gap_options(marked)))


def times_options(marked: int | None) -> dict[str, Any]:
    """Build the `dashGridOptions` of the grid of windows, which mark a row."""
    return marked_options("No execution of a device has a known time.", marked)


def gap_options(marked: int | None) -> dict[str, Any]:
    """Build the `dashGridOptions` of the grid of gaps, which mark a row."""
    return marked_options("No gap between executions.", marked)


def _grid(
    grid_id: str,
    columns: Sequence[GridColumn],
    rows: list[dict[str, Any]],
    grid_options: dict[str, Any],
) -> dag.AgGrid:
    return memory_grid(
        grid_id,
        columns,
        len(rows),
        grid_options,
        rowData=rows,
        getRowId="params.data.row",
    )


def _short(name: object) -> str | None:
    return shorten(name, _MAX_NAME_CHARACTERS) if isinstance(name, str) and name else None
