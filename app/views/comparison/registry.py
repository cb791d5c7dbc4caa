"""Every view of a comparison, in reading order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.views.comparison import answer, array, each, memory, profile, state, timelines
from app.views.comparison.keys import KEYS
from app.views.comparison.state import CompareState
from app.views.comparison.view import CompareView
from app.views.screen import Screen, choices_of
from app.views.state import FARTHEST, covering
from app.views.steps import LEAST_WINDOW

VIEWS: tuple[CompareView, ...] = (
    each.EACH,
    answer.VERDICT,
    answer.ATTRIBUTION,
    answer.SETUP,
    answer.METRICS,
    *memory.VIEWS,
    *array.VIEWS,
    *profile.VIEWS,
    *timelines.VIEWS,
)
"""The views in reading order."""
CHOICES = choices_of(VIEWS)
"""Name of every choice -> the values that any view gives it, the default first."""


def parse(query: str) -> CompareState:
    """Return the view state that a query string names."""
    return state.parse(query or "", CHOICES)


def _zoomed(before: CompareState, zoom: Mapping[str, Any]) -> CompareState:
    """Take the ranges that a plot was zoomed to: a window of aligned ticks, a span of steps; None shows everything."""
    widths = {"window": LEAST_WINDOW, "span": 1}
    parts = {name: covering(zoom[name], -FARTHEST, width=widths[name]) for name in widths if name in zoom}
    return before.selecting(**parts) if parts else before


COMPARE = Screen(name="compare", views=VIEWS, parse=parse, zoomed=_zoomed, keys=KEYS)
"""The page of a comparison."""
