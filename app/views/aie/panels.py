"""Plots of a capture of an array: iterations, floor plan, stalls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from analysis.aie.tiles import TILE_METRICS, tile_table
from app.views.aie.actions import iteration_clicked, tile_clicked
from app.views.option import Option
from app.views.selected import (
    compared_slice,
    selected_activity,
    selected_kernels,
    selected_parts,
    selected_rates,
    slice_in_view,
)
from app.views.state import RunState
from app.views.view import Panel, Plot, Width
from components.aie import captions, floorplan, iterations, stalls
from components.aie.iterations import Peak
from components.aie.stalls import SHARES
from components.aie.tile_bars import PART_LABELS, part_color
from components.caption import joined_captions
from components.numbers import shorten
from schema.choices import METHODS
from services.run.capabilities import Capability
from services.run.data import RunData

_NEEDS = frozenset({Capability.ITERATIONS})
METRIC = Option(
    "tile_metric",
    "metric of the tiles",
    {metric.name: metric.label for metric in TILE_METRICS.values()},
)
"""Metric that colours the tiles of a floor plan."""
_SHARE = Option("share", "what the shares are of", SHARES)


def iterations_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw GMAC/s per iteration of the capture, or spans in ticks if the work is unknown; for the
    default method with the values of the reference method for comparison.

    Without iterations, the figure shows only a sentence.
    """
    reference = data.reference if state.method == METHODS[0] else None
    drawn = iterations.iterations(
        data.iterations,
        state.selection,
        theme,
        reference=reference,
        peak=Peak.of(data.run, data.iterations),
    )
    return Panel(drawn, captions.iterations_caption(data.iterations, state.selection, data.stalls))


def floorplan_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the array of tiles, coloured by the chosen metric over the selection; the selected tile
    is only marked.
    """
    # The floor plan has all tiles; the selected tile is only marked.
    selection = replace(state.selection, track=None)
    is_split = state.method == METHODS[0]
    pace = data.pace if is_split else None
    culprits = pace.culprits(state.selection.track) if pace else []
    tiles = tile_table(
        data.tracks,
        selected_kernels(data, selection, all_slices=True),
        selected_rates(data, selection),
        selected_activity(data, selection),
        data.diagnostics,
        parts=data.iteration_parts if is_split else None,
        parts_in=selected_parts(data, selection) if is_split else None,
        waits=pace.shares_waited(culprits) if pace and culprits else None,
    )
    metric = TILE_METRICS[METRIC.of(state)]
    figure = floorplan.floorplan(tiles, metric, state.selection, theme, shape=data.shape)
    limiters = pace.limiters if pace else ()
    limiter = next((found for found in limiters if found.track in culprits), None)
    if limiter and metric.name == "waits_for":
        mark = PART_LABELS.get(limiter.what, limiter.what), part_color(limiter.what, theme)
        figure = floorplan.mark_tiles(figure, tiles, culprits, mark, theme)
    return Panel(
        figure,
        captions.floorplan_caption(tiles, data.shape, pace, compared_slice(data)),
        floorplan.left_out(tiles),
    )


def stalls_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the share of stalls and vector work in the time of each core in the selection; memory
    and shim tiles are left out.
    """
    activity = selected_activity(data, state.selection)
    counted = slice_in_view(data, state.selection)
    # Memory tiles and shim tiles run no kernels.
    is_drawn = np.asarray(data.tracks["kind"].array == "core", bool)
    if counted:
        is_drawn &= np.asarray(data.tracks["slice"].array == counted, bool)
    drawn = {*data.tracks["track"].array[is_drawn]}
    is_core = np.array([track in drawn for track in activity["track"].array], bool)
    cores = activity if is_core.all() else activity[is_core]
    share = _SHARE.of(state)
    figure = stalls.stalls(cores, state.selection, theme, share=share)
    caption = captions.stalls_caption(cores, state.selection, share)
    of_slice = f"Cores of slice {shorten(counted, 40)}." if counted else ""
    return Panel(figure, joined_captions(caption, of_slice))


ITERATIONS = Plot(
    id="iterations",
    title="Iterations",
    help="GMAC/s per iteration: work over time; cycles where the work is not known. Bars by phase; a hatched one was "
    "cut by the capture's end and counts its kernels only, a dotted one rests on fewer cores. Points are tiles, ticks "
    "the reference method. Click selects an iteration.",
    needs=_NEEDS,
    width=Width.WIDE,
    draw=iterations_panel,
    on_click=iteration_clicked,
)
FLOORPLAN = Plot(
    id="floorplan",
    title="Array floor plan",
    help="The tiles at their places on the chip, row 0 (shim) at the bottom. Stalls are the core's own in iterations, "
    "waiting for others is slack. Metric `waits for` shows by how much the others wait for the selected core, or for "
    "the core that sets the pace. Click selects a tile.",
    needs=_NEEDS,
    width=Width.NARROW,
    choices=(METRIC,),
    draw=floorplan_panel,
    on_click=tile_clicked,
    only=lambda data: not data.can(Capability.DESIGN),
)
"""Floor plan of a capture without a design; `app.views.design.floorplan` has those with one."""
STALLS = Plot(
    id="stalls",
    title="Stall shares",
    help="Share of time in stalls and vector work per tile, over all time or inside or outside of kernels, also while "
    "a core waits for others and between iterations. Click selects a tile.",
    needs=_NEEDS,
    width=Width.NARROW,
    choices=(_SHARE,),
    draw=stalls_panel,
    on_click=tile_clicked,
)
