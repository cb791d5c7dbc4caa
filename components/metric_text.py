"""Format a number of a metric with its unit: of the registry, or a named number of a results file."""

from __future__ import annotations

from components.counts import with_unit
from components.numbers import DASH, Number, in_unit, integer, missing, significant, tame
from schema.metrics import Metric
from schema.result_metrics import PREFIX
from schema.table_columns import Format, number_format

_DIGITS = 4
"""Significant digits of a number whose unit has no format of its own."""
_MAX_COUNT = 1e12
"""Whole numbers below this one are written in full."""


def metric_text(value: Number, metric: Metric) -> str:
    """Format a number of a metric with its unit, such as `12.3 GMAC/s` or `311.5 tokens/s`; a dash
    if it is missing.
    """
    if metric.name.startswith(PREFIX):
        return value_in_unit(value, metric.unit)
    return with_unit(in_unit(value, metric.unit), metric.unit)


def value_in_unit(value: Number, unit: str) -> str:
    """Format a number with any unit that a file gives; "" is an unknown unit. A dash if the number
    is missing.
    """
    if missing(value):
        return DASH
    # A unit without a format of its own may be of a count or of a measurement, so no digit is cut.
    if number_format(unit) is Format.WHOLE:
        number = float(value)  # type: ignore[arg-type]
        # A count such as a seed has no digits after its point: `42.00` would add digits.
        is_count = number.is_integer() and abs(number) < _MAX_COUNT
        text = integer(value) if is_count else significant(value, _DIGITS)
        return f"{text} {tame(unit)}".strip()
    return in_unit(value, unit)
