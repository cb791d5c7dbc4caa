"""Grid of the kernels of two profiles, sorted by their effect on the time of a step."""

from __future__ import annotations

from functools import partial
from typing import Any

import dash_ag_grid as dag
import pandas as pd

from components.columns import NO_TOOLTIP, GridColumn
from components.grid import marked_options, memory_grid
from components.numbers import tame
from components.tables import records
from components.verdicts import verdict_words
from schema.table_columns import Format

MAX_SENT = 5_000
"""Maximum number of kernels in the grid; the export has all of them."""
GRID = "compare-kernels-grid"
"""Component id of the grid."""


def kernels_grid(changes: pd.DataFrame, chosen: str) -> dag.AgGrid:
    """Lay out the first 5,000 rows (MAX_SENT) of `kernel_changes` as a grid; rows of the kernel
    named `chosen` are marked.

    A row's id is its position from 0. A click, enter or space on a cell sets `cellClicked`. When
    there are no rows, the grid states that neither side has a kernel.
    """
    listed = changes.head(MAX_SENT)
    return memory_grid(
        GRID,
        _COLUMNS,
        len(listed),
        grid_options(changes, chosen),
        rowData=kernel_records(listed),
        getRowId="params.data.row",
    )


def grid_options(changes: pd.DataFrame, chosen: str) -> dict[str, Any]:
    """Build the `dashGridOptions` of the grid that mark the first 20 rows of the kernel named
    `chosen`.

    A callback that sets only this property moves the marks of a grid on the page.
    """
    rows = (changes["name"] == chosen).to_numpy(bool).nonzero()[0].tolist()
    return marked_options("No kernel on either side.", *rows[:20])


def kernel_records(changes: pd.DataFrame) -> list[dict[str, Any]]:
    """Convert rows of `kernel_changes` to row data for the grid: a dict per row, with the fields of
    the grid's columns and the position `row`.
    """
    shown = changes.drop(columns=["base", "new"]).assign(
        label=[
            str(name) if pd.isna(base) or base == name else f"{tame(str(base))} → {name}"
            for name, base in zip(changes["name"], changes["base"], strict=True)
        ],
        relative=changes["steady_new"] / changes["steady_base"] - 1,
        verdict=[verdict_words(str(word)) for word in changes["verdict"]],
    )
    return records(shown)


_time = partial(GridColumn, width=102, format=Format.DURATION)
_count = partial(GridColumn, width=82, format=Format.WHOLE, tooltip=NO_TOOLTIP)
_COLUMNS = (
    GridColumn(
        "label", "kernel", 340, pinned="left", is_mono=True, tooltip_field="label", is_filtered=True
    ),
    _time(
        "change",
        "adds to a step",
        shown="tsSigned(params.value, tsDuration(params.value))",
        help="time of a step, new - base",
    ),
    _time("steady_base", "steady base", help="median time of a run without the first one"),
    _time("steady_new", "steady new", help="median time of a run without the first one"),
    GridColumn(
        "relative",
        "change vs base",
        124,
        Format.SHARE,
        shown="tsSigned(params.value, tsPercent(params.value))",
        tooltip=NO_TOOLTIP,
        help="of the steady time",
    ),
    GridColumn("verdict", "verdict", 120, grows=1, tooltip_field="reason", is_filtered=True),
    _time(
        "step_base", "step base", help="sum of its runs in counted steps / number of these steps"
    ),
    _time("step_new", "step new", help="sum of its runs in counted steps / number of these steps"),
    _count("runs_base", "runs base"),
    _count("runs_new", "runs new"),
    GridColumn("how", "paired by", 96, help="name, source text, or operations and runs"),
)
