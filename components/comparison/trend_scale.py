"""The scale of a number in a plot: what it spans, and ticks in the units that people read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from analysis.comparison.series import Series
from components.numbers import in_unit
from schema.metrics import Metric
from schema.table_columns import RATE_UNITS

_LEAST_SPAN = 0.06
"""Least height of a plot, as a share of the numbers in it: noise is not to look like a change."""
_MAX_DRAWN = 1e300
_MIN_ROOM = 1e-300
"""Between these two neither a span nor a power of ten leaves the range of floats."""
_MOST_TICKS = 5
_SCALED = ("bytes", "ns", *RATE_UNITS)
"""Units whose numbers are read with a prefix, which plotly's own ticks do not have."""


def scale(own: Sequence[Series], metric: Metric) -> dict[str, Any]:
    """Return range and ticks of the axis of a number; where ticks are made here, the range is fixed."""
    low, high = _span(own)
    if metric.unit not in _SCALED:
        form = {"tickformat": ".3~p"} if metric.unit == "ratio" else {}
        return {"range": [low, high], "nticks": _MOST_TICKS, **form}
    step = _step((high - low) / _MOST_TICKS, metric.unit)
    values = [step * rank for rank in range(math.ceil(low / step), math.floor(high / step) + 1)]
    texts = [in_unit(value, metric.unit) for value in values]
    return {"range": [low, high], "tickvals": values, "ticktext": texts, "fixedrange": True}


def _span(own: Sequence[Series]) -> tuple[float, float]:
    """Return the lowest and the highest number with room around them."""
    values = [point.value for one in own for point in one.points]
    values += [value for one in own for band in one.bands[:1] for value in band.values]
    low, high = (min(max(end, -_MAX_DRAWN), _MAX_DRAWN) for end in (min(values), max(values)))
    room = max(0.15 * (high - low), (_LEAST_SPAN * max(abs(low), abs(high)) - (high - low)) / 2)
    room = room if room > _MIN_ROOM else 1.0
    foot = low - room if low < 0 or low > room else low - 0.05 * (high - low + room)
    return foot, high + room


def _step(least: float, unit: str) -> float:
    """Return the next round number: of bytes a power of two and a whole one, else 1, 2 or 5 of a power of ten."""
    if unit == "bytes":
        return 2.0 ** max(0, math.ceil(math.log2(least)))
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)
