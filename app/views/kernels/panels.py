"""The panels of a profile as figures and words: roofline, and what hardware counters say per instance."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from analysis.kernels.counters import counter_table, instances
from analysis.kernels.kernel_table import kernel_table
from analysis.kernels.roofline import roofline_rows
from analysis.selection import Selection
from app.views.links import chosen_kernel
from app.views.state import RunState
from app.views.view import Panel, PanelSpec
from components.graph import empty_figure
from components.kernels import answers
from components.kernels.counters_grid import counter_instances
from components.kernels.roofline import HEIGHT, roofline, unplaced
from services.runs import RunData

_EMPTY_PX = 160


def kernel_rows(data: RunData, state: RunState) -> pd.DataFrame:
    """Return the kernels by program, of the selected time and device."""
    if data.profile is None:
        return kernel_table(data.kernels.head(0))
    return data.profile.table_of(Selection(track=state.selection.track, window=state.selection.window))


def chosen_program(state: RunState) -> tuple[str, int | None] | None:
    """Return name and program of the kernel that is selected; None without any."""
    kind = state.selection.kind
    return None if kind is None else (kind, state.selection.program)


def peaks(data: RunData) -> tuple[float | None, float | None]:
    """Return what the device can do at most: operations and bytes per second."""
    row = data.run.iloc[0]
    compute, memory = (None if pd.isna(row[name]) else float(row[name]) for name in ("peak_flops", "peak_bytes_per_s"))
    return compute, memory


def roofline_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw how fast each kernel computes against how much it computes per byte."""
    table = kernel_rows(data, state)
    rows = roofline_rows(table, *peaks(data))
    if not len(rows):
        sentence = unplaced(table)
        return Panel(empty_figure(sentence, theme, HEIGHT), sentence)
    figure = roofline(rows, peaks(data), chosen_program(state), theme)
    return Panel(figure, answers.roofline_answer(rows, peaks(data)))


def counter_rows(data: RunData) -> pd.DataFrame:
    """Return every execution that was counted, with the sums of its counters."""
    return counter_table(data.profile.frame("counters"), data.profile.kernels) if data.profile else pd.DataFrame()


def counters_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the chosen counter of the chosen execution per hardware instance."""
    kernel = chosen_kernel(data, state)
    if data.profile is None or kernel is None or not state.counter:
        sentence = "Click a counter of an execution for its hardware instances."
        return Panel(empty_figure(sentence, theme, _EMPTY_PX), sentence)
    counters = data.profile.frame("counters")
    values = instances(counters, str(kernel["track"]), int(kernel["kernel"]), state.counter)
    figure = counter_instances(values, state.counter, theme)
    return Panel(figure, answers.instances_answer(values, state.counter, str(kernel["name"])))


def _has_kernels(data: RunData) -> bool:
    return data.profile is not None and len(data.profile.kernels) > 0


def _has_counters(data: RunData) -> bool:
    return data.profile is not None and len(data.profile.frame("counters")) > 0


PROFILE_PANELS: Mapping[str, PanelSpec] = {
    spec.id: spec
    for spec in (
        PanelSpec(
            "roofline",
            "Roofline",
            "Operations per byte of memory against operations per second, a point per kernel; the larger, the more "
            "time it takes in all. The lines are the peaks of Settings. Click selects a kernel.",
            roofline_panel,
            _has_kernels,
        ),
        PanelSpec(
            "counters",
            "Counter per instance",
            "A hardware counter of one execution, for each instance that it was read from.",
            counters_panel,
            _has_counters,
        ),
    )
}
"""The panels of profiles beside those that they share with captures."""
