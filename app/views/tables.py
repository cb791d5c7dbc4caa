"""The tables of a run under its selection; page, export and snapshot show the same rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from analysis.selection import Selection, has_name
from analysis.timeline.rows import SYSTEM
from app.views.kernels.rows import kernel_rows
from app.views.memory.tables import (
    allocation_rows,
    attempt_rows,
    occupancy_rows,
    step_rows,
    use_rows,
)
from app.views.selected import selected_activity, selected_iterations, selected_kernels
from app.views.state import TABLES, RunState
from schema.designs import DESIGN_FRAMES
from schema.frames import conform
from schema.predictions import PREDICTION_FRAMES
from schema.results import RESULT_SAMPLES, RESULTS
from services.run.capabilities import Capability
from services.run.data import RunData

_ONLY_WITH_ROWS = ("launches", "programs", "counters", "markers", "contexts")
"""Frames that a source writes even if they are empty; they are listed only if they have rows."""


def table_names(data: RunData) -> list[str]:
    """Return the names of the run's tables, in the order of the schema; some tables are listed only
    if they have rows.

    `diagnostics` is always listed.
    """
    return [
        name
        for name in TABLES
        if name == "diagnostics" or (name in data.frames and _is_listed(data, name))
    ]


def _is_listed(data: RunData, name: str) -> bool:
    if name in ("training_steps", "step_times"):
        # Steps are the windows between markers, so there must be two markers.
        return len(data.profile.frame("markers")) > 1
    if name in ("kernel_totals", "kernels") and data.can(Capability.NAMED_KERNELS):
        return len(data.kernels) > 0
    return name not in _ONLY_WITH_ROWS or len(data.profile.frame(name)) > 0


def shown_table(data: RunData, state: RunState) -> str:
    """Return the name of the displayed table: the chosen table, or the first if the run does not
    have it.
    """
    names = table_names(data)
    return state.table if state.table in names else names[0]


def table_frame(data: RunData, state: RunState, name: str) -> pd.DataFrame:
    """Return the rows of table `name` that the selection in the state covers."""
    return _ROWS[name](data, state)


def _kernels(data: RunData, state: RunState) -> pd.DataFrame:
    return selected_kernels(data, state.selection)


def _iterations(data: RunData, state: RunState) -> pd.DataFrame:
    rows = selected_iterations(data, state.selection)
    # False sorts before True, so the rows of the system come first; the stable sort keeps all other
    # rows in order.
    return rows.iloc[np.argsort(rows["track"].array != SYSTEM, kind="stable")]


def _activity(data: RunData, state: RunState) -> pd.DataFrame:
    rows = selected_activity(data, state.selection)
    return rows if state.selection.track is None else rows[rows["track"] == state.selection.track]


def _parts(data: RunData, state: RunState) -> pd.DataFrame:
    rows = conform("iteration_parts", data.iteration_parts)
    chosen = state.selection
    rows = rows if chosen.track is None else rows[rows["track"] == chosen.track]
    return rows if chosen.iteration is None else rows[rows["iteration"] == chosen.iteration]


def _launches(data: RunData, state: RunState) -> pd.DataFrame:
    rows = _within(data.profile.frame("launches"), state.selection)
    kind = state.selection.kind
    return rows if kind is None else rows[has_name(rows["name"], kind)]


def _programs(data: RunData, state: RunState) -> pd.DataFrame:
    rows = data.profile.frame("programs")
    program = state.selection.program
    return rows if program is None else rows[rows["program"] == program]


def _counters(data: RunData, state: RunState) -> pd.DataFrame:
    rows = data.profile.frame("counters")
    at = state.selection.kernel
    if at is None or at >= len(data.profile.kernels):
        return rows
    kernel = data.profile.kernels.iloc[at]
    counted = (rows["kernel"] == kernel["kernel"]).fillna(False).astype(bool)
    return rows[counted & (rows["track"] == kernel["track"])]


def _program_counters(data: RunData, state: RunState) -> pd.DataFrame:
    rows = data.profile.frame("program_counters")
    track = state.selection.track
    return rows if track is None else rows[rows["track"] == track]


def _within(rows: pd.DataFrame, chosen: Selection) -> pd.DataFrame:
    if chosen.window is None:
        return rows
    return rows[(rows["start"] >= chosen.window[0]) & (rows["start"] < chosen.window[1])]


def _steps(data: RunData, state: RunState) -> pd.DataFrame:
    return _within(data.profile.training_steps, state.selection)


def _stored_rows(name: str) -> Callable[[RunData, RunState], pd.DataFrame]:
    """Return a function that returns all rows of a stored frame, whatever is selected."""
    return lambda data, _state: data.profile.frame(name)


_ROWS: Mapping[str, Callable[[RunData, RunState], pd.DataFrame]] = {
    "iterations": _iterations,
    "kernel_totals": kernel_rows,
    "kernels": _kernels,
    "training_steps": _steps,
    "step_times": lambda data, state: _within(data.profile.step_times, state.selection),
    "activity": _activity,
    "iteration_parts": _parts,
    "launches": _launches,
    "operators": lambda data, _state: data.profile.frame("operators"),
    "operator_shapes": lambda data, _state: data.profile.frame("operator_shapes"),
    "programs": _programs,
    "counters": _counters,
    "program_counters": _program_counters,
    "markers": lambda data, state: _within(data.profile.frame("markers"), state.selection),
    "contexts": lambda data, _state: data.profile.frame("contexts"),
    "attempts": attempt_rows,
    "allocations": allocation_rows,
    "occupancy": occupancy_rows,
    "steps": step_rows,
    "buffer_uses": use_rows,
    "device_memory": lambda data, _state: data.profile.frame("device_memory"),
    "memory_pools": lambda data, _state: data.profile.frame("memory_pools"),
    "memory_segments": lambda data, _state: data.profile.frame("memory_segments"),
    "out_of_memory": lambda data, _state: data.profile.frame("out_of_memory"),
    "tilings": lambda data, _state: data.profile.frame("tilings"),
    "tiles": lambda data, _state: data.profile.frame("tiles"),
    "transfers": lambda data, _state: data.profile.frame("transfers"),
    "tile_times": lambda data, _state: data.profile.frame("tile_times"),
    "operator_counters": lambda data, _state: data.profile.frame("operator_counters"),
    **{
        spec.name: _stored_rows(spec.name)
        for spec in (*DESIGN_FRAMES, *PREDICTION_FRAMES, RESULTS, RESULT_SAMPLES)
        if spec.tabled
    },
    "diagnostics": lambda data, _state: data.diagnostics,
}
"""Table -> function that returns its rows; a test checks that every tabled frame has an entry."""
