"""View records of the lab, with its page data and view state."""

from __future__ import annotations

from app.views.lab.state import LabState
from app.views.view import ContentView, Plot
from services.lab.data import LabData
from services.run.placement_question import LabQuestion
from services.run.placements import LabPlacement

LabPlot = Plot[LabData, LabState]
LabWords = ContentView[LabData, LabState]


def picked_placement(data: LabData, state: LabState) -> LabPlacement | None:
    """Return the displayed placement; None if the problem was not searched yet.

    That is the placement of least disturbance that was picked, if it exists, or the result of the
    chosen strategy, seed and effort.
    """
    if state.moved is not None and (point := data.front_point(state.moved)) is not None:
        return point
    return data.find_placement(LabQuestion(data.asked, state.strategy, state.seed, state.effort))
