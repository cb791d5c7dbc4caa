"""A number over time as small multiples: a plot per hwid and size, in each a series per key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from analysis.comparison.series import Series
from components.comparison.trend_panels import axes, grid_of, heading
from components.comparison.trend_places import axis, places
from components.comparison.trend_traces import Drawn, bands, legend, levels, marks, runs
from components.figure import Figure
from components.graph import figure, nothing
from components.theme import CATEGORICAL, palette
from schema.metrics import Metric

MOST_SERIES = 12
"""Series that are drawn at once."""
MOST_POINTS = 4_000
"""Runs that are drawn at once; of longer series some are left out between others."""
_TOP_PX, _FOOT_PX = 70, 40


def trend_figure(series: Sequence[Series], metric: Metric, by: str, theme: str) -> Figure:
    """Draw series; `customdata` of a run is its id, of a change the address of its comparison."""
    if not series:
        return nothing(theme)
    grid, where = grid_of(series), places(series, by)
    layout: dict[str, Any] = {
        "height": grid.height + _TOP_PX + _FOOT_PX,
        "margin": {"l": 58, "r": 24, "t": _TOP_PX, "b": _FOOT_PX},
        "clickmode": "event",
        "showlegend": True,
        "legend": {"y": 1, "yref": "container", "yanchor": "top", "itemclick": False, "itemdoubleclick": False},
        "annotations": [],
        "shapes": [],
    }
    across = axis(series, by, grid.columns)
    traces: list[dict[str, Any]] = []
    for panel in grid.panels:
        own = [series[at] for at in panel.series]
        layout |= axes(grid, panel, own, metric, across)
        layout["annotations"].append(heading(grid, panel, own))
        for slot, at in enumerate(panel.series):
            colour = palette(theme).perf if len(own) == 1 else CATEGORICAL[slot % len(CATEGORICAL)]
            drawn = Drawn(series[at], where[at], _kept(series[at], len(series)), panel.axis, colour, slot)
            traces += [runs(drawn, metric), *levels(drawn), *marks(drawn, metric, theme)]
            layout["shapes"] += bands(drawn, theme)
    return figure(traces + legend(series, theme), layout, theme)


def thinned(series: Sequence[Series]) -> int:
    """Return how many runs are left out between others."""
    return sum(len(one.points) - len(one.changes) - len(_kept(one, len(series))) for one in series)


def _kept(one: Series, among: int) -> np.ndarray:
    """Return the positions of the runs that are points where so many series are drawn; a change has a mark instead."""
    count = len(one.points)
    even = np.unique(np.linspace(0, count - 1, min(count, MOST_POINTS // among)).astype(int))
    return np.setdiff1d(even, [change.index for change in one.changes])
