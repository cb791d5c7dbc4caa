"""View state changes that all views share: zooming, and clearing parts of the selection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from analysis.memory.selection import MemorySelection
from analysis.selection import Selection
from app.views.address.ranges import FARTHEST, covering
from app.views.state import RunState

MIN_WINDOW = 10
"""Smallest width of a window, in ticks."""
_SELECTED = ("selection", "memory", "search", "hit", "find", "view_selections")


def apply_zoom(state: RunState, zoom: Mapping[str, Any]) -> RunState:
    """Return the state with the ranges that a plot was zoomed to.

    `zoom` may have `window` (ticks), `span` (time steps) and `addresses` (bytes). A value of None,
    or an invalid range, shows the whole range; a missing key leaves the range as it is.
    """
    if "window" in zoom:
        # Windows may begin before tick 0, time steps and addresses may not.
        state = state.selecting(window=covering(zoom["window"], -FARTHEST, width=MIN_WINDOW))
    named = {key: covering(zoom[key]) for key in ("span", "addresses") if key in zoom}
    return state.remembering(**named) if named else state


_PARTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "search": ("search", "hit"),
        "find": ("find",),
    }
)
"""Part of the selection -> fields of the view state that are cleared with it."""


def clear_part(state: RunState, part: str) -> RunState:
    """Return the state with a part of the selection cleared, by name, or all of it if `part` is
    `all`.

    The displayed attempt stays selected in both cases.
    """
    if part == "all":
        shown = RunState(memory=MemorySelection(attempt=state.memory.attempt))
        return replace(state, **{name: getattr(shown, name) for name in _SELECTED})
    if part in _PARTS:
        return replace(state, **{name: getattr(RunState(), name) for name in _PARTS[part]})
    if part in MemorySelection.__dataclass_fields__:
        return state.remembering(**{part: None})
    if part not in Selection.__dataclass_fields__:
        return state.without(part)
    # A program and an execution belong to a kernel name (`kind`), so they are cleared with it.
    return state.selecting(
        **({part: None, "program": None, "kernel": None} if part == "kind" else {part: None})
    )
