"""Which operator the views of tilings show, and which capacity they try."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dash.development.base_component import Component

from app.views.controls import number_box
from app.views.state import RunState
from app.views.tiling.selection import TilingSelection
from services.run.data import RunData

_KIB = 1024


def shown_operator(data: RunData, state: RunState) -> int:
    """Return the place of the operator that is shown: the selected one, else the fullest.

    Of equally full ones it is that whose choices are known, then that which moves most.
    """
    tiled = data.tiling.tiled_operators
    selected = state.selected(TilingSelection).operator
    if selected is not None and selected < len(tiled):
        return selected
    known = [(one.share or 0.0, one.model is not None, one.own.moved_bytes or 0) for one in tiled]
    return max(range(len(known)), key=lambda at: known[at])


def tried_bytes(state: RunState) -> int | None:
    """Return the capacity that is tried in place of the run's."""
    size = state.selected(TilingSelection).l1
    return round(float(size) * _KIB) if size else None


def operator_listed(state: RunState, data: RunData, row: int, _column: str = "") -> RunState:
    """Select the operator of a row; one that is selected already is cleared."""
    if not 0 <= row < len(data.tiling.tiled_operators):
        return state
    selection = state.selected(TilingSelection)
    return state.with_selected(replace(selection, operator=None if selection.operator == row else row, buffers=()))


def capacity_control(label: str) -> Callable[[RunData, RunState], list[Component]]:
    """Return what lays out the field of a capacity to try."""
    return lambda _data, state: [number_box("l1", state.selected(TilingSelection).l1, label, "KiB")]
