"""Range and ticks of the y axis of a trend plot, in units that people read."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from analysis.comparison.series import Series
from components.numbers import in_unit
from schema.metrics import Metric
from schema.table_columns import RATE_UNITS

_MIN_SPAN = 0.06
"""Minimum height of the range as a share of its numbers; noise must not look like a change."""
_MAX_DRAWN = 1e300
_MIN_ROOM = 1e-300
"""From _MIN_ROOM to _MAX_DRAWN neither a range nor a power of ten leaves the range of floats."""
_MAX_TICKS = 5
"""Maximum number of ticks, roughly."""
_SCALED = ("bytes", "ns", *RATE_UNITS)
"""Units whose numbers are shown with a prefix, which plotly's own tick formats do not have."""


def scale(own: Sequence[Series], metric: Metric) -> dict[str, Any]:
    """Compute range and ticks of the axis; zooming is disabled if the ticks are computed here."""
    low, high = _span(own)
    if metric.unit not in _SCALED:
        form = {"tickformat": ".3~p"} if metric.unit == "ratio" else {}
        return {"range": [low, high], "nticks": _MAX_TICKS, **form}
    step = _step((high - low) / _MAX_TICKS, metric.unit)
    values = [step * rank for rank in range(math.ceil(low / step), math.floor(high / step) + 1)]
    texts = [in_unit(value, metric.unit) for value in values]
    return {"range": [low, high], "tickvals": values, "ticktext": texts, "fixedrange": True}


def _span(own: Sequence[Series]) -> tuple[float, float]:
    """Compute the lowest and the highest number of the axis, with room around the numbers."""
    values = [point.value for curve in own for point in curve.points]
    values += [value for curve in own for band in curve.bands[:1] for value in band.values]
    low, high = (min(max(end, -_MAX_DRAWN), _MAX_DRAWN) for end in (min(values), max(values)))
    room = max(0.15 * (high - low), (_MIN_SPAN * max(abs(low), abs(high)) - (high - low)) / 2)
    room = room if room > _MIN_ROOM else 1.0
    # When numbers are close above 0, the axis must not reach far below 0.
    foot = low - room if low < 0 or low > room else low - 0.05 * (high - low + room)
    return foot, high + room


def _step(least: float, unit: str) -> float:
    """Round up to a power of two (at least 1) for bytes, else to 1, 2 or 5 times a power of ten."""
    if unit == "bytes":
        return 2.0 ** max(0, math.ceil(math.log2(least)))
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)
