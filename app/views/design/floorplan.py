"""Floor plan of an array with a design: coloured by the trace, or by the use of its memories."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from analysis.aie.design.lock_waits import STALL
from analysis.aie.design.tile_use import LOCK_WAIT, USE_METRICS, tile_use
from app.views.aie import panels
from app.views.design.place import choose_tile, design_of, selected_tile
from app.views.option import Option
from app.views.state import RunState
from app.views.view import Click, Panel, Plot, Width, custom
from components.aie import floorplan
from components.design.captions import use_caption, wait_caption
from services.run.capabilities import Capability
from services.run.data import RunData

_LABELS = {metric.name: metric.label for metric in USE_METRICS.values()}
_METRIC = Option(
    panels.METRIC.name,
    panels.METRIC.label,
    {**panels.METRIC.options, **_LABELS, LOCK_WAIT.name: LOCK_WAIT.label},
)
_USE = Option("tile_use", "use of the memories", _LABELS)
_NOT_TRACED = "LOCK_STALL was not traced"
_NO_MEMORY = "no memory, or its use is not known"


def capture_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the array coloured by the chosen metric of the trace or of the design."""
    name = _METRIC.of(state)
    if name in USE_METRICS:
        return _draw_use(data, state, theme, name)
    if name == LOCK_WAIT.name:
        return _draw_waits(data, state, theme)
    return panels.floorplan_panel(data, state, theme)


def design_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the array coloured by the use of its memories or banks."""
    return _draw_use(data, state, theme, _USE.of(state))


def _draw_use(data: RunData, state: RunState, theme: str, name: str) -> Panel:
    tiles = tile_use(design_of(data).mapping["tiles"])
    metric = USE_METRICS[name]
    selection = replace(state.selection, track=selected_tile(data, state))
    figure = floorplan.floorplan(tiles, metric, selection, theme, no_value=_NO_MEMORY)
    return Panel(figure, use_caption(tiles, metric), floorplan.left_out(tiles))


def _draw_waits(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the cycles of LOCK_STALL in the selected window, or of the whole trace."""
    design = design_of(data)
    tiles = tile_use(design.mapping["tiles"])
    cores = set(design.cores)
    waits = [
        design.stall_cycles(tile, STALL, state.selection.window) if tile in cores else None
        for tile in tiles["track"]
    ]
    tiles[LOCK_WAIT.name] = np.array(waits, dtype=np.float64)
    selection = replace(state.selection, track=selected_tile(data, state))
    figure = floorplan.floorplan(tiles, LOCK_WAIT, selection, theme, no_value=_NOT_TRACED)
    return Panel(figure, wait_caption(tiles, LOCK_WAIT), floorplan.left_out(tiles))


def tile_clicked(state: RunState, data: RunData, click: Click) -> RunState:
    """Return the state with the clicked tile selected, or cleared if it was selected."""
    place = custom(click)
    return choose_tile(data, state, str(place[0])) if place and place[0] is not None else state


FLOORPLAN_OF_CAPTURE = replace(
    panels.FLOORPLAN,
    help=f"{panels.FLOORPLAN.help} The use of memories and banks is that of the design.",
    choices=(_METRIC,),
    draw=capture_panel,
    on_click=tile_clicked,
    only=lambda data: data.can(Capability.DESIGN),
)
FLOORPLAN_OF_DESIGN = Plot(
    id="floorplan",
    title="Array floor plan",
    help="The tiles at their places on the chip, row 0 (shim) at the bottom, coloured by the share of their memory, or "
    "of their most used bank, that buffers and stack take. Click selects a tile.",
    needs=frozenset({Capability.DESIGN, Capability.MEMORY}),
    group="design",
    width=Width.NARROW,
    choices=(_USE,),
    draw=design_panel,
    on_click=tile_clicked,
)
