"""Rows of kernels, programs and launches that the views of kernels show."""

from __future__ import annotations

import pandas as pd

from analysis.selection import Selection, has_name
from app.views.executions import chosen_kernel
from app.views.state import RunState
from services.run.data import RunData


def kernel_rows(data: RunData, state: RunState) -> pd.DataFrame:
    """Return the table of kernels by program, summed over the executions in the selected window, on
    the selected device, and launched by the selected operator and Python function.
    """
    chosen = state.selection
    return data.profile.table_of(
        Selection(track=chosen.track, window=chosen.window, op=chosen.op, python=chosen.python)
    )


def chosen_program(state: RunState) -> tuple[str, int | None] | None:
    """Return name key and program number of the selected kernel; None without a selection. The
    number may be None.
    """
    kind = state.selection.kind
    return None if kind is None else (kind, state.selection.program)


def find_program(data: RunData, state: RunState) -> pd.Series | None:
    """Return the selected row of frame `programs`: by program number, by the selected execution, or
    by a name that only a single program has.

    None if nothing is selected or the program is unknown.
    """
    number = state.selection.program
    kernel = chosen_kernel(data, state)
    if number is None and kernel is not None and pd.notna(kernel["program"]):
        number = int(kernel["program"])
    programs = data.profile.frame("programs")
    if number is None:
        rows = (
            programs[has_name(programs["name"], state.selection.kind)]
            if state.selection.kind
            else programs.head(0)
        )
        # A name only identifies a program when no other program has it.
        return rows.iloc[0] if len(rows) == 1 else None
    rows = programs[programs["program"] == number]
    return rows.iloc[0] if len(rows) else None


def find_candidates(data: RunData, state: RunState) -> pd.DataFrame:
    """Select the rows of frame `programs` that the selected execution, or any execution of the
    selected kernel name, may have run.

    The result is empty if the program is known or has no candidates.
    """
    kernel = chosen_kernel(data, state)
    programs = data.profile.frame("programs")
    rows = data.profile.frame("program_candidates")
    if kernel is not None:
        rows = rows[
            (rows["track"].astype("str") == str(kernel["track"]))
            & (rows["kernel"] == kernel["kernel"])
        ]
        return programs[programs["program"].isin(rows["program"])]
    if state.selection.kind is None or state.selection.program is not None or not len(rows):
        return programs.head(0)
    named = programs[has_name(programs["name"], state.selection.kind)]
    return named[named["program"].isin(rows["program"])]


def find_launch(data: RunData, kernel: pd.Series) -> pd.Series | None:
    """Return the row of frame `launches` for an execution (a row of frame `kernels`); None if
    unknown.
    """
    if pd.isna(kernel["launch"]):
        return None
    launches = data.profile.frame("launches")
    rows = launches[launches["kernel"] == kernel["launch"]]
    return rows.iloc[0] if len(rows) else None
