"""Every view of the lab, in reading order."""

from __future__ import annotations

from app.views.lab import answers, kept, order, picture, state
from app.views.lab.state import LabState
from app.views.screen import Screen, choices_of
from app.views.view import View
from services.lab.data import LabData

VIEWS: tuple[View[LabData, LabState], ...] = (
    answers.ANSWERS,
    answers.EXTENT,
    picture.MAP,
    picture.BLOCK,
    picture.CHANGES,
    order.ORDER,
    kept.KEPT,
)
CHOICES = choices_of(VIEWS)


def parse(query: str) -> LabState:
    """Return the view state that a query string names."""
    return state.parse(query or "", CHOICES)


LAB = Screen(name="lab", views=VIEWS, parse=parse, zoomed=state.zoomed)
"""The page of the lab."""
