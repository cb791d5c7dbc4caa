"""The grid of kernels by program: number of runs, durations and rates."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from dash import html
from dash.development.base_component import Component

from analysis.selection import has_name
from components.columns import GridColumn
from components.grid import marked_options, memory_grid, row_target
from components.hints import left_out_hint
from components.kernels.coloured import styled_pieces
from components.kernels.words import why_missing
from components.numbers import shorten
from components.tables import records
from schema.table_columns import Format

MAX_SENT = 5_000
"""Kernels that are listed, by falling total time; a note gives the number of further kernels."""

_MAX_MARKED = 50
"""Rows of the selected kernel that are marked at most."""
_MAX_NAME_CHARACTERS = 80
Chosen = tuple[str, int | None]
"""Name and program of a kernel; a program of None matches every program."""


def kernels_grid(grid_id: str, table: pd.DataFrame, selected: Chosen | None) -> Component:
    """Build a grid from the first 5,000 rows (MAX_SENT) of `analysis.kernels.kernel_table`, with a
    line below it that counts further rows.

    A row's id is its position in `table`, from 0. The rows of the kernel `selected` are marked. A
    click, Enter or Space sets `cellClicked`.
    """
    listed = table.head(MAX_SENT)
    grid = memory_grid(
        grid_id,
        kernel_columns(listed),
        len(listed),
        grid_options(listed, selected),
        rowData=kernel_records(listed),
        getRowId="params.data.row",
        scrollTo=scroll_target(listed, selected),
    )
    return html.Div(
        [
            grid,
            *left_out_hint(
                len(table) - len(listed),
                "kernel",
                " with less time not listed: the export has all.",
            ),
        ]
    )


def grid_options(table: pd.DataFrame, selected: Chosen | None) -> dict[str, Any]:
    """Build the grid's `dashGridOptions`, which mark at most the first 50 rows of the kernel
    `selected`, or no row if it is None.

    When a callback sets only these, the marks of a grid on the page move.
    """
    marked = _selected_rows(table, selected)[:_MAX_MARKED]
    return marked_options("No kernel in the selection.", *marked)


def scroll_target(table: pd.DataFrame, selected: Chosen | None) -> dict[str, Any] | None:
    """Build the `scrollTo` value that scrolls to the first row of the selected kernel.

    Returns None if no kernel is selected or it is not listed.
    """
    rows = [row for row in _selected_rows(table, selected) if row < MAX_SENT]
    return row_target(rows[0] if rows else None)


def _selected_rows(table: pd.DataFrame, selected: Chosen | None) -> list[int]:
    """Find the positions (from 0) of the selected kernel's rows; empty if no kernel is selected."""
    if selected is None:
        return []
    name, program = selected
    mask = pd.Series(has_name(table["name"], name), index=table.index)
    if program is not None:
        mask &= (table["program"] == program).fillna(False).astype(bool)
    return [int(row) for row in np.flatnonzero(mask.to_numpy(bool))]


def kernel_records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Convert rows to a dict each for the grid, with the numbers of its columns, `pieces` of the
    coloured name, `name`, and `why`, the reason for missing FLOP/s, if there is one.
    """
    rows = records(table[["name", "colours", "copy", "missing", *_NUMBERS]])
    # Colours refer to positions in the name as in the file, before control characters are removed.
    return [
        row | _words(row, name) for row, name in zip(rows, table["name"].astype("str"), strict=True)
    ]


def _words(row: dict[str, Any], name: str) -> dict[str, Any]:
    colours = str(row.pop("colours") or "")
    copy = bool(row.pop("copy"))
    why = why_missing(str(row.pop("missing") or ""), copy)
    cells = {
        "pieces": styled_pieces(name, colours, _MAX_NAME_CHARACTERS),
        "name": shorten(name, _MAX_TOOLTIP_CHARACTERS),
    }
    return cells | ({"why": why} if why else {})


def kernel_columns(table: pd.DataFrame) -> list[GridColumn]:
    """Build the columns of the grid, the name first; rates without any number in `table` are
    hidden.
    """
    hidden = {name for name in _RATES if len(table) and not table[name].notna().any()}
    return [_NAMED, *(replace(column, is_hidden=column.name in hidden) for column in _COLUMNS)]


_MAX_TOOLTIP_CHARACTERS = 2_000
"""Characters of a kernel's name in the tooltip at most."""
_NAMED = GridColumn(
    "name",
    "kernel",
    help="colours show the kind of axis of each number of a name",
    width=230,
    pinned="left",
    is_mono=True,
    tooltip_field="name",
    is_filtered=True,
    more={"cellRenderer": "KernelName"},
)
_time = partial(GridColumn, width=78, format=Format.DURATION)


def _rate(name: str, label: str, unit: str, meaning: str, width: int = 104) -> GridColumn:
    exact = f"tsWhole(params.value, '{unit}', params.data.why)"
    return GridColumn(name, label, width, Format.RATE, unit=unit, tooltip=exact, help=meaning)


_COLUMNS = (
    GridColumn(
        "count",
        "runs",
        64,
        Format.WHOLE,
        tooltip="tsExact(params.value, '')",
        help="number of runs",
    ),
    _time("total", "total", help="summed time of all runs"),
    GridColumn(
        "share",
        "share",
        74,
        Format.SHARE,
        tooltip="'of the time of all kernels and copies'",
        bar="params.value",
    ),
    _time("mean", "mean", help="mean time of a run"),
    _time("p50", "p50", help="half of the runs take no longer"),
    _time("p95", "p95", help="95 % of the runs take no longer"),
    _time("first", "first", help="time of the first run"),
    _time("steady", "steady", help="median time of all later runs"),
    GridColumn(
        "first_ratio",
        "first / later",
        92,
        Format.SIGNIFICANT,
        shown="tsTimes(params.value)",
        tooltip="'first run over the median of the later ones'",
        help="first run over the median of the later ones",
    ),
    _rate(
        "flops",
        "FLOP/s",
        "FLOP/s",
        "operations over the time of the runs whose operations are known",
        116,
    ),
    _rate(
        "memory_rate",
        "bandwidth",
        "B/s",
        "bytes of its buffers, each once, over time; of a copy what it moves",
    ),
    _rate("moved_rate", "loads, stores", "B/s", "bytes loaded and stored, each time, over time"),
    GridColumn(
        "intensity",
        "FLOP/B",
        72,
        Format.SIGNIFICANT,
        tooltip="params.data.why || null",
        help="arithmetic intensity: operations per byte of its buffers",
    ),
    GridColumn(
        "tracks",
        "devices",
        110,
        grows=1,
        help="where it ran",
        tooltip_field="tracks",
        is_filtered=True,
    ),
)
_RATES = ("flops", "memory_rate", "moved_rate", "intensity")
_NUMBERS = tuple(column.name for column in _COLUMNS)
