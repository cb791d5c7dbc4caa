"""Ticks of an axis of samples: round numbers in one unit, each with the digits that it needs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from components.metric_text import values_in_unit
from components.numbers import NS_UNITS, plain, tame
from schema.array_types import Floats
from schema.byte_text import BYTE_UNITS
from schema.rounding import THIN, fixed_digits
from schema.table_columns import Format, number_format

_MAX_STEPS = 5
_ROUND = (1.0, 2.0, 5.0, 10.0)
"""Multiples of a power of ten that people read as round."""
_MAX_DECIMALS = 8
"""Limit of `fixed_digits`; samples that differ in later digits have ticks at both ends only."""
_MAX_MAGNITUDE = 1e15


def sample_ticks(values: Floats, unit: str) -> dict[str, Any]:
    """Build the range and the ticks of an axis over `values` (finite, at least one).

    Ticks are multiples of 1, 2 or 5 times a power of ten in the prefixed unit of the largest
    sample, of bytes multiples of a power of two. Samples that are all equal have a single tick.
    """
    low = float(values.min())
    high = float(values.max())
    room = 0.06 * (high - low) or abs(high) * 0.05 or 1.0
    places, texts = _places(low, high, unit)
    return {
        "range": [low - room, high + room],
        "tickvals": places,
        "ticktext": [plain(text) for text in texts],
        "fixedrange": True,
    }


def _places(low: float, high: float, unit: str) -> tuple[list[float], list[str]]:
    scale, name = _scale(max(abs(low), abs(high)), unit)
    step = _round_step((high - low) / scale / _MAX_STEPS, is_binary=unit == "bytes")
    decimals = _decimals(step)
    if step == 0 or decimals > _MAX_DECIMALS or max(abs(low), abs(high)) / scale > _MAX_MAGNITUDE:
        ends = sorted({low, high})
        return ends, values_in_unit(ends, unit)
    first = math.ceil(low / scale / step)
    ranks = np.arange(first, math.floor(high / scale / step) + 1)
    texts = [f"{fixed_digits(rank * step, decimals)}{name}" for rank in ranks.tolist()]
    return (ranks * step * scale).tolist(), texts


def _scale(largest: float, unit: str) -> tuple[float, str]:
    """Return how many units the prefixed unit of `largest` has, and the text after a number in it."""
    form = number_format(unit)
    if form is Format.SHARE:
        return 0.01, f"{THIN}%"
    units: tuple[tuple[float, str], ...] = {
        Format.DURATION: NS_UNITS,
        Format.SIZE: (*BYTE_UNITS, (1, "B")),
    }.get(form, ())
    for scale, name in units:
        if largest >= scale:
            return scale, f"{THIN}{name}"
    return 1.0, f" {tame(unit)}".rstrip()


def _round_step(least: float, *, is_binary: bool) -> float:
    """Return the smallest round step that is at least `least`; 0 if `least` is 0."""
    if least <= 0:
        return 0.0
    if is_binary:
        return float(2.0 ** math.ceil(math.log2(least)))
    power = 10.0 ** math.floor(math.log10(least))
    return next(multiple * power for multiple in _ROUND if multiple * power >= least * (1 - 1e-9))


def _decimals(step: float) -> int:
    """Count the digits after the point that `step` needs; more than _MAX_DECIMALS if it is tiny."""
    if step == 0:
        return 0
    text = f"{step:.{_MAX_DECIMALS + 4}f}".rstrip("0")
    return len(text.split(".")[1])
