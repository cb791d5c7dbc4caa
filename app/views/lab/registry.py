"""All views of the lab, in reading order."""

from __future__ import annotations

from app.views.lab import front, order, picture, results, saved, state
from app.views.lab.state import LabState
from app.views.view import View
from app.views.view_page import ViewPage
from services.lab.data import LabData

VIEWS: tuple[View[LabData, LabState], ...] = (
    results.RESULTS,
    results.EXTENT,
    front.FRONT,
    picture.MAP,
    picture.BLOCK,
    picture.CHANGES,
    order.ORDER,
    saved.KEPT,
)

LAB = ViewPage(name="lab", views=VIEWS, state=LabState, zoomed=state.apply_zoom)
"""The page of the lab."""
CHOICES = LAB.choices
"""Name of every option -> the values that any view offers for it, the default first."""
parse = LAB.parse
"""Parse a query string of the lab."""
