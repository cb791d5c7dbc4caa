"""Which lanes of a run its timeline shows."""

from __future__ import annotations

from analysis.timeline.rows import Row, default_rows
from app.views.choice import Choice
from app.views.state import RunState
from services.runs import RunData

LANES = Choice("lanes", "lanes shown", {"auto": "main lanes", "all": "all lanes"})


def timeline_rows(data: RunData, state: RunState) -> list[Row]:
    """Return the lanes that the timeline shows."""
    if LANES.of(state) == "all":
        return data.timeline.rows()
    return default_rows(data.timeline, state.selection.track)
