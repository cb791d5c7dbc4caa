"""The waterfall of a capture: the cost of each kind of lost time, and the tiles that lose it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from analysis.aie.waterfall import (
    END,
    GAPS,
    STALLS_BETWEEN,
    STALLS_INSIDE,
    START,
    waterfall,
    worst_place,
)
from app.views.state import RunState
from app.views.view import Click, Panel, Plot, custom
from components.aie import waterfall as figures
from components.aie.core_words import traced_cores
from components.graph import nothing
from schema.choices import METHODS
from services.run.capabilities import Capability
from services.run.data import RunData

_OTHER_METHOD = f"Losses are only available with method {METHODS[0]}."
_SHARES: Mapping[str, str] = MappingProxyType(
    {STALLS_INSIDE: "inside", STALLS_BETWEEN: "outside", GAPS: "outside"}
)
"""Step of the waterfall -> value of the option `share` of the stall view."""
_OF_ONE_ITERATION = (START, END)
"""Losses whose worst place is a single iteration."""


def waterfall_panel(data: RunData, state: RunState, theme: str) -> Panel:
    """Draw the losses from the peak rate of the selected tile and iteration, or of the system; by
    another method only a sentence.
    """
    if state.method != METHODS[0]:
        return Panel(nothing(theme), _OTHER_METHOD)
    chosen = state.selection
    losses = waterfall(
        data.run,
        data.iterations,
        data.iteration_parts,
        track=chosen.track,
        iteration=chosen.iteration,
    )
    is_whole = chosen.track is None and chosen.iteration is None
    traced = traced_cores(data.tracks) if is_whole else None
    caption = figures.waterfall_caption(losses, data.pace, traced)
    return Panel(figures.waterfall(losses, theme), caption)


def step_clicked(state: RunState, data: RunData, click: Click) -> RunState:
    """Return the state with the tile selected that loses most in the clicked step; for late start
    and early end also the iteration.

    Stalls and gaps also set option `share` of the stall view. Unchanged if no tile loses.
    """
    step = str((custom(click) or [""])[0])
    chosen = state.selection
    place = worst_place(
        data.iterations, data.iteration_parts, step, track=chosen.track, iteration=chosen.iteration
    )
    if place is None:
        return state
    track, iteration = place
    share = {"share": _SHARES[step]} if step in _SHARES else {}
    # Options are in alphabetical order, so that equal states have equal queries.
    shown = replace(state, chosen=dict(sorted({**state.chosen, **share}.items())))
    return shown.selecting(
        track=track, iteration=iteration if step in _OF_ONE_ITERATION else chosen.iteration
    )


WATERFALL = Plot(
    id="waterfall",
    title="From peak to achieved",
    help="Losses from the peak rate in the measured iterations or the selected iteration, on the selected tile or on all tiles. "
    "Click a loss for the tile with most of it; late start and early end select the iteration too, stalls and gaps set "
    "Stall shares.",
    needs=frozenset({Capability.ITERATIONS}),
    draw=waterfall_panel,
    on_click=step_clicked,
)
