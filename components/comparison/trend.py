"""Plot of a number over time as small multiples: a panel per hwid and size, a series per key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from analysis.comparison.series import Series
from components.comparison.trend_panels import LINE_PX, MAX_COLUMNS, axes, heading, place_panels
from components.comparison.trend_places import axis, places
from components.comparison.trend_traces import (
    DrawnSeries,
    bands,
    dips,
    drifts,
    legend,
    levels,
    marks,
    runs,
    verdict_rings,
)
from components.comparison.trend_verdicts import PointVerdicts, ring_legend
from components.figure import Figure
from components.graph import figure, nothing
from components.theme import CATEGORICAL, palette
from schema.metrics import Metric

MAX_SERIES = 12
"""Maximum number of series that are drawn."""
MAX_POINTS = 4_000
"""Maximum number of runs drawn in all series together; longer series are thinned evenly."""
_FOOT_PX = 40
_WIDTHS_PX: Mapping[int, int] = {MAX_COLUMNS: 760, 1: 300}
"""Maximum number of panels in a row -> minimum width of the plot in pixels."""
_LEGEND_PX, _SIGN_PX, _LETTER_PX = 20, 42, 7
"""Height of a row of the legend, width of a sign, and width of a letter next to it, in pixels."""


def trend_figure(
    series: Sequence[Series],
    metric: Metric,
    by: str,
    theme: str,
    verdicts: PointVerdicts | None = None,
) -> Figure:
    """Draw series of `metric`; customdata has the id of a run, or a change's comparison address.

    `by` is a key of `trend_places.BY`; `verdicts` are the verdicts of a baseline rule on points.
    `meta` of the layout has its height, and as `narrow` the properties that differ on a narrow
    page, on which the panels are in a single column. When there are no series, the figure has no
    traces.
    """
    if not series:
        return nothing(theme)
    by_point = verdicts or {}
    signs = legend(series, theme) + ring_legend(series, by_point, theme)
    where = places(series, by)
    names = [str(sign["name"]) for sign in signs]
    wide, narrow = (
        _column_layout(series, metric, by, names, max_columns) for max_columns in (MAX_COLUMNS, 1)
    )
    layout: dict[str, Any] = {
        **wide,
        "meta": {"height": wide["height"], "narrow": narrow},
        "clickmode": "event",
        "showlegend": True,
        "legend": {
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "itemclick": False,
            "itemdoubleclick": False,
        },
        "shapes": [],
    }
    traces: list[dict[str, Any]] = []
    for panel in place_panels(series).panels:
        own = [series[at] for at in panel.series]
        for slot, at in enumerate(panel.series):
            # Colours distinguish the series of a panel, so they start again in each panel.
            colour = palette(theme).perf if len(own) == 1 else CATEGORICAL[slot % len(CATEGORICAL)]
            shown = _point_positions(series[at], len(series))
            drawn = DrawnSeries(series[at], where[at], shown, panel.axis, colour, slot, by_point)
            traces += [runs(drawn, metric), *levels(drawn), *drifts(drawn), *dips(drawn)]
            traces += [*verdict_rings(drawn, theme), *marks(drawn, metric, theme)]
            layout["shapes"] += bands(drawn, theme)
    return figure(traces + signs, layout, theme)


def _column_layout(
    series: Sequence[Series], metric: Metric, by: str, names: Sequence[str], max_columns: int
) -> dict[str, Any]:
    """Build the properties of the layout that depend on the number of columns: height, margin,
    axes, headings.

    `names` are the entries of the legend.
    """
    grid = place_panels(series, max_columns)
    top = _legend_rows(names, _WIDTHS_PX[max_columns]) * _LEGEND_PX + grid.lines * LINE_PX + 12
    across = axis(series, by, grid.columns if max_columns > 1 else MAX_COLUMNS)
    layout: dict[str, Any] = {
        "height": grid.height + top + _FOOT_PX,
        "margin": {"l": 58, "r": 24, "t": top, "b": _FOOT_PX},
        "annotations": [],
    }
    for panel in grid.panels:
        own = [series[at] for at in panel.series]
        layout |= axes(grid, panel, own, metric, across)
        layout["annotations"].append(heading(grid, panel, own))
    return layout


def _legend_rows(names: Sequence[str], width: int) -> int:
    """Compute how many rows a legend takes at `width` pixels.

    Plotly makes all columns of a legend with several rows as wide as its longest entry.
    """
    widths = [_SIGN_PX + _LETTER_PX * len(name) for name in names]
    return 1 if sum(widths) <= width else -(-len(widths) // max(1, width // max(widths)))


def count_thinned(series: Sequence[Series]) -> int:
    """Count the runs that have neither a point nor a mark, because more than 4,000 runs
    (MAX_POINTS) are drawn; 0 if all are drawn.
    """
    return sum(
        len(curve.points) - len(_marked_places(curve)) - len(_point_positions(curve, len(series)))
        for curve in series
    )


def _point_positions(curve: Series, among: int) -> np.ndarray:
    """Compute the positions (from 0, ascending) of the runs that are drawn as points.

    `among` series share the limit of 4,000 points equally. A run with the mark of a change is not
    drawn as a point as well.
    """
    count = len(curve.points)
    # Runs are left out evenly, so that the ends of a series stay.
    even = np.unique(np.linspace(0, count - 1, min(count, MAX_POINTS // among)).astype(int))
    return np.setdiff1d(even, list(_marked_places(curve)))


def _marked_places(curve: Series) -> set[int]:
    """Return the positions (from 0) of the first runs of changes, which have a mark."""
    return {event.first for event in curve.development.changes}
