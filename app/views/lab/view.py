"""Views of the lab, with the types of what they show."""

from __future__ import annotations

from app.views.lab.state import LabState
from app.views.view import Plot, Words
from services.lab.answers import LabAnswer
from services.lab.data import LabData
from services.lab.question import LabQuestion

LabPlot = Plot[LabData, LabState]
LabWords = Words[LabData, LabState]


def picked(data: LabData, state: LabState) -> LabAnswer | None:
    """Return the answer to the question on display, None where it was not asked yet."""
    return data.answer(LabQuestion(data.asked, state.strategy, state.seed, state.effort))
