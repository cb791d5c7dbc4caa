"""View state changes of the views of kernels."""

from __future__ import annotations

import pandas as pd

from analysis.selection import name_key
from app.views.executions import kernel_shown
from app.views.kernels.rows import kernel_rows
from app.views.kernels.selection import CounterSelection
from app.views.state import RunState
from app.views.view import Click, custom
from services.run.data import RunData


def kernel_listed(state: RunState, data: RunData, row: int, _column: str = "") -> RunState:
    """Select the kernel of a row of the kernel table; clear it if already selected."""
    table = kernel_rows(data, state)
    if not 0 <= row < len(table):
        return state
    name = str(table["name"].iloc[row])
    program = table["program"].iloc[row]
    chosen = {"kind": name_key(name), "program": None if pd.isna(program) else int(program)}
    same = all(getattr(state.selection, key) == value for key, value in chosen.items())
    return state.selecting(kernel=None, **({"kind": None, "program": None} if same else chosen))


def program_listed(state: RunState, program: int) -> RunState:
    """Select a program of a run without kernel times; clear it if already selected."""
    return state.selecting(program=None if state.selection.program == program else program)


def point_clicked(state: RunState, data: RunData, click: Click) -> RunState:
    """Select the kernel of a point of the roofline."""
    named = custom(click)
    return kernel_listed(state, data, int(named[0])) if named and named[0] is not None else state


def counter_picked(state: RunState, data: RunData, row: int, counter: str) -> RunState:
    """Show a counter of one execution per instance.

    A cell of another column only selects the execution.
    """
    if not 0 <= row < len(data.profile.kernels):
        return state
    shown = kernel_shown(state, data, row)
    is_counter = (data.profile.frame("counters")["name"] == counter).any()
    return shown.with_selected(CounterSelection(counter)) if is_counter else shown
