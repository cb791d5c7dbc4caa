"""What people do in the views of a profile, as steps from one view state to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from analysis.kernels.links import name_at
from analysis.selection import name_key
from analysis.timeline.marker_windows import marker_windows
from app.views.kernels.panels import kernel_rows
from app.views.state import RunState
from services.profile import ProfileData
from services.runs import RunData

_AROUND = 20
"""What is brought into view takes at most this part of the window."""
_MOST_WORDS = 120
_AT_ONCE = 1_000
"""Events with one name that begin at one moment, at most."""


def kernel_listed(state: RunState, data: RunData, row: int) -> RunState:
    """Select the kernel of a row of the kernel table; one that is selected already is cleared."""
    table = kernel_rows(data, state)
    if not 0 <= row < len(table):
        return state
    name, program = str(table["name"].iloc[row]), table["program"].iloc[row]
    chosen = {"kind": name_key(name), "program": None if pd.isna(program) else int(program)}
    same = all(getattr(state.selection, key) == value for key, value in chosen.items())
    return state.selecting(kernel=None, **({"kind": None, "program": None} if same else chosen))


def kernel_picked(state: RunState, data: RunData, row: int) -> RunState:
    """Select one execution, by its position in frame `kernels`, and with it its kernel; again clears it."""
    if state.selection.kernel == row:
        return state.selecting(kernel=None, kind=None, program=None)
    return kernel_shown(state, data, row)


def kernel_shown(state: RunState, data: RunData, row: int) -> RunState:
    """Select one execution and bring it into view; another device than its own is no longer selected."""
    if data.profile is None or not 0 <= row < len(data.profile.kernels):
        return state
    kernel = data.profile.kernels.iloc[row]
    program = None if pd.isna(kernel["program"]) else int(kernel["program"])
    track = state.selection.track if state.selection.track == str(kernel["track"]) else None
    chosen = state.selecting(kernel=row, kind=name_key(str(kernel["name"])), program=program, track=track)
    return _in_view(chosen, data.profile, int(kernel["start"]), int(kernel["end"]))


def program_listed(state: RunState, program: int) -> RunState:
    """Select a program of a run whose kernels have no times; again clears it."""
    return state.selecting(program=None if state.selection.program == program else program)


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
    return _in_view(replace(state, hit=number), data.profile, hit.start, hit.end)


def match_sought(state: RunState, data: RunData) -> RunState:
    """Stand on the first match in or after the window that is shown, and bring it into view."""
    if data.profile is None or not state.search:
        return state
    begin, _ = state.selection.window or data.profile.extent
    return match_stepped(replace(state, hit=data.profile.found(state.search).next_after(begin)), data, 0)


def event_sought(state: RunState, data: RunData, track: str, start: int) -> RunState:
    """Search for the name of an event that is no kernel, and stand on it."""
    if data.profile is None:
        return state
    name = name_at(data.timeline.events, track, start)
    sought = replace(state, search=" ".join(name.split())[:_MOST_WORDS], hit=0)
    found = data.profile.found(sought.search)
    first = found.next_after(start)
    for number in range(first, min(first + _AT_ONCE, found.count)):
        hit = found.at(number)
        if hit is not None and (hit.track, hit.start) == (track, start):
            return replace(sought, hit=number)
    return replace(sought, hit=first)


def _in_view(state: RunState, profile: ProfileData, start: int, end: int) -> RunState:
    """Move the window, where there is one, so that an interval lies in it."""
    begin, stop = state.selection.window or profile.extent
    if begin <= start and end <= stop:
        return state
    width = max(stop - begin, (end - start) * _AROUND)
    middle = (start + end) // 2
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
    """Show a counter of one execution per instance; a cell that is no counter's selects the execution alone."""
    if data.profile is None or not 0 <= row < len(data.profile.kernels):
        return state
    shown = kernel_shown(state, data, row)
    known = (data.profile.frame("counters")["name"] == counter).any()
    return replace(shown, counter=counter) if known else shown
