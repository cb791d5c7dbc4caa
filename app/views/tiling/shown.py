"""Determine which operator the views of tilings show, and which capacity they try."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dash.development.base_component import Component

from app.views.controls import number_box
from app.views.state import RunState
from app.views.tiling.selection import TilingSelection
from components.tiling.captions import fullest
from services.run.data import RunData

_KIB = 1024


def shown_operator(data: RunData, state: RunState) -> int:
    """Return the rank of the displayed operator: the selected operator, or the fullest."""
    tiled = data.tiling.tiled_operators
    selected = state.selected(TilingSelection).operator
    if selected is not None and selected < len(tiled):
        return selected
    return fullest(tiled)


def tried_bytes(state: RunState) -> int | None:
    """Return the capacity to try in bytes, from the KiB that the user entered; None for the run's
    own.
    """
    size = state.selected(TilingSelection).l1
    return round(float(size) * _KIB) if size else None


def operator_listed(state: RunState, data: RunData, row: int, _column: str = "") -> RunState:
    """Return the state with the tiled operator of rank `row` selected, or cleared if it was
    selected; changed buffering is reset.

    Unchanged if there is no such operator.
    """
    if not 0 <= row < len(data.tiling.tiled_operators):
        return state
    selection = state.selected(TilingSelection)
    return state.with_selected(
        replace(selection, operator=None if selection.operator == row else row, buffers=())
    )


def capacity_control(label: str) -> Callable[[RunData, RunState], list[Component]]:
    """Make a function (data, state) that lays out the field for a capacity to try, in KiB, labelled
    `label`.
    """
    return lambda _data, state: [number_box("l1", state.selected(TilingSelection).l1, label, "KiB")]
