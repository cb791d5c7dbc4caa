"""Views that compare profiles: kernels, their durations, device memory at the peaks."""

from __future__ import annotations

import numpy as np
import pandas as pd
from dash import html

from analysis.comparison.kernel_pairs import BY_NAME, BY_OPERATIONS, BY_SOURCE
from analysis.comparison.step_parts import StepParts
from app.views.comparison.array import FORM
from app.views.comparison.state import CompareState, toggle_part
from app.views.comparison.view import CompareGrid, ComparePlot, CompareWords
from app.views.text_tables import Table, plain_table, rows_tables
from app.views.view import Panel, Part, Width
from components.comparison.buffers_table import buffers_line, buffers_table
from components.comparison.durations import durations
from components.comparison.kernels_grid import GRID, grid_options, kernels_grid
from components.comparison.sides import SIDES
from components.comparison.step_part_words import parts_sentence
from components.comparison.step_parts_table import part_rows, parts_table
from components.graph import nothing
from components.numbers import count_text, duration_text, shorten, signed_text
from schema.plurals import plural
from schema.time_units import NANOSECONDS
from services.comparison.data import CompareData
from services.run.capabilities import Capability

_WAYS = (BY_NAME, BY_SOURCE, BY_OPERATIONS)
_NEEDS = frozenset({Capability.NAMED_KERNELS, Capability.KERNELS})
_MIXED_STEPS = "Only one side has steps, so that their parts cannot be compared."


def parts_part(data: CompareData, _state: CompareState) -> Part:
    """Lay out the parts of a step of both sides, and the operators that changed; empty if they are
    unknown.
    """
    parts = data.result.parts
    if parts is None:
        is_mixed = all(side[0].step_parts is not None for side in (data.base, data.new))
        return Part(html.P(_MIXED_STEPS) if is_mixed else None, "")
    caption = f"{parts_sentence(parts)} {_parts_base(parts)} {data.of_groups}".strip()
    return Part(parts_table(parts), caption)


def _parts_base(parts: StepParts) -> str:
    """Write a sentence that names the base of the table's times."""
    if not parts.base.steps:
        return "Times are of the window from the first execution to the last."
    return f"Times are means of {plural(parts.base.steps, 'counted step')} of base and {parts.new.steps} of new."


def parts_tables(data: CompareData, _state: CompareState) -> list[Table]:
    """Build a text table of the parts of a step; empty if they are unknown."""
    parts = data.result.parts
    rows = [] if parts is None else part_rows(parts)
    return rows_tables("parts of a step, ns", pd.DataFrame(rows))


def kernels_part(data: CompareData, state: CompareState) -> Part:
    """List the kernels of both sides in a grid, the largest changes of a step's time first; empty
    if there are no kernels.
    """
    changes = data.kernels
    if not len(changes):
        return Part(None, "")
    caption = " ".join(
        filter(None, [_kernels_caption(changes), _steps_caption(data), data.of_groups])
    )
    return Part(kernels_grid(changes, state.selection.kernel), caption)


def _kernels_caption(changes: pd.DataFrame) -> str:
    """Return a sentence with the numbers of kernels paired in each way and on a single side, and a
    sentence about the first kernel or copy if it changes a step.
    """
    kernels = changes[~changes["copy"]]
    paired = kernels["how"].value_counts()
    ways = [
        f"{count_text(int(paired[how]), 'kernel')} paired by {how}"
        for how in _WAYS
        if how in paired.index
    ]
    alone = [
        f"{int(kernels[other].isna().sum())} only in {side}"
        for side, other in (("base", "new"), ("new", "base"))
    ]
    top = changes.iloc[0]
    change = float(top["change"])
    if pd.isna(change) or not change:
        return f"{', '.join([*ways, *alone])}."
    most = f"{shorten(str(top['name']), 40)} changes a step by {signed_text(duration_text(abs(change)), change)}."
    return f"{', '.join([*ways, *alone])}. {most}"


def _steps_caption(data: CompareData) -> str:
    """Return a sentence with the numbers of counted steps over which times of a step are summed."""
    steps = [len(side[0].profile.steps) for side in (data.base, data.new)]
    if not any(steps):
        return "No steps are marked: a step is the whole capture."
    if not all(steps):
        return f"Only {SIDES[0] if steps[0] else SIDES[1]} has steps, so that times of a step cannot be compared."
    return f"Time of a step: sum over {plural(steps[0], 'counted step')} of base and {steps[1]} of new, divided by their number."


