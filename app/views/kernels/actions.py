"""View state changes of the views of kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from analysis.selection import name_key
from app.views.executions import chosen_kernel, in_view, kernel_shown
from app.views.kernels.rows import find_launch, kernel_rows
from app.views.kernels.selection import CounterSelection
from app.views.state import RunState, toggle_part
from app.views.view import Click, custom
from services.run.data import RunData


def kernel_listed(state: RunState, data: RunData, row: int, _column: str = "") -> RunState:
    """Return the state with the kernel name and program in row `row` (from 0) of the kernel table
    selected, or cleared if they were selected.

    A selected execution is cleared. Unchanged for a row that does not exist.
    """
    table = kernel_rows(data, state)
    if not 0 <= row < len(table):
        return state
    name = str(table["name"].iloc[row])
    program = table["program"].iloc[row]
    chosen = {"kind": name_key(name), "program": None if pd.isna(program) else int(program)}
    same = all(getattr(state.selection, key) == value for key, value in chosen.items())
    return state.selecting(kernel=None, **({"kind": None, "program": None} if same else chosen))


def launcher_followed(state: RunState, data: RunData, named: Mapping[str, Any]) -> RunState:
    """Return the state with the operator (`part` op) or Python function (`part` python) of key
    `value` selected, and the launch of the selected execution in view; cleared if it was selected.

    Unchanged if the part is invalid.
    """
    part = str(named["part"])
    if part not in ("op", "python"):
        return state
    chosen = toggle_part(state, part, str(named["value"]))
    kernel = chosen_kernel(data, chosen)
    launch = None if kernel is None else find_launch(data, kernel)
    if kernel is None or launch is None:
        return chosen
    return in_view(chosen, data.profile, int(launch["start"]), int(kernel["end"]))


def program_listed(state: RunState, program: int) -> RunState:
    """Return the state with a program of a run without kernel times selected, or cleared if it was
    selected.
    """
    return state.selecting(program=None if state.selection.program == program else program)


def point_clicked(state: RunState, data: RunData, click: Click) -> RunState:
    """Return the state with the kernel of the clicked point of the roofline selected, or cleared if
    it was selected; unchanged if the click has no kernel.
    """
    named = custom(click)
    return kernel_listed(state, data, int(named[0])) if named and named[0] is not None else state


def counter_picked(state: RunState, data: RunData, row: int, counter: str) -> RunState:
    """Return the state that shows a counter of an execution per hardware instance, with the
    execution selected.

    `row` is from 0 in frame `kernels`, and `counter` is the clicked column; a column that is no
    counter only selects the execution. Unchanged for a row that does not exist.
    """
    if not 0 <= row < len(data.profile.kernels):
        return state
    shown = kernel_shown(state, data, row)
    is_counter = (data.profile.frame("counters")["name"] == counter).any()
    return shown.with_selected(CounterSelection(counter)) if is_counter else shown
