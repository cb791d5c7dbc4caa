"""Views of the lab, with the types of what they show."""

from __future__ import annotations

from app.views.lab.state import LabState
from app.views.view import ContentView, Plot
from services.lab.data import LabData
from services.run.placement_question import LabQuestion
from services.run.placements import LabPlacement

LabPlot = Plot[LabData, LabState]
LabWords = ContentView[LabData, LabState]


def picked_answer(data: LabData, state: LabState) -> LabPlacement | None:
    """Return the answer to the question on display, None where it was not asked yet.

    It is the placement that moves as many bytes as were picked, where that is there.
    """
    if state.moved is not None and (point := data.front_point(state.moved)) is not None:
        return point
    return data.answer(LabQuestion(data.asked, state.strategy, state.seed, state.effort))
