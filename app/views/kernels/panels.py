"""Plots of kernels: roofline and hardware counters."""

from __future__ import annotations

import pandas as pd

from analysis.kernels.counters import instances
from analysis.kernels.roofline import roofline_rows
from app.views.executions import chosen_kernel
from app.views.kernels.actions import point_clicked
from app.views.kernels.rows import chosen_program, kernel_rows
from app.views.kernels.selection import COUNTER, CounterSelection
from app.views.state import RunState
from app.views.view import Panel, Plot, Width
from components.graph import nothing
from components.kernels import captions
from components.kernels.counters_grid import counter_instances
from components.kernels.roofline import reason_unplaced, roofline
from services.run.capabilities import Capability
from services.run.data import RunData


def peaks(data: RunData) -> tuple[float | None, float | None]:
    """Return the peak rates of the device of a run: operations per second and bytes per second;
    None if unknown.
    """
    row = data.run.iloc[0]
    compute, memory = (
        None if pd.isna(row[name]) else float(row[name])
        for name in ("peak_flops", "peak_bytes_per_s")
    )
    return compute, memory


def roofline_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw each kernel's operations per second over its operations per byte of memory.

    If no kernel can be placed, an empty figure and a sentence with the reason.
    """
    table = kernel_rows(data, state)
    rows = roofline_rows(table, *peaks(data))
    if not len(rows):
        sentence = reason_unplaced(table)
        return Panel(nothing(theme), sentence, absent=True)
    figure = roofline(rows, peaks(data), chosen_program(state), theme)
    return Panel(
        figure,
        f"{captions.roofline_caption(rows, peaks(data))} {captions.peaks_note(data.run)}".strip(),
    )


def counters_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the selected counter of the selected execution per hardware instance; an empty figure
    and a hint if either is not selected.
    """
    kernel = chosen_kernel(data, state)
    counter = state.selected(CounterSelection).counter
    if kernel is None or not counter:
        sentence = "Click a counter of an execution for its hardware instances."
        return Panel(nothing(theme), sentence)
    counters = data.profile.frame("counters")
    values = instances(counters, str(kernel["track"]), int(kernel["kernel"]), counter)
    figure = counter_instances(values, counter, theme)
    return Panel(figure, captions.instances_caption(values, counter, str(kernel["name"])))


_NEEDS = frozenset({Capability.NAMED_KERNELS, Capability.KERNELS})
ROOFLINE = Plot(
    id="roofline",
    title="Roofline",
    help=(
        "Operations per byte of memory against operations per second, a point per kernel; the larger the "
        "point, the more total time it takes. The lines are the peaks of Settings. Click selects a kernel."
    ),
    needs=_NEEDS,
    draw=roofline_panel,
    on_click=point_clicked,
)
COUNTERS = Plot(
    id="counters",
    title="Counter per instance",
    help="A hardware counter of one execution, for each instance that it was read from.",
    needs=frozenset({Capability.NAMED_KERNELS, Capability.COUNTERS}),
    group="counts",
    width=Width.FULL,
    selection=COUNTER,
    draw=counters_panel,
)
