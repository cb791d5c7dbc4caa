"""What people do in the views of a profile, as steps from one view state to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from analysis.profile.marker_windows import marker_windows
from app.profile_views import kernel_rows
from app.run_data import RunData
from app.state import RunState

_AROUND = 20
"""A match that is shown alone takes this part of the window."""


def kernel_listed(state: RunState, data: RunData, row: int) -> RunState:
    """Select the kernel of a row of the kernel table; one that is selected already is cleared."""
    table = kernel_rows(data, state)
    if not 0 <= row < len(table):
        return state
    name, program = str(table["name"].iloc[row]), table["program"].iloc[row]
    chosen = {"kind": name, "program": None if pd.isna(program) else int(program)}
    same = all(getattr(state.selection, key) == value for key, value in chosen.items())
    return state.selecting(kernel=None, **({"kind": None, "program": None} if same else chosen))


def kernel_picked(state: RunState, data: RunData, row: int) -> RunState:
    """Select one execution, by its position in frame `kernels`, and with it its kernel; again clears it."""
    if data.profile is None or not 0 <= row < len(data.profile.kernels):
        return state
    if state.selection.kernel == row:
        return state.selecting(kernel=None, kind=None, program=None)
    kernel = data.profile.kernels.iloc[row]
    program = None if pd.isna(kernel["program"]) else int(kernel["program"])
    return state.selecting(kernel=row, kind=str(kernel["name"]), program=program)


def point_clicked(state: RunState, click: Mapping[str, Any] | None, data: RunData) -> RunState:
    """Select the kernel of a point of the roofline."""
    points = (click or {}).get("points") or [{}]
    named = points[0].get("customdata")
    row = named[0] if isinstance(named, list) and named else None
    return state if row is None else kernel_listed(state, data, int(row))


def match_stepped(state: RunState, data: RunData, step: int) -> RunState:
    """Go to the next (1) or previous (-1) match of the search, and bring it into view."""
    if data.profile is None or not state.search:
        return state
    found = data.profile.found(state.search)
    number = (state.hit + step) % max(found.count, 1)
    hit = found.at(number)
    if hit is None:
        return state
    state = replace(state, hit=number)
    begin, end = state.selection.window or data.profile.extent
    if begin <= hit.start and hit.end <= end:
        return state
    width = max(end - begin, (hit.end - hit.start) * _AROUND)
    middle = (hit.start + hit.end) // 2
    return state.selecting(window=(middle - width // 2, middle - width // 2 + width))


def marker_stepped(state: RunState, data: RunData, step: int) -> RunState:
    """Show the next (1) or previous (-1) window between two markers; the first or last where none is shown."""
    if data.profile is None:
        return state
    windows = marker_windows(data.profile.frame("markers"), data.profile.extent)
    if not len(windows):
        return state
    known = list(zip(windows["start"].tolist(), windows["end"].tolist(), strict=True))
    shown = state.selection.window
    at = known.index(shown) + step if shown in known else (0 if step > 0 else len(known) - 1)
    return state.selecting(window=known[min(max(at, 0), len(known) - 1)])


def counter_picked(state: RunState, data: RunData, row: int, counter: str) -> RunState:
    """Show a counter of one execution per instance."""
    if data.profile is None or not 0 <= row < len(data.profile.kernels):
        return state
    picked = state if state.selection.kernel == row else kernel_picked(state, data, row)
    return replace(picked, counter=counter)
