"""The distribution of kernel durations, of captures in cycles and of kernels that their source names."""

from __future__ import annotations

import math
from dataclasses import replace

from analysis.kernels.first_runs import first_runs
from analysis.selection import name_key
from app.views.option import Option
from app.views.selected import selected_kernels
from app.views.state import RunState, toggle_part
from app.views.view import Click, Panel, Plot, custom
from components.aie import captions as cycle_captions
from components.kernels import captions, cycle_durations
from services.run.capabilities import Capability
from services.run.data import RunData

_LABEL = "form of the distribution"
OF_CYCLES = Option("durations", _LABEL, cycle_durations.views_for(profile=False))
OF_KERNELS = Option("durations", _LABEL, cycle_durations.views_for(profile=True))


def cycles_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the durations of what is selected, in cycles; the duration range is marked, not applied."""
    chosen = selected_kernels(data, replace(state.selection, duration=None))
    drawn = cycle_durations.durations(chosen, state.selection, theme, view=OF_CYCLES.of(state), unit=data.unit)
    return Panel(drawn, cycle_captions.durations_answer(chosen, data.unit, data.clock_hz))


def kernels_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the durations of what is selected, in time; the duration range is marked, not applied."""
    chosen = selected_kernels(data, replace(state.selection, duration=None))
    view = OF_KERNELS.of(state)
    drawn = cycle_durations.durations(chosen, state.selection, theme, view=view, unit=data.unit)
    said = captions.first_runs_answer(first_runs(chosen)) if view == "first" else captions.durations_answer(chosen)
    return Panel(drawn, said)


def duration_clicked(state: RunState, click: Click, view: str) -> RunState:
    """Select the range of a bin; in the views by group, the group."""
    data = custom(click)
    if not data:
        return state
    if view == "histogram" and len(data) >= 2:
        return toggle_part(state, "duration", (math.floor(data[0]), max(math.floor(data[0]) + 1, math.ceil(data[1]))))
    if view == "tile":
        return toggle_part(state, "track", str(data[0]))
    if view == "iteration":
        return toggle_part(state, "iteration", int(data[0]))
    return toggle_part(state, "kind", name_key(str(data[0]))) if view in ("kind", "first") else state


_TITLE = "Kernel durations"
DURATIONS_OF_TILES = Plot(
    id="durations",
    title=_TITLE,
    help="Durations of the kernels in the selection; excluded kernels are drawn apart. Click a bin to "
    "select its range.",
    needs=frozenset({Capability.ITERATIONS}),
    choices=(OF_CYCLES,),
    draw=cycles_panel,
    on_click=lambda state, _data, click: duration_clicked(state, click, OF_CYCLES.of(state)),
)
DURATIONS_OF_KERNELS = Plot(
    id="durations",
    title=_TITLE,
    help="Durations of the kernels in the selection. Click a bin to select its range.",
    needs=frozenset({Capability.NAMED_KERNELS, Capability.KERNELS}),
    choices=(OF_KERNELS,),
    draw=kernels_panel,
    on_click=lambda state, _data, click: duration_clicked(state, click, OF_KERNELS.of(state)),
)
