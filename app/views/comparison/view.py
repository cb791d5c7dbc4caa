"""View records of a comparison: the generic records with the page data and view state of a
comparison.
"""

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
"""Type in the ids of the selectors on the comparison page, see `app.views.view_page`."""
