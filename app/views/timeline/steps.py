"""What people do on a run's page, as steps from one view state to the next."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

import numpy as np

from analysis.kernels.links import kernel_at
from analysis.selection import Selection, name_key
from analysis.timeline.rows import KERNELS, SYSTEM
from app.views.aie.panels import timeline_rows
from app.views.kernels.steps import event_sought, kernel_picked, marker_stepped, match_stepped
from app.views.state import AS_STORED, OVERRIDES, RunState, make, overridden
from components.aie.iterations import shown_track
from components.timeline.figure import clicked
from services.runs import RunData

_ZOOM, _SHIFT = 0.5, 0.25
_LEAST_WINDOW = 10

Click = Mapping[str, Any] | None


def toggled(state: RunState, part: str, value: object) -> RunState:
    """Return the state with one part of the selection set, or cleared where it was that already."""
    return state.selecting(**{part: None if getattr(state.selection, part) == value else value})


def custom(click: Click) -> list[Any]:
    """Return the customdata of a click's first point, empty without any."""
    points = (click or {}).get("points") or [{}]
    data = points[0].get("customdata")
    return list(data) if isinstance(data, list | tuple) else [] if data is None else [data]


def iteration_clicked(state: RunState, click: Click) -> RunState:
    """Select the iteration of a bar, and the tile of a tile's point."""
    data = custom(click)
    if len(data) < 2:
        return state
    iteration, track = int(data[0]), str(data[1])
    if track not in (SYSTEM, state.selection.track):
        return state.selecting(iteration=iteration, track=track)
    return toggled(state, "iteration", iteration)


def tile_clicked(state: RunState, click: Click) -> RunState:
    """Select the tile of a cell or bar."""
    data = custom(click)
    return toggled(state, "track", str(data[0])) if data else state


def duration_clicked(state: RunState, click: Click) -> RunState:
    """Select the range of a bin; in the views by group, the group."""
    data = custom(click)
    if not data:
        return state
    if state.durations == "histogram" and len(data) >= 2:
        return toggled(state, "duration", (math.floor(data[0]), max(math.floor(data[0]) + 1, math.ceil(data[1]))))
    if state.durations == "tile":
        return toggled(state, "track", str(data[0]))
    if state.durations == "iteration":
        return toggled(state, "iteration", int(data[0]))
    return toggled(state, "kind", name_key(str(data[0]))) if state.durations in ("kind", "first") else state


def timeline_clicked(state: RunState, click: Click, data: RunData) -> RunState:
    """Select the tile of a bar; of a kernel on a selected tile its duration."""
    hit = clicked(click, timeline_rows(data, state))
    if hit is None:
        return state
    row, start, end = hit
    kernel = kernel_at(data.profile.kernels, row.track, start) if data.profile else None
    if kernel is not None:
        return kernel_picked(state, data, kernel)
    if data.profile is not None:
        return event_sought(state, data, row.track, start)
    if row.lane == KERNELS and row.track == state.selection.track:
        return toggled(state, "duration", (end - start, end - start + 1))
    return toggled(state, "track", row.track)


def zoomed(state: RunState, window: object) -> RunState:
    """Take the window that a plot was zoomed to, [begin, end] in ticks; None shows everything."""
    if not isinstance(window, list | tuple) or len(window) != 2:
        return state.selecting(window=None)
    begin, end = sorted((math.floor(float(window[0])), math.ceil(float(window[1]))))
    return state.selecting(window=(begin, max(end, begin + _LEAST_WINDOW)))


def key_pressed(state: RunState, key: str, data: RunData) -> RunState:
    """Follow a key: w s zoom, a d move, j k step through iterations or markers, n N through matches, Escape clears."""
    if key == "Escape":
        return cleared(state, "all")
    if key in _STEPS:
        step, by = _STEPS[key]
        return step(state, data, by)
    return _moved(state, key, data) if len(data.timeline.events) else state


