"""Controls above the memory map."""

from __future__ import annotations

from collections.abc import Callable

from dash.development.base_component import Component

from app.views.controls import find_box
from app.views.state import RunState
from services.run.data import RunData


def find_control(placeholder: str) -> Callable[[RunData, RunState], list[Component]]:
    """Make a function (data, state) that lays out the search field for names of blocks, with
    `placeholder` as its hint.
    """
    return lambda _data, state: [find_box("find", state.find, placeholder)]
