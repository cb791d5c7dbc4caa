"""The distribution of kernel durations: of captures in cycles, of profiles in time."""

from __future__ import annotations

import math
from dataclasses import replace

from analysis.kernels.first_runs import first_runs
from analysis.selection import name_key
from app.views.option import Option
from app.views.selected import selected_kernels
from app.views.state import RunState, toggle_part
from app.views.view import Click, Panel, Plot, Width, custom
from components.aie import captions as cycle_captions
from components.kernels import captions, cycle_durations
from services.run.capabilities import Capability
from services.run.data import RunData

_LABEL = "form of the distribution"
OF_CYCLES = Option("durations", _LABEL, cycle_durations.available_duration_views(profile=False))
"""Option of captures: how the distribution is drawn."""
OF_KERNELS = Option("durations", _LABEL, cycle_durations.available_duration_views(profile=True))
"""Option of profiles: how the distribution is drawn."""


def cycles_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the durations of the selected kernels of a capture in cycles, in the form that option
    OF_CYCLES selects.

    A selected duration range does not filter the kernels, it is only marked.
    """
    chosen = selected_kernels(data, replace(state.selection, duration=None))
    drawn = cycle_durations.durations(
        chosen, state.selection, theme, view=OF_CYCLES.of(state), unit=data.unit
    )
    return Panel(drawn, cycle_captions.durations_caption(chosen, data.unit, data.clock_hz))


def kernels_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the durations of the selected kernels of a profile in time, in the form that option
    OF_KERNELS selects.

    A selected duration range does not filter the kernels, it is only marked.
    """
    chosen = selected_kernels(data, replace(state.selection, duration=None))
    view = OF_KERNELS.of(state)
    drawn = cycle_durations.durations(chosen, state.selection, theme, view=view, unit=data.unit)
    caption = (
        captions.first_runs_caption(first_runs(chosen))
        if view == "first"
        else captions.durations_caption(chosen)
    )
    return Panel(drawn, caption)


def duration_clicked(state: RunState, click: Click, view: str) -> RunState:
    """Return the state with the duration range (whole ticks) of the clicked bin selected, or the
    tile, iteration or kernel name of the clicked group if `view` shows groups.

    A second click clears it. Unchanged for a click without data.
    """
    data = custom(click)
    if not data:
        return state
    if view == "histogram" and len(data) >= 2:
        # Bins have fractional edges, but a range has whole ticks and must not be empty.
        value = (math.floor(data[0]), max(math.floor(data[0]) + 1, math.ceil(data[1])))
        return toggle_part(state, "duration", value)
    if view == "tile":
        return toggle_part(state, "track", str(data[0]))
    if view == "iteration":
        return toggle_part(state, "iteration", int(data[0]))
    return (
        toggle_part(state, "kind", name_key(str(data[0]))) if view in ("kind", "first") else state
    )


_TITLE = "Kernel durations"
# Two records have the id `durations`, so that a link to either stays valid; a run meets the needs
# of at most one.
DURATIONS_OF_TILES = Plot(
    id="durations",
    title=_TITLE,
    help="Durations of the kernels in the selection; excluded kernels are drawn separately. Click a bin to "
    "select its range.",
    needs=frozenset({Capability.ITERATIONS}),
    width=Width.NARROW,
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
