"""Small picture of the interval of a change: zero, threshold, interval and estimate on a scale."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from dash import html

from analysis.comparison.rows import ResultRow
from components.comparison.words import interval_words
from components.verdicts import tone

_MIN_REACH, _MAX_REACH = 0.02, 1.0
"""Minimum and maximum change, as a ratio, at the ends of the scale."""
_MIN_THRESHOLDS = 2.5
"""Minimum number of thresholds in view: an unchanged number has its interval within a threshold."""


def common_scale(rows: Iterable[ResultRow]) -> float:
    """Compute the change (ratio) at both ends of all pictures of a table.

    Intervals that are wider than _MAX_REACH are cut off.
    """
    ends = [abs(end) for row in rows for end in (row.low, row.high) if end is not None and math.isfinite(end)]
    reaches = [_MIN_THRESHOLDS * row.threshold for row in rows if row.low is not None]
    # The factor leaves room at both ends.
    return min(max([_MIN_REACH, *ends, *reaches]), _MAX_REACH) * 1.05


def interval(row: ResultRow, scale: float) -> html.Div | str:
    """Lay out the interval of a row; "" if the row has no interval."""
    if row.low is None or row.high is None or row.estimate is None:
        return ""
    ends = sorted((_place(row.low, scale), _place(row.high, scale)))
    parts = [
        _mark("ts-band", _place(-row.threshold, scale), _place(row.threshold, scale)),
        html.Span(className="ts-zero"),
        _mark("ts-span", *ends),
        html.Span(className="ts-dot", style={"left": f"{_place(row.estimate, scale):.2f}%"}),
    ]
    title: dict[str, Any] = {"title": f"95 % interval {interval_words(row)}" if row.low != row.high else "exact"}
    return html.Div(parts, className=f"ts-interval {tone(row.judged.verdict)}", **title)


def _place(change: float, scale: float) -> float:
    """Compute the position of a change in percent of the picture's width."""
    return 50 + 50 * max(-1.0, min(1.0, change / scale))


def _mark(class_name: str, low: float, high: float) -> html.Span:
    # Narrow intervals get a minimum width, so that they stay visible.
    return html.Span(className=class_name, style={"left": f"{low:.2f}%", "width": f"{max(0.5, high - low):.2f}%"})
