"""The tables of a run under its selection; page, export and snapshot show the same rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pandas as pd

from analysis.timeline.rows import SYSTEM
from app.views.aie.panels import selected_activity, selected_iterations, selected_kernels
from app.views.kernels.panels import kernel_rows
from app.views.kernels.tables import PROFILE_TABLES, profile_table
from app.views.memory.tables import table_of_memory
from app.views.state import TABLES, RunState
from services.runs import RunData

_OF_KERNELS = ("kernel_totals", "kernels")


def tables_of(data: RunData) -> list[str]:
    """Return the names of the tables that the run has, in order: of a profile its kernels lead."""
    names = [name for name in TABLES if name == "diagnostics" or name in data.frames]
    if data.profile is None:
        return names
    profile = data.profile
    shown = [*_OF_KERNELS] if len(profile.kernels) else []
    shown += [name for name in PROFILE_TABLES if len(profile.frame(name))]
    return [*shown, *(name for name in names if name not in (*_OF_KERNELS, *PROFILE_TABLES))]


def shown_table(data: RunData, state: RunState) -> str:
    """Return the name of the table to show: the chosen one where the run has it, else its first."""
    names = tables_of(data)
    return state.table if state.table in names else names[0]


def table_frame(data: RunData, state: RunState, name: str) -> pd.DataFrame:
    """Return the rows of a table under the selection."""
    if name in _TABLES:
        return _TABLES[name](data, state)
    if data.profile is not None and name in PROFILE_TABLES:
        return profile_table(data.profile, state, name)
    if data.memory is not None and name != "diagnostics":
        return table_of_memory(data.memory, state, name)
    return data.diagnostics


def _kernels(data: RunData, state: RunState) -> pd.DataFrame:
    return selected_kernels(data, state.selection)


def _iterations(data: RunData, state: RunState) -> pd.DataFrame:
    rows = selected_iterations(data, state.selection)
    return rows.iloc[(rows["track"] != SYSTEM).argsort(kind="stable")]


def _activity(data: RunData, state: RunState) -> pd.DataFrame:
    rows = selected_activity(data, state.selection)
    return rows if state.selection.track is None else rows[rows["track"] == state.selection.track]


_TABLES: Mapping[str, Callable[[RunData, RunState], pd.DataFrame]] = {
    "kernels": _kernels,
    "kernel_totals": kernel_rows,
    "iterations": _iterations,
    "activity": _activity,
}
