"""Lanes of a run that its timeline shows."""

from __future__ import annotations

from analysis.timeline.rows import TimelineRow, default_rows
from app.views.option import Option
from app.views.state import RunState
from services.run.data import RunData

LANES = Option("lanes", "lanes shown", {"auto": "main lanes", "all": "all lanes"})


def timeline_rows(data: RunData, state: RunState) -> list[TimelineRow]:
    """Return the lanes that the timeline shows: all, or the main lanes and those of the selected
    track, as option LANES selects.
    """
    if LANES.of(state) == "all":
        return data.timeline.rows()
    return default_rows(data.timeline, state.selection.track)
