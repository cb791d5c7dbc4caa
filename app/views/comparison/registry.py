"""Every view of a comparison, in reading order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.views.actions import LEAST_WINDOW
from app.views.address.ranges import FARTHEST, covering
from app.views.comparison import answer, array, each, memory, profile, programs, timelines
from app.views.comparison.keys import KEYS
from app.views.comparison.state import CompareState
from app.views.comparison.view import CompareView
from app.views.view_page import ViewPage

VIEWS: tuple[CompareView, ...] = (
    each.EACH,
    answer.VERDICT,
    answer.ATTRIBUTION,
    answer.SETUP,
    answer.METRICS,
    *memory.VIEWS,
    *array.VIEWS,
    *profile.VIEWS,
    programs.PROGRAM,
    *timelines.VIEWS,
)
"""The views in reading order."""


def _zoom_to(before: CompareState, zoom: Mapping[str, Any]) -> CompareState:
    """Take the ranges that a plot was zoomed to: a window of aligned ticks, a span of steps; None shows everything."""
    widths = {"window": LEAST_WINDOW, "span": 1}
    parts = {name: covering(zoom[name], -FARTHEST, width=widths[name]) for name in widths if name in zoom}
    return before.selecting(**parts) if parts else before


COMPARE = ViewPage(name="compare", views=VIEWS, state=CompareState, zoomed=_zoom_to, keys=KEYS)
"""The page of a comparison."""
CHOICES = COMPARE.choices
"""Name of every choice -> the values that any view gives it, the default first."""
parse = COMPARE.parse
"""Reads a query string of the page."""