def kernel_clicked(state: CompareState, data: CompareData, row: int, _column: str) -> CompareState:
    """Return the state with the kernel of row `row` selected, or cleared if it was selected;
    unchanged if there is no such row.
    """
    return (
        toggle_part(state, "kernel", str(data.kernels["name"].iloc[row]))
        if row < len(data.kernels)
        else state
    )


def kernels_tables(data: CompareData, _state: CompareState) -> list[Table]:
    """Build a text table of the kernels of both sides, with their times and changes."""
    return [plain_table("kernels", data.kernels)]


def durations_panel(data: CompareData, state: CompareState, theme: str) -> Panel:
    """Draw the durations (ns) of a kernel on both sides: the selected kernel, or the largest change
    of a step; if no kernel is on both sides, only a sentence.
    """
    row = shown_change(data.kernels, state.selection.kernel)
    if row is None:
        return Panel(nothing(theme), "No kernel is on both sides.")
    names = dict(zip(SIDES, (row["base"], row["new"]), strict=True))
    sides = {side: _runs(data, side, names[side]) for side in SIDES}
    figure = durations(sides, theme, form=FORM.of(state), unit=NANOSECONDS)
    medians = [
        duration_text(float(np.median(values))) if len(values) else "none"
        for values in sides.values()
    ]
    return Panel(
        figure,
        f"{shorten(str(row['name']), 50)}: median {medians[0]} and {medians[1]}, without first runs.",
    )


def shown_change(changes: pd.DataFrame, name: str) -> pd.Series | None:
    """Return the row of the kernel `name`; if there is none, of the first kernel on both sides,
    which changes a step most; None if there is no such kernel.
    """
    chosen = changes[changes["name"] == name]
    both = changes[changes["steady_base"].notna() & changes["steady_new"].notna()]
    rows = chosen if len(chosen) else both
    return rows.iloc[0] if len(rows) else None


def _runs(data: CompareData, side: str, name: str | None) -> np.ndarray:
    runs = data.base if side == SIDES[0] else data.new
    durations_of_runs = (
        [run.profile.durations[name] for run in runs if name in run.profile.durations]
        if name
        else []
    )
    # np.concatenate fails on an empty list.
    return np.concatenate(durations_of_runs) if durations_of_runs else np.empty(0)


def buffers_part(data: CompareData, _state: CompareState) -> Part:
    """List the groups of buffers that cause the difference of live bytes at the peaks; empty if
    there is no difference.
    """
    groups = data.peak_buffers
    if not len(groups):
        return Part(None, "")
    return Part(buffers_table(groups), f"{buffers_line(groups)} {data.of_groups}".strip())


def buffers_tables(data: CompareData, _state: CompareState) -> list[Table]:
    """Build a text table of the groups of buffers that differ; empty if there are none."""
    return rows_tables("device memory at the peaks", data.peak_buffers)


PARTS = CompareWords(
    id="step-parts",
    title="Where the step changed",
    help="A step on the device with the most busy time: compute, exposed communication, exposed copies and idle sum to "
    "the step, the reasons to idle (see breakdown and idle). Operators: summed time of the executions that they launched.",
    needs=_NEEDS,
    group="kernels",
    width=Width.FULL,
    make=parts_part,
    tables=parts_tables,
)
KERNELS = CompareWords(
    id="kernels",
    title="Kernels",
    help=(
        "Kernels and copies of both sides, sorted by the change of their time in a step: the sum of their executions "
        "in counted steps, divided by the number of these steps. They are paired by name, else by source text without "
        "the function's name, else by operations and runs. Click selects a kernel."
    ),
    needs=_NEEDS,
    group="kernels",
    width=Width.FULL,
    make=kernels_part,
    key=lambda _data, _state: "",
    grid=CompareGrid(
        GRID,
        on_cell=kernel_clicked,
        marked=("dashGridOptions",),
        marks=lambda data, state: (grid_options(data.kernels, state.selection.kernel),),
    ),
    tables=kernels_tables,
)
DURATIONS = ComparePlot(
    id="durations",
    title="Kernel durations",
    help="Runs of the selected kernel except the first on both sides: shares of each side's runs. Dashed: medians.",
    needs=_NEEDS,
    group="kernels",
    choices=(FORM,),
    draw=durations_panel,
)
BUFFERS = CompareWords(
    id="buffers",
    title="Device memory at the peaks",
    help="Buffers alive at the peak of each device, grouped by the kernel that wrote them first and their size: the "
    "groups that differ.",
    needs=_NEEDS | {Capability.DEVICES},
    group="kernels",
    make=buffers_part,
    tables=buffers_tables,
)
VIEWS = (PARTS, KERNELS, DURATIONS, BUFFERS)
"""The views of profiles."""
