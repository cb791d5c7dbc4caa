"""Format a number of a metric with its unit: of the registry, or a named number of a results file."""

from __future__ import annotations

from collections.abc import Sequence

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
    return values_in_unit([value], unit)[0]


def values_in_unit(values: Sequence[Number], unit: str) -> list[str]:
    """Format numbers of one measurement, such as a median and its range, as `value_in_unit` does;
    all have digits after the point if one of them has.
    """
    # A unit without a format of its own may be of a count or of a measurement, so no digit is cut.
    if number_format(unit) is not Format.WHOLE:
        return [DASH if missing(value) else in_unit(value, unit) for value in values]
    # Counts such as seeds have no digits after their point: `42.00` would add digits.
    are_counts = all(map(_is_count, values))
    return [_with_any_unit(value, unit, is_count=are_counts) for value in values]


def _is_count(value: Number) -> bool:
    """Whether a number is missing, or whole and below _MAX_COUNT."""
    if missing(value):
        return True
    number = float(value)  # type: ignore[arg-type]
    return number.is_integer() and abs(number) < _MAX_COUNT


def _with_any_unit(value: Number, unit: str, *, is_count: bool) -> str:
    if missing(value):
        return DASH
    text = integer(value) if is_count else significant(value, _DIGITS)
    return f"{text} {tame(unit)}".strip()
