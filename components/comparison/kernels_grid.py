"""The grid of kernels of two profiles, those first that change the time of a step most."""

from __future__ import annotations

from typing import Any

import dash_ag_grid as dag
import pandas as pd

from components.memory.grid import CHOSEN_BY_KEY, TEXT_FILTER, memory_grid, number_column, options
from components.numbers import tame
from components.tables import records
from components.verdicts import verdict_words

MOST_SENT = 5_000
"""Kernels that are listed; the export has every one."""
GRID = "compare-kernels-grid"


def kernels_grid(changes: pd.DataFrame, chosen: str) -> dag.AgGrid:
    """Lay out rows of `kernel_changes`; a row's id is its position. A click, enter or space sets `cellClicked`."""
    listed = changes.head(MOST_SENT)
    return memory_grid(
        GRID,
        _COLUMNS,
        len(listed),
        grid_options(changes, chosen),
        rowData=kernel_records(listed),
        getRowId="params.data.row",
        eventListeners={"cellKeyDown": [CHOSEN_BY_KEY]},
    )


def grid_options(changes: pd.DataFrame, chosen: str) -> dict[str, Any]:
    """Return the `dashGridOptions` of the grid: set alone, they move the mark of the chosen kernel."""
    rows = (changes["name"] == chosen).to_numpy(bool).nonzero()[0].tolist()
    marked = " || ".join(f"params.node.id == '{row}'" for row in rows[:20])
    return options("No kernel on either side.") | {"rowClassRules": {"ts-row-shown": marked or "false"}}


def kernel_records(changes: pd.DataFrame) -> list[dict[str, Any]]:
    """Return rows of `kernel_changes` as the grid takes them."""
    shown = changes.drop(columns=["base", "new"]).assign(
        label=[
            str(name) if pd.isna(one) or one == name else f"{tame(str(one))} → {name}"
            for name, one in zip(changes["name"], changes["base"], strict=True)
        ],
        relative=changes["steady_new"] / changes["steady_base"] - 1,
        verdict=[verdict_words(str(word)) for word in changes["verdict"]],
    )
    return records(shown)


def _time(field: str, title: str, meaning: str, width: int = 102) -> dict[str, Any]:
    column = number_column(title, width, "tsDuration(params.value)", "tsWhole(params.value, 'ns')")
    return column | {"field": field, "headerTooltip": meaning}


_COLUMNS: tuple[dict[str, Any], ...] = (
    {
        "field": "label",
        "headerName": "kernel",
        "width": 340,
        "pinned": "left",
        "cellClass": "ts-mono",
        "tooltipField": "label",
        **TEXT_FILTER,
    },
    _time("change", "adds to a step", "time of a step, new - base"),
    _time("steady_base", "steady base", "median time of a run without the first one"),
    _time("steady_new", "steady new", "median time of a run without the first one"),
    number_column("change", 82, "tsPercent(params.value)", "null")
    | {"field": "relative", "headerTooltip": "of the steady time"},
    {"field": "verdict", "headerName": "verdict", "minWidth": 120, "flex": 1, "tooltipField": "reason", **TEXT_FILTER},
    _time("step_base", "step base", "time of all its runs in a step"),
    _time("step_new", "step new", "time of all its runs in a step"),
    number_column("runs base", 82, "tsInteger(params.value)", "null") | {"field": "runs_base"},
    number_column("runs new", 82, "tsInteger(params.value)", "null") | {"field": "runs_new"},
    {
        "field": "how",
        "headerName": "paired by",
        "width": 96,
        "headerTooltip": "name, source text, or operations and runs",
    },
)
