"""Hardware counters: a grid of executions with the sums of their counters, and bars per hardware
instance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from dash import html
from dash.development.base_component import Component

from components.columns import GridColumn
from components.figure import Figure
from components.graph import empty_figure, figure
from components.grid import marked_options, memory_grid, row_condition
from components.hints import left_out_hint
from components.index_axis import index_axis
from components.numbers import integer, plain
from components.tables import records
from components.theme import palette
from schema.table_columns import Format

MAX_SENT = 2_000
"""Executions that the grid lists at most."""
MAX_INSTANCES = 1_000
"""Hardware instances that are drawn at most."""

_RUN_COLUMNS = ("kernel_row", "track", "kernel", "name", "run", "duration")
"""Columns of a counter table that are not counters."""
_HEIGHT = 220
_PADDING, _DIGIT = 26, 8


def counters_grid(
    grid_id: str, rows: pd.DataFrame, selected: int | None, counter: str = ""
) -> Component:
    """Build a grid from the first 2,000 rows (MAX_SENT) of
    `analysis.kernels.counters.counter_table`, with a line below it that counts further rows.

    A row's id is the execution's position in frame `kernels`. On a click, Enter or Space, `colId`
    in `cellClicked` is the counter's name. The row with the id `selected` is marked, and in it the
    cell of `counter`. When there are no rows, the grid states that no execution was counted.
    """
    listed = rows.head(MAX_SENT)
    counters = counter_names(rows)
    more = left_out_hint(len(rows) - len(listed), "execution")
    mark = row_condition(selected)
    grid = memory_grid(
        grid_id,
        [
            *_run_columns(listed),
            *(_counter_column(at, listed[name], mark, counter) for at, name in enumerate(counters)),
        ],
        len(listed),
        marked_options("No execution was counted.", selected),
        rowData=_records(listed, counters),
        getRowId="params.data.row",
    )
    return html.Div([grid, *more])


def counter_names(rows: pd.DataFrame) -> list[str]:
    """List the names of the counters of a counter table: all columns except those about the
    execution, in their order.
    """
    return [str(name) for name in rows.columns if name not in _RUN_COLUMNS]


def _records(rows: pd.DataFrame, counters: list[str]) -> list[dict[str, Any]]:
    """Convert the rows to a dict each for the grid, with counters in fields `counter0`, `counter1`,
    ...

    AG Grid reads a dot in a field name as a path, and names of counters can contain dots.
    """
    fields = {name: f"counter{at}" for at, name in enumerate(counters)}
    sent = records(
        rows[["kernel_row", "track", "name", "run", "duration", *counters]].rename(columns=fields)
    )
    return [row | {"row": str(row["kernel_row"])} for row in sent]


def _run_columns(rows: pd.DataFrame) -> list[GridColumn]:
    several = len(rows) > 0 and rows["track"].nunique() > 1
    return [
        GridColumn(
            "name",
            "kernel",
            190,
            pinned="left",
            is_mono=True,
            tooltip_field="name",
            is_filtered=True,
        ),
        GridColumn("run", "run", 54, Format.WHOLE, tooltip="'which run of its name on its device'"),
        GridColumn("track", "device", 80, tooltip_field="track", is_hidden=not several),
        GridColumn("duration", "time", 80, Format.DURATION),
    ]


def _counter_column(at: int, values: pd.Series, mark: str, chosen: str) -> GridColumn:
    name = str(values.name)
    most = len(integer(values.max())) if values.notna().any() else 0
    return GridColumn(
        f"counter{at}",
        name,
        min(_PADDING + _DIGIT * max(len(name), most), 240),
        Format.WHOLE,
        tooltip="'click for every instance'",
        help=f"{name}: sum over its instances",
        marks={"ts-cell-shown": mark} if name == chosen else {},
        # A click must report the name of the counter, not the numbered field.
        more={"colId": name},
    )


def counter_instances(values: pd.Series, name: str, theme: str) -> Figure:
    """Draw a counter's values per hardware instance as bars, at most the first 1,000
    (MAX_INSTANCES).

    `values` has the instance as its index; if it is empty, the figure shows only a sentence.
    """
    if not len(values):
        return empty_figure("The capture has no instances of this counter.", theme, _HEIGHT)
    shown = values.head(MAX_INSTANCES)
    rest = (
        f", the first {integer(len(shown))} of {integer(len(values))}"
        if len(shown) < len(values)
        else ""
    )
    trace = {
        "type": "bar",
        "x": shown.index.to_numpy(np.float64),
        "y": shown.to_numpy(np.float64),
        "text": [f"instance {integer(at)}: {integer(value)}" for at, value in shown.items()],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
        "marker": {"color": palette(theme).perf},
    }
    layout = {
        "height": _HEIGHT,
        "margin": {"l": 64, "r": 16, "t": 12, "b": 40},
        "bargap": 0.15,
        "showlegend": False,
        "xaxis": index_axis(
            f"hardware instance{rest}", int(shown.index.min()), int(shown.index.max())
        ),
        "yaxis": {"title": {"text": plain(name, 40)}, "rangemode": "tozero", "tickformat": "~s"},
    }
    return figure([trace], layout, theme)
