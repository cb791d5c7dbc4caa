"""Steps that every view shares: zooming, and clearing parts of the selection."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from analysis.memory.selection import MemorySelection
from analysis.selection import Selection
from app.views.state import RunState

LEAST_WINDOW = 10
_MOST = 2**62


def zoomed(state: RunState, zoom: Mapping[str, Any]) -> RunState:
    """Take the ranges that a plot was zoomed to: `window` in ticks, `span` in steps, `addresses` in bytes.

    None shows everything, what is not named stays.
    """
    if "window" in zoom:
        state = state.selecting(window=_window(zoom["window"]))
    named = {key: _whole_range(zoom[key]) for key in ("span", "addresses") if key in zoom}
    return state.remembering(**named) if named else state


def _window(window: object) -> tuple[int, int] | None:
    """Return a plot's range as ticks that cover it, at least a few."""
    if not isinstance(window, list | tuple) or len(window) != 2:
        return None
    begin, end = sorted((math.floor(float(window[0])), math.ceil(float(window[1]))))
    return begin, max(end, begin + LEAST_WINDOW)


def _whole_range(span: object) -> tuple[int, int] | None:
    """Return a plot's range as whole steps or bytes that cover it."""
    if not isinstance(span, list | tuple) or len(span) != 2:
        return None
    low, high = sorted(min(max(float(end), -_MOST), _MOST) for end in span)
    begin = max(0, math.floor(low))
    return begin, max(begin + 1, math.ceil(high))


def cleared(state: RunState, part: str) -> RunState:
    """Clear one part of the selection, or `all` of it; the attempt on display stays."""
    if part == "all":
        memory = MemorySelection(attempt=state.memory.attempt)
        return replace(state, selection=Selection(), memory=memory, search="", hit=0, counter="", find="")
    if part == "search":
        return replace(state, search="", hit=0)
    if part == "find":
        return replace(state, find="")
    if part in MemorySelection.__dataclass_fields__:
        return state.remembering(**{part: None})
    return state.selecting(**({part: None, "program": None, "kernel": None} if part == "kind" else {part: None}))
