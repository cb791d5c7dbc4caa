"""Lanes of both timelines of a comparison: they are folded, pinned and resized together."""

from __future__ import annotations

from dataclasses import dataclass

from dash.development.base_component import Component

from analysis.timeline.rows import TimelineData, TimelineRow
from app.views.comparison.state import CompareState
from app.views.counters_option import counters_option
from app.views.lane_menu import lane_link, marking_menu
from app.views.timeline_lanes import ALL_LANES, HEIGHTS, LANES, MarkedTracks, lanes_shown, tracks_of
from services.comparison.data import CompareData

_LANE = "compare-lane"
_MAX_ROWS = 14
"""Maximum number of lanes of a side, unless all lanes are chosen or a single tile is selected."""


def _has_counters(data: CompareData) -> bool:
    return any(run.counters for run in data.timelines)


OPTIONS = (LANES, HEIGHTS, counters_option(_has_counters))
"""Options of both timelines."""
LANE_LINK = lane_link(_LANE)


@dataclass(frozen=True)
class ComparedLanes:
    """Lanes of a side: `rows` are drawn; `folded` lanes of folded tracks and `hidden` further lanes
    are not.
    """

    rows: list[TimelineRow]
    folded: int
    hidden: int


def compared_lanes(data: CompareData, state: CompareState, side: int) -> ComparedLanes:
    """Return the lanes of a side (0: base, 1: new) as the options and the menu of its page select."""
    run = data.timelines[side]
    unfolded = shown_lanes(run, state)
    arranged = compared_marks(data, state).arrange(unfolded)
    is_cut = LANES.of(state) != ALL_LANES
    rows = arranged[:_MAX_ROWS] if is_cut else arranged
    return ComparedLanes(rows, len(unfolded) - len(arranged), len(arranged) - len(rows))


def shown_lanes(run: TimelineData, state: CompareState) -> list[TimelineRow]:
    """Return the lanes of a run that option LANES selects, or only the lanes of the selected tile
    if it has any.
    """
    rows = lanes_shown(run, state, state.selection.track or None)
    own = [row for row in rows if row.track == state.selection.track]
    return own or rows


def compared_marks(data: CompareData, state: CompareState) -> MarkedTracks:
    """Return the names of the folded and the pinned tracks, which apply to both runs."""
    return MarkedTracks.of(tracks_of(*data.timelines), state.folded, state.pinned)


def lane_menu(data: CompareData, state: CompareState) -> list[Component]:
    """Lay out the menu that folds and pins tracks of both timelines; empty if there is one track."""
    shown = {row.track for run in data.timelines for row in shown_lanes(run, state)}
    return marking_menu(tracks_of(*data.timelines), shown, state, _LANE)
