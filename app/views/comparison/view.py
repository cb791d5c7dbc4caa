"""The view records of a comparison: those of any page, with its data and its view state."""

from __future__ import annotations

from app.views.comparison.state import CompareState
from app.views.view import ContentView, Grid, Link, Plot, View
from services.comparison.data import CompareData

ComparePlot = Plot[CompareData, CompareState]
CompareWords = ContentView[CompareData, CompareState]
CompareLink = Link[CompareData, CompareState]
CompareGrid = Grid[CompareData, CompareState]
CompareView = View[CompareData, CompareState]
CHOICE = "compare-choice"
"""Type of the ids of what chooses how a comparison is shown, see `app.views.view_page`."""
