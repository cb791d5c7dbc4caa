"""View of training steps: their duration and its parts."""

from __future__ import annotations

from typing import Any

import pandas as pd

from analysis.kernels.step_times import FILLS
from app.views.state import RunState
from app.views.text_tables import Table, rows_tables
from app.views.view import Panel, Plot, Width, custom, whole
from components.graph import nothing
from components.kernels.step_bars import step_bars, steps_left_out
from components.kernels.step_words import step_sentence
from services.run.capabilities import Capability
from services.run.data import RunData


def steps_panel(data: RunData, _state: RunState, theme: str) -> Panel:
    """Draw each training step's time, divided into its activities; an empty figure without steps."""
    steps = data.profile.step_times
    if steps.empty:
        return Panel(nothing(theme), "")
    return Panel(
        step_bars(steps, theme),
        step_sentence(data.profile.step_series, len(steps)),
        steps_left_out(steps),
    )


def step_clicked(state: RunState, data: RunData, click: Any) -> RunState:  # noqa: ANN401 - plotly's own
    """Return the state with the window of all views set to the clicked step; if it was already set,
    to the whole run.

    Unchanged for a click without a step.
    """
    step = whole(next(iter(custom(click)), None))
    steps = data.profile.step_times
    rows = steps[steps["step"] == step]
    if rows.empty:
        return state
    window = int(rows["start"].iloc[0]), int(rows["end"].iloc[0])
    return state.selecting(window=None if state.selection.window == window else window)


def steps_tables(data: RunData, _state: RunState) -> list[Table]:
    """Build a text table of the steps: duration, executions and the parts of the time in ns; empty
    without steps.
    """
    steps: pd.DataFrame = data.profile.step_times
    return rows_tables("steps, ns", steps[["name", "duration", "executions", *FILLS]])


STEPS = Plot(
    id="steps",
    title="Steps",
    help="Steps from marker to marker, or to the end of the step itself. Each moment belongs to the first of kernels, "
    "copies (of any device), compiler, profiler, operators and calls of the host, and Python functions that is busy; "
    "untraced is other host code, waiting, and kernels without times. Shares are of the counted steps' time. Click "
    "shows a step's time in every view; table `step_times` has the numbers.",
    needs=frozenset({Capability.NAMED_KERNELS, Capability.MARKERS}),
    group="training steps",
    width=Width.FULL,
    draw=steps_panel,
    on_click=step_clicked,
    tables=steps_tables,
)
