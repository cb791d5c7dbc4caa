"""The tables of a run under its selection; page, export and snapshot show the same rows."""

from __future__ import annotations

import pandas as pd

from app.memory_views import table_of_memory
from app.run_data import RunData
from app.run_views import selected_activity, selected_iterations, selected_kernels
from app.state import TABLES, RunState
from components.timeline_rows import SYSTEM


def tables_of(data: RunData) -> list[str]:
    """Return the names of the tables that the run has, in order."""
    return [name for name in TABLES if name == "diagnostics" or name in data.frames]


def shown_table(data: RunData, state: RunState) -> str:
    """Return the name of the table to show: the chosen one where the run has it, else its first."""
    names = tables_of(data)
    return state.table if state.table in names else names[0]


def table_frame(data: RunData, state: RunState, name: str) -> pd.DataFrame:
    """Return the rows of a table under the selection."""
    if name == "kernels":
        return selected_kernels(data, state.selection)
    if name == "iterations":
        rows = selected_iterations(data, state.selection)
        return rows.iloc[(rows["track"] != SYSTEM).argsort(kind="stable")]
    if name == "activity":
        rows = selected_activity(data, state.selection)
        return rows if state.selection.track is None else rows[rows["track"] == state.selection.track]
    if data.memory is not None and name != "diagnostics":
        return table_of_memory(data.memory, state, name)
    return data.diagnostics
