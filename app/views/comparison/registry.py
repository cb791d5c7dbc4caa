"""All views of the comparison page, in reading order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.views.actions import MIN_WINDOW
from app.views.address.ranges import FARTHEST, covering
from app.views.comparison import (
    array,
    compile_time,
    designs,
    each,
    memory,
    peaks,
    profile,
    programs,
    result,
    timelines,
)
from app.views.comparison.keys import KEYS
from app.views.comparison.state import CompareState
from app.views.comparison.view import CompareView
from app.views.view_page import ViewPage

VIEWS: tuple[CompareView, ...] = (
    each.EACH,
    result.VERDICT,
    result.SETUP,
    result.ATTRIBUTION,
    result.METRICS,
    designs.DESIGNS,
    peaks.PEAK,
    *memory.VIEWS,
    *array.VIEWS,
    *profile.VIEWS,
    programs.PROGRAM,
    compile_time.COMPILE_TIME,
    *timelines.VIEWS,
)
"""The views in reading order."""


def _apply_zoom(before: CompareState, zoom: Mapping[str, Any]) -> CompareState:
    """Return the state with the ranges that a plot was zoomed to: `window` (aligned ticks), `span`
    (steps).

    A value of None, or an invalid range, shows the whole range; a missing key leaves the range as
    it is.
    """
    widths = {"window": MIN_WINDOW, "span": 1}
    # Times before the point of alignment are negative.
    parts = {
        name: covering(zoom[name], -FARTHEST, width=widths[name]) for name in widths if name in zoom
    }
    return before.selecting(**parts) if parts else before


COMPARE = ViewPage(name="compare", views=VIEWS, state=CompareState, zoomed=_apply_zoom, keys=KEYS)
"""The page of a comparison."""
CHOICES = COMPARE.choices
"""Name of every option -> the values that any view offers for it, the default first."""
parse = COMPARE.parse
"""Parse a query string of the comparison page."""
