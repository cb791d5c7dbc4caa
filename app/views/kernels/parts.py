"""The parts of a profile's page that are words and grids: kernels, the chosen one, its program, counters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import quote

import pandas as pd
from dash import html

from analysis.kernels.representative import median_and_longest
from analysis.selection import has_name, select_kernels
from app.views.kernels.panels import chosen_program, counter_rows, kernel_rows
from app.views.links import blocks_of_kernel, chosen_kernel
from app.views.state import RunState
from app.views.view import Part
from components.kernels import answers
from components.kernels.counters_grid import counters_grid
from components.kernels.kernel_card import kernel_card, median_line
from components.kernels.kernels_grid import kernels_grid
from components.kernels.program_card import program_card
from components.kernels.program_list import program_list
from services.runs import RunData

_UNTIMED = "Kernels were launched, but the capture has no times of them: these are their programs."
_NO_KERNELS = "The capture has no kernels that ran."
_NO_KERNEL = "Select a kernel on the timeline or in the kernel table for its numbers and buffers."
KERNELS_GRID, COUNTERS_GRID = "run-kernels-grid", "run-counters-grid"


def kernels_part(data: RunData, state: RunState) -> Part:
    """List the kernels by program, the chosen one marked."""
    if data.profile is None:
        return Part(None, "")
    if not len(data.profile.kernels):
        said = _UNTIMED if len(data.profile.frame("launches")) else _NO_KERNELS
        return Part(program_list(data.profile.frame("programs"), state.selection.program), said)
    table = kernel_rows(data, state)
    return Part(kernels_grid(KERNELS_GRID, table, chosen_program(state)), answers.kernels_answer(table))


def kernels_key(data: RunData, state: RunState) -> str:
    """Return what changes with the rows of the kernel table, whatever is selected in it."""
    listed = "" if len(data.kernels) else f" {state.selection.program}"
    return f"{state.selection.track} {state.selection.window}{listed}"


def kernel_part(data: RunData, state: RunState) -> Part:
    """Tell all about the one execution that is looked at."""
    if data.profile is None or not len(data.profile.kernels):
        return Part(None, "")
    kernel = chosen_kernel(data, state)
    if kernel is not None:
        return Part(kernel_card(kernel, blocks_of_kernel(data, state), _launch_of(data, kernel)), "")
    if state.selection.kernel is not None:
        gone = f"There is no kernel {state.selection.kernel} in this run."
        return Part(html.P(gone, className="ts-panel-hint"), "")
    return _median_part(data, state) or Part(html.P(_NO_KERNEL, className="ts-panel-hint"), "")


def _median_part(data: RunData, state: RunState) -> Part | None:
    """Tell all about the execution of median duration of the selected kernel; None where no kernel is selected."""
    if data.profile is None or state.selection.kind is None:
        return None
    kernels = data.profile.kernels.reset_index(drop=True)
    rows = select_kernels(kernels, state.selection)
    found = median_and_longest(rows["duration"])
    if found is None:
        return None
    median, longest = (int(rows.index[at]) for at in found)
    shown = state.selecting(kernel=median)
    card = kernel_card(kernels.iloc[median], blocks_of_kernel(data, shown), _launch_of(data, kernels.iloc[median]))
    return Part(html.Div([median_line(len(rows), kernels.iloc[longest], longest), card]), "")


def _launch_of(data: RunData, kernel: pd.Series) -> pd.Series | None:
    """Return the row of frame `launches` that an execution comes from."""
    if data.profile is None or pd.isna(kernel["launch"]):
        return None
    launches = data.profile.frame("launches")
    rows = launches[launches["kernel"] == kernel["launch"]]
    return rows.iloc[0] if len(rows) else None


def program_of(data: RunData, state: RunState) -> pd.Series | None:
    """Return the row of frame `programs` that is selected: by number, as that of the execution, or by its name."""
    if data.profile is None:
        return None
    number, kernel = state.selection.program, chosen_kernel(data, state)
    if number is None and kernel is not None and pd.notna(kernel["program"]):
        number = int(kernel["program"])
    programs = data.profile.frame("programs")
    if number is None:
        rows = programs[has_name(programs["name"], state.selection.kind)] if state.selection.kind else programs.head(0)
        return rows.iloc[0] if len(rows) == 1 else None
    rows = programs[programs["program"] == number]
    return rows.iloc[0] if len(rows) else None


def program_part(data: RunData, state: RunState) -> Part:
    """Show the program of the chosen kernel, with its source text."""
    if data.profile is None:
        return Part(None, "")
    program = program_of(data, state)
    if program is None and not len(data.profile.kernels) and not len(data.profile.frame("programs")):
        return Part(None, "")
    if program is None and state.selection.program is not None:
        gone = f"There is no program {state.selection.program} in this run."
        return Part(html.P(gone, className="ts-panel-hint"), "")
    if program is None:
        why = "" if len(data.profile.frame("programs")) else " This run has none: its rewrites.pkl was not ingested."
        hint = f"Choose a kernel for its program and source text.{why}"
        return Part(html.P(hint, className="ts-panel-hint"), "")
    table = kernel_rows(data, state)
    rows = table[(table["program"] == program["program"]).fillna(False).astype(bool)]
    download = f"/table/{quote(data.run_id)}.json?table=programs&program={int(program['program'])}"
    return Part(program_card(program, rows.iloc[0] if len(rows) else None, download), "")


def counters_part(data: RunData, state: RunState) -> Part:
    """List the executions that were counted, and say what there is of thread traces."""
    said = answers.thread_traces_answer(data.diagnostics)
    rows = counter_rows(data)
    if not len(rows):
        return Part(html.Div() if said else None, said)
    grid = counters_grid(COUNTERS_GRID, rows, state.selection.kernel, state.counter)
    return Part(grid, f"{answers.counters_answer(rows)} {said}".strip())


def program_key(state: RunState) -> str:
    """Return what the program's part changes with: its source text is too much to be sent with every step."""
    chosen = state.selection
    return f"{chosen.program} {chosen.kernel} {chosen.kind} {chosen.track} {chosen.window}"


PROFILE_PARTS: Mapping[str, Callable[[RunData, RunState], Part]] = {
    "kernel": kernel_part,
    "program": program_part,
    "counts": counters_part,
}
"""Part -> what makes it; the kernel table is changed in place, see `app.views.kernels.callbacks`."""
PART_KEYS: Mapping[str, Callable[[RunState], str]] = {"program": program_key}
"""Part -> what it changes with, where that is less than the whole view."""
