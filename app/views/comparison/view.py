"""The view records of a comparison: those of any page, with its data and its view state."""

from __future__ import annotations

from app.views.comparison.state import CompareState
from app.views.view import Grid, Link, Plot, View, Words
from services.comparisons import CompareData

ComparePlot = Plot[CompareData, CompareState]
CompareWords = Words[CompareData, CompareState]
CompareLink = Link[CompareData, CompareState]
CompareGrid = Grid[CompareData, CompareState]
CompareView = View[CompareData, CompareState]
CHOICE = "compare-choice"
"""Type of the ids of what chooses how a comparison is shown, see `app.views.screen`."""
