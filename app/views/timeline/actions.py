"""View state changes of the timeline."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from analysis.kernels.links import find_kernel, first_event_name
from analysis.selection import name_key
from analysis.timeline.marker_windows import marker_windows
from analysis.timeline.rows import KERNELS
from app.views.actions import MIN_WINDOW
from app.views.executions import in_view, kernel_picked
from app.views.key import Key
from app.views.state import RunState, toggle_part
from app.views.timeline.fit import selection_fitted
from app.views.timeline.lanes import timeline_rows
from app.views.view import Click
from components.timeline.figure import parse_click
from services.run.capabilities import Capability
from services.run.data import RunData

_ZOOM, _SHIFT = 0.5, 0.25
_MOVES = MappingProxyType({"a": -1, "d": 1, "ArrowLeft": -1, "ArrowRight": 1})
"""Keys that move the window, and their direction."""
_MAX_SEARCH = 120
_AT_ONCE = 1_000
"""Maximum events with one name that start at the same time."""


def bar_clicked(state: RunState, data: RunData, click: Click) -> RunState:
    """Return the state with the tile of the clicked bar selected; on a selected tile, the duration
    of the clicked kernel.

    A second click clears it. Unchanged if the click hits no bar.
    """
    hit = parse_click(click, data.timeline, timeline_rows(data, state))
    if hit is None:
        return state
    row, start, end = hit
    if row.lane == KERNELS and row.track == state.selection.track:
        # Ranges are half-open; this one contains a single duration.
        return toggle_part(state, "duration", (end - start, end - start + 1))
    return toggle_part(state, "track", row.track)


def event_clicked(state: RunState, data: RunData, click: Click) -> RunState:
    """Return the state with the clicked kernel selected, or cleared if it was selected; for any
    other event, the state that searches for its name, and with the kernels selected that it
    launched as an operator or a Python function.

    Unchanged if the click hits no event.
    """
    hit = parse_click(click, data.timeline, timeline_rows(data, state))
    if hit is None:
        return state
    row, start, _ = hit
    kernel = find_kernel(data.profile.kernels, row.track, start)
    if kernel is not None:
        return kernel_picked(state, data, kernel)
    sought = event_sought(state, data, row.track, start)
    return _launcher_selected(
        sought, data, first_event_name(data.timeline.events, row.track, start)
    )


def _launcher_selected(state: RunState, data: RunData, name: str) -> RunState:
    """Return the state with the operator or Python function of a name selected if it launched
    kernels; the other of both is cleared.
    """
    for part, other in (("op", "python"), ("python", "op")):
        if part in data.profile.kernels and (data.profile.kernels[part] == name).any():
            return state.selecting(**{part: name_key(name), other: None})
    return state


def window_chosen(state: RunState, window: str) -> RunState:
    """Return the state with the window of a link: `begin-end` in ticks."""
    begin, end = (int(edge) for edge in window.split("-"))
    return state.selecting(window=(begin, end))


def move_window(state: RunState, data: RunData, key: str) -> RunState:
    """Return the state with the window zoomed (w, s) or moved (a, d, arrows) within the extent of
    the run.

    A zoom halves or doubles it, a move shifts it by a quarter. The whole run has no window;
    unchanged without events.
    """
    if not len(data.timeline.events):
        return state
    first, last = data.timeline.extent
    begin, end = state.selection.window or (first, last)
    width = end - begin
    if key in _MOVES:
        shift = round(width * _SHIFT) * _MOVES[key]
        # The window keeps its width when it reaches an end of the run.
        begin = min(max(begin + shift, first), max(first, last - width))
        end = begin + width
    else:
        wanted = max(MIN_WINDOW, round(width * (_ZOOM if key == "w" else 1 / _ZOOM)))
        begin = begin + (width - wanted) // 2
        end = begin + wanted
    begin = max(first, begin)
    end = min(last, end)
    # The state without a window shows the whole run; a zoom that collapses resets to it.
    if (begin, end) == (first, last) or end <= begin:
        return state.selecting(window=None)
    return state.selecting(window=(begin, end))


def match_stepped(state: RunState, data: RunData, step: int) -> RunState:
    """Return the state with the next (`step` 1) or previous (-1) match of the search current, and
    the window moved to it.

    After the last match comes the first. Unchanged without search words or matches.
    """
    if not state.search:
        return state
    matches = data.profile.found(state.search)
    # The count is 0 when nothing matches.
    number = (state.hit + step) % max(matches.count, 1)
    hit = matches.at(number)
    if hit is None:
        return state
    return in_view(replace(state, hit=number), data.profile, hit.start, hit.end)


def match_sought(state: RunState, data: RunData) -> RunState:
    """Return the state with the first match in or after the displayed window current, and the
    window moved to it; unchanged without search words.
    """
    if not state.search:
        return state
    begin, _ = state.selection.window or data.profile.extent
    return match_stepped(
        replace(state, hit=data.profile.found(state.search).next_after(begin)), data, 0
    )


def event_sought(state: RunState, data: RunData, track: str, start: int) -> RunState:
    """Return the state that searches for the name of the event at `start` (ns) on a track, with
    this event as the current match.

    If it is not found, the first match from that time on.
    """
    name = first_event_name(data.timeline.events, track, start)
    sought = replace(state, search=" ".join(name.split())[:_MAX_SEARCH], hit=0)
    matches = data.profile.found(sought.search)
    first = matches.next_after(start)
    # Several events of one name can start at the same time on different tracks, so the track
    # decides.
    for number in range(first, min(first + _AT_ONCE, matches.count)):
        hit = matches.at(number)
        if hit is not None and (hit.track, hit.start) == (track, start):
            return replace(sought, hit=number)
    return replace(sought, hit=first)


def marker_stepped(state: RunState, data: RunData, step: int) -> RunState:
    """Return the state that shows the next (`step` 1) or previous (-1) window between markers, at
    most the last or first.

    If no such window is shown, it is the first or last of all. Unchanged without markers.
    """
    windows = marker_windows(data.profile.frame("markers"), data.profile.extent)
    if not len(windows):
        return state
    intervals = list(zip(windows["start"].tolist(), windows["end"].tolist(), strict=True))
    shown = state.selection.window
    at = 0 if step > 0 else len(intervals) - 1
    if shown in intervals:
        at = intervals.index(shown) + step
    return state.selecting(window=intervals[min(max(at, 0), len(intervals) - 1)])


KEYS = (
    Key(
        ("w", "s"), "zoom in and out on the timeline", frozenset({Capability.TIMELINE}), move_window
    ),
    Key(
        ("a", "d", "ArrowLeft", "ArrowRight"),
        "move along the timeline",
        frozenset({Capability.TIMELINE}),
        move_window,
    ),
    Key(
        ("f",),
        "fit the match, kernel, iteration or tile that is selected into the timeline",
        frozenset({Capability.TIMELINE}),
        lambda state, data, _key: selection_fitted(state, data),
    ),
    Key(
        ("j", "k"),
        "next and previous window between markers",
        frozenset({Capability.TIMELINE, Capability.NAMED_KERNELS}),
        lambda state, data, key: marker_stepped(state, data, 1 if key == "j" else -1),
    ),
    Key(
        ("n", "N"),
        "next and previous match of the search",
        frozenset({Capability.NAMED_KERNELS}),
        lambda state, data, key: match_stepped(state, data, 1 if key == "n" else -1),
    ),
)
