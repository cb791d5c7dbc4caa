"""Views of the timelines of two runs, aligned and with a shared window."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from dash.development.base_component import Component

from analysis.aie.iterations import system_mask
from analysis.selection import Selection
from analysis.timeline.detail import BUDGET
from analysis.timeline.rows import TimelineData
from app.views.comparison.state import CompareState
from app.views.comparison.timeline_lanes import (
    LANE_LINK,
    OPTIONS,
    ComparedLanes,
    compared_lanes,
    compared_marks,
    lane_menu,
)
from app.views.comparison.view import CHOICE, ComparePlot
from app.views.controls import choice, name_control
from app.views.counters_option import timeline_shown
from app.views.option import Option
from app.views.tile_address import compared_tiles
from app.views.timeline_lanes import HEIGHTS, LANES
from app.views.view import Panel, Width
from components.graph import nothing
from components.numbers import integer, shorten
from components.time_axis import time_axis
from components.timeline.figure import left_margin, timeline
from schema.plurals import plural
from services.comparison.data import CompareData
from services.run.capabilities import Capability

ALIGN = Option(
    "align", "zero point of both timelines", {"part": "iteration, marker", "start": "start of each"}
)
_MAX_MARKERS = 300
_MAX_NAMED = 6
"""Maximum number of tracks of one side that the caption names."""
_MAX_NAME = 48
_SIDES = ("base", "new")
_FIRST_KERNEL = "0 is the first kernel."


def timeline_panel(data: CompareData, state: CompareState, theme: str, *, side: int) -> Panel:
    """Draw the timeline of a side (0: base, 1: new) in the shared window; time 0 is the point of
    alignment.

    A run without events gets a sentence.
    """
    run = data.timelines[side]
    lanes = compared_lanes(data, state, side)
    if not lanes.rows:
        return Panel(nothing(theme), f"The {_SIDES[side]} run has no events.")
    anchors = _anchors(data, state)
    window = state.selection.window or _whole(data, anchors)
    anchor = anchors[side]
    chosen = Selection(track=state.selection.track or None, iteration=state.selection.iteration)
    raw = window[0] + anchor, window[1] + anchor
    # Both timelines together get the budget of events of a single timeline.
    budget = BUDGET // len(_SIDES)
    drawn = timeline(
        timeline_shown(run, state),
        lanes.rows,
        chosen,
        theme,
        window=raw,
        budget=budget,
        tiles=compared_tiles(data.detail_runs[side], run, LANES.of(state), theme),
        folded=compared_marks(data, state).folded,
        lane_scale=float(HEIGHTS.of(state)),
    )
    axis = time_axis(window, run.unit, clock_hz=run.clock_hz)
    # Both timelines get the wider margin, so that equal times are at equal places on the page.
    sides = [compared_lanes(data, state, other) for other in range(len(_SIDES))]
    margin = max(left_margin(other.rows) for other in sides)
    figure = drawn.figure.move_along(-anchor).with_layout(
        xaxis=axis, uirevision=str(window), margin={"l": margin}
    )
    line = f"{drawn.line} {data.of_groups}".strip()
    caption = f"{_SIDES[side]}: {_lanes_text(lanes)} {_alignment_text(data, state, run)}"
    return Panel(figure, " ".join(filter(None, [caption, _only_here(data, side)])), line)


def _lanes_text(lanes: ComparedLanes) -> str:
    """Return a sentence with the number of lanes that are drawn, and of those that are not."""
    folded = f", {integer(lanes.folded)} folded" if lanes.folded else ""
    more = (
        f", {integer(lanes.hidden)} more under all lanes or when their tile is selected"
        if lanes.hidden
        else ""
    )
    return f"{plural(len(lanes.rows), 'lane')}{folded}{more}."


def _only_here(data: CompareData, side: int) -> str:
    """Return a sentence that names at most _MAX_NAMED (6) tracks that the other side lacks; "" if
    there are none.
    """
    lanes = data.result.lanes
    names = lanes[side] if lanes else []
    if not names:
        return ""
    listed = [shorten(name, _MAX_NAME) for name in names[:_MAX_NAMED]]
    left = len(names) - len(listed)
    more = f" and {integer(left)} more" if left else ""
    return f"Only in {_SIDES[side]}: {', '.join(listed)}{more}."


def marker_control(data: CompareData, state: CompareState) -> list[Component]:
    """Lay out the selector of the marker for the alignment; empty if the runs have iterations or no
    markers.
    """
    if data.can(Capability.ITERATIONS) or not data.can(Capability.MARKERS):
        return []
    options = {str(rank): f"marker {rank}" for rank in range(_markers(data))}
    return [
        name_control(
            "marker that is 0", choice("iteration", options, str(shown_marker(data, state)), CHOICE)
        )
    ]


def shown_marker(data: CompareData, state: CompareState) -> int:
    """Return the number, from 0, of the marker that is 0 on both timelines: the chosen marker, or
    the last that both runs have.
    """
    return max(0, min(state.selection.iteration or 0, _markers(data) - 1))


def _markers(data: CompareData) -> int:
    """Return the number of markers that both runs have, at most _MAX_MARKERS (300)."""
    return min(
        _MAX_MARKERS, *(len(run.run_frames.frame_by_name["markers"]) for run in data.detail_runs)
    )


def whole_window(data: CompareData, state: CompareState) -> tuple[int, int]:
    """Return (begin, end) in aligned ticks, the window that contains all of both runs."""
    return _whole(data, _anchors(data, state))


def _whole(data: CompareData, anchors: tuple[int, int]) -> tuple[int, int]:
    """Return (begin, end) in ticks, the window that contains both timelines, each shifted so that
    its own anchor is at 0.
    """
    extents = [run.extent for run in data.timelines]
    begins, ends = (
        [extent[end] - anchor for extent, anchor in zip(extents, anchors, strict=True)]
        for end in (0, 1)
    )
    return min(begins), max(ends)


def _anchors(data: CompareData, state: CompareState) -> tuple[int, int]:
    """Return (base, new): for each run the time (ticks) that is 0 on the shared axis."""
    if ALIGN.of(state) == "start":
        base, new = (run.extent[0] for run in data.timelines)
    elif data.can(Capability.ITERATIONS):
        base, new = (_iteration(run, state) for run in data.timelines)
    else:
        base, new = (_marker(run, shown_marker(data, state)) for run in data.timelines)
    return base, new


def _iteration(run: TimelineData, state: CompareState) -> int:
    """Return the start (tick) of the selected iteration; if the run lacks it, of the first perf
    iteration, then of any, else the start of the run.
    """
    rows = run.iterations
    timed = system_mask(rows) & rows["first_start"].notna().to_numpy(bool)
    own = timed & (rows["iteration"] == state.selection.iteration).to_numpy(bool)
    perf = timed & np.asarray(rows["phase"].array == "perf", bool)
    wanted = next((chosen for chosen in (own, perf, timed) if chosen.any()), None)
    return run.extent[0] if wanted is None else int(rows["first_start"].array[wanted.argmax()])


def _marker(run: TimelineData, number: int) -> int:
    """Return the time of a marker, the last if there are fewer; without markers the start of the
    first kernel, or of the run.
    """
    times = np.sort(run.markers["start"].to_numpy(np.int64))
    if len(times):
        return int(times[min(number, len(times) - 1)])
    return run.busy[1].extent[0] if run.busy else run.extent[0]


def _alignment_text(data: CompareData, state: CompareState, run: TimelineData) -> str:
    """Return a sentence about the point that is 0 on the timeline of a run, such as `0 is marker
    2.`.
    """
    if ALIGN.of(state) == "start":
        return "0 is where each begins."
    if not data.can(Capability.ITERATIONS):
        return (
            f"0 is marker {shown_marker(data, state)}."
            if data.can(Capability.MARKERS)
            else _FIRST_KERNEL
        )
    chosen = state.selection.iteration
    rows = run.iterations
    is_captured = chosen is not None and bool((rows["iteration"] == chosen).any())
    which = f"iteration {chosen}" if is_captured else "the first perf iteration"
    return f"0 is the start of {which}."


def _controls(data: CompareData, state: CompareState) -> list[Component]:
    return [*marker_control(data, state), *lane_menu(data, state)]


_HELP = (
    "The timelines of both runs in one window, aligned by the selected iteration, the first marker or their "
    "starts. Drag moves both, shift and drag select a time, the wheel with ctrl zooms; double click shows all. "
    "Lanes fold, pin and grow in both. A selected tile shows all of its lanes."
)
TIMELINE_OF_BASE = ComparePlot(
    id="timeline-base",
    title="Timeline of base",
    help=_HELP,
    needs=frozenset({Capability.TIMELINE}),
    group="timelines",
    width=Width.FULL,
    choices=(ALIGN, *OPTIONS),
    controls=_controls,
    links=(LANE_LINK,),
    draw=partial(timeline_panel, side=0),
    zooms=("window",),
)
"""The upper timeline has the controls of both."""
TIMELINE_OF_NEW = replace(
    TIMELINE_OF_BASE,
    id="timeline-new",
    title="Timeline of new",
    choices=(),
    controls=lambda _data, _state: [],
    links=(),
    draw=partial(timeline_panel, side=1),
)
VIEWS = (TIMELINE_OF_BASE, TIMELINE_OF_NEW)
"""The timelines; the base comes first."""
