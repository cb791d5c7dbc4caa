"""Every view of a comparison, in reading order."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from app.views.comparison import answer, array, each, memory, profile, state, timelines
from app.views.comparison.keys import KEYS
from app.views.comparison.state import CompareState
from app.views.comparison.view import CompareView
from app.views.screen import Screen, choices_of
from app.views.steps import LEAST_WINDOW

_MOST = 2**61

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
    parts = {name: _range(zoom[name], least) for name, least in (("window", LEAST_WINDOW), ("span", 1)) if name in zoom}
    return before.selecting(**parts) if parts else before


def _range(given: object, least: int) -> tuple[int, int] | None:
    if not isinstance(given, list | tuple) or len(given) != 2:
        return None
    if not all(isinstance(end, int | float) and not math.isnan(end) for end in given):
        return None
    low, high = sorted(float(min(max(end, -_MOST), _MOST)) for end in given)
    begin = math.floor(low)
    return begin, max(begin + least, math.ceil(high))


COMPARE = Screen(name="compare", views=VIEWS, parse=parse, zoomed=_zoomed, keys=KEYS)
"""The page of a comparison."""
