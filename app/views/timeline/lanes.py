"""Lanes that the timeline of a run shows, in order."""

from __future__ import annotations

from analysis.timeline.rows import TimelineRow
from app.views.state import RunState
from app.views.timeline_lanes import MarkedTracks, lanes_shown, tracks_of
from services.run.data import RunData


def timeline_rows(data: RunData, state: RunState) -> list[TimelineRow]:
    """Return the lanes that the timeline of a run shows, in order."""
    return marked_tracks(data, state).arrange(unfolded_rows(data, state))


def unfolded_rows(data: RunData, state: RunState) -> list[TimelineRow]:
    """Return all lanes, or the main lanes and the lanes of the selected track, as option LANES
    selects.
    """
    return lanes_shown(data.timeline, state, state.selection.track)


def marked_tracks(data: RunData, state: RunState) -> MarkedTracks:
    """Return the names of the folded and the pinned tracks of a run."""
    return MarkedTracks.of(tracks_of(data.timeline), state.folded, state.pinned)