def _moved(state: RunState, key: str, data: RunData) -> RunState:
    """Zoom or move the window, inside of what there is."""
    first, last = data.timeline.extent
    begin, end = state.selection.window or (first, last)
    width = end - begin
    if key in "ad":
        shift = round(width * _SHIFT) * (1 if key == "d" else -1)
        begin = min(max(begin + shift, first), max(first, last - width))
        end = begin + width
    else:
        wanted = max(_LEAST_WINDOW, round(width * (_ZOOM if key == "w" else 1 / _ZOOM)))
        begin = begin + (width - wanted) // 2
        end = begin + wanted
    begin, end = max(first, begin), min(last, end)
    if (begin, end) == (first, last) or end <= begin:
        return state.selecting(window=None)
    return state.selecting(window=(begin, end))


def _next(state: RunState, data: RunData, step: int) -> RunState:
    """Go to the next or previous window between markers of a profile, iteration of a capture."""
    return marker_stepped(state, data, step) if data.profile is not None else _stepped(state, step, data)


_STEPS: Mapping[str, tuple[Callable[[RunState, RunData, int], RunState], int]] = {
    "j": (_next, 1),
    "k": (_next, -1),
    "n": (match_stepped, 1),
    "N": (match_stepped, -1),
}
"""Key -> what it steps through, and which way."""


def _stepped(state: RunState, step: int, data: RunData) -> RunState:
    """Return the state on the next or previous iteration of what is shown, moving the window where it lies outside.

    Where none in the window is selected it is the first (or last) one in it, else the nearest one behind it.
    """
    rows = data.iterations[data.iterations["track"] == shown_track(data.iterations, state.selection)]
    rows = rows[rows["first_start"].notna() & rows["last_end"].notna()].sort_values("iteration")
    if not len(rows):
        return state
    starts, ends = (rows[name].to_numpy(np.int64) for name in ("first_start", "last_end"))
    at = _place(state.selection, rows["iteration"].to_numpy(np.int64), (starts, ends), step)
    at = min(max(at, 0), len(rows) - 1)
    shown = state.selecting(iteration=int(rows["iteration"].iloc[at]))
    return _window_on(shown, (int(starts[at]), int(ends[at])), data)


def _place(selection: Selection, numbers: np.ndarray, spans: tuple[np.ndarray, np.ndarray], step: int) -> int:
    """Return the rank of the iteration to go to, possibly out of range."""
    starts, ends = spans
    begin, end = selection.window or (int(starts.min()), int(ends.max()))
    in_view = (starts < end) & (ends > begin)
    now = np.flatnonzero((numbers == selection.iteration) & in_view)
    if len(now):
        return int(now[0]) + step
    return int((ends <= begin).sum()) if step > 0 else int((starts < end).sum()) - 1


def _window_on(state: RunState, span: tuple[int, int], data: RunData) -> RunState:
    """Move the window, where there is one that does not overlap the span, onto it, as wide as it was."""
    if state.selection.window is None:
        return state
    begin, end = state.selection.window
    if span[0] < end and span[1] > begin:
        return state
    first, last = data.timeline.extent
    width = end - begin
    middle = sum(span) // 2 if width > span[1] - span[0] else span[0] + width // 2
    begin = min(max(middle - width // 2, first), max(first, last - width))
    return state.selecting(window=(begin, begin + width))


def choices_made(state: RunState, choices: Mapping[str, str]) -> RunState:
    """Take what the page's choices hold, by field of the state; what is none of its values is as if not chosen."""
    others = {key: value for key, value in parse_qsl(state.query()) if key not in choices}
    return make({**others, **choices})


def choice_of(state: RunState, name: str) -> str:
    """Return what a choice of the page holds."""
    return state.overrides.get(name, AS_STORED) if name in OVERRIDES else str(getattr(state, name))


def setting_changed(state: RunState, key: str, text: str | None) -> RunState:
    """Override a setting, or take it as stored where the text is empty or no value of it."""
    return overridden(state, key, (text or "").strip() or None)


def cleared(state: RunState, part: str) -> RunState:
    """Clear one part of the selection, or `all` of it; without a kernel there is no program of it."""
    if part == "all":
        return replace(state, selection=Selection(), search="", hit=0, counter="")
    if part == "search":
        return replace(state, search="", hit=0)
    return state.selecting(**({part: None, "program": None, "kernel": None} if part == "kind" else {part: None}))
