"""The menu that folds and pins the tracks of a run's timeline."""

from __future__ import annotations

from dash.development.base_component import Component

from app.views.lane_menu import lane_link, marking_menu
from app.views.state import RunState
from app.views.timeline.lanes import unfolded_rows
from app.views.timeline_lanes import tracks_of
from services.run.data import RunData

_LANE = "run-lane"
"""Type in the ids of the menu's buttons."""
LANE_LINK = lane_link(_LANE)


def lane_menu(data: RunData, state: RunState) -> list[Component]:
    """Lay out the menu with the tracks of a run that are shown; empty if there is one track."""
    shown = {row.track for row in unfolded_rows(data, state)}
    return marking_menu(tracks_of(data.timeline), shown, state, _LANE)
