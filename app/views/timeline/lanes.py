"""Lanes of a run that its timeline shows: which, in which order, and how high."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from analysis.timeline.rows import TimelineData, TimelineRow, default_rows
from app.views.option import Option
from app.views.state import RunState
from app.views.tile_address import MAIN_LANES
from services.run.data import RunData

LANES = Option("lanes", "lanes shown", {MAIN_LANES: "main lanes", "all": "all lanes"})
HEIGHTS = Option(
    "laneheight",
    "height of lanes",
    {"1": "normal height", "1.6": "higher lanes", "2.4": "highest lanes"},
)
"""Option with the factor of the height of a lane."""


def timeline_rows(data: RunData, state: RunState) -> list[TimelineRow]:
    """Return the lanes that the timeline shows, in order: pinned tracks first, of folded tracks the
    first lane.
    """
    rows = unfolded_rows(data, state)
    tracks = tracks_of(data.timeline)
    folded = _names(tracks, state.folded)
    pinned = _names(tracks, state.pinned)
    starts = {row.track: row for row in reversed(rows)}
    shown = [row for row in rows if row.track not in folded or row == starts[row.track]]
    return sorted(shown, key=lambda row: row.track not in pinned)


def unfolded_rows(data: RunData, state: RunState) -> list[TimelineRow]:
    """Return all lanes, or the main lanes and the lanes of the selected track, as option LANES
    selects.
    """
    if LANES.of(state) == "all":
        return data.timeline.rows()
    return default_rows(data.timeline, state.selection.track)


def tracks_of(timeline: TimelineData) -> list[str]:
    """Return the tracks of a timeline in their order; their places are their numbers in an address."""
    return list(dict.fromkeys(row.track for row in timeline.rows()))


def folded_tracks(data: RunData, state: RunState) -> set[str]:
    """Return the names of the tracks that are folded."""
    return _names(tracks_of(data.timeline), state.folded)


def _names(tracks: Sequence[str], numbers: Collection[int]) -> set[str]:
    return {tracks[number] for number in numbers if number < len(tracks)}
