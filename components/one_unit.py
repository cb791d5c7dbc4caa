"""Numbers that are compared with each other, all written in the same unit."""

from __future__ import annotations

from collections.abc import Sequence

from components.numbers import (
    DASH,
    NS_UNITS,
    Number,
    in_unit,
    missing,
    significant,
)
from schema.byte_text import BYTE_UNITS
from schema.rounding import THIN
from schema.table_columns import Format, number_format

_MIN_SHOWN = 1e-3
"""Least number in the common unit; smaller numbers keep their own unit, else only zeros were read."""
_SCALES = {Format.SIZE: BYTE_UNITS, Format.DURATION: NS_UNITS}


def in_one_unit(values: Sequence[Number], unit: str) -> list[str]:
    """Format numbers of a unit of the schema in the prefixed unit of the largest: 0.750 MiB beside
    80.8 MiB, not 768 KiB.

    Missing numbers are dashes; 0 and numbers that are smaller than a thousandth keep their own
    unit.
    """
    scales = _SCALES.get(number_format(unit))
    known = [abs(float(value)) for value in values if not missing(value)]  # type: ignore[arg-type]
    if scales is None or not known:
        return [in_unit(value, unit) for value in values]
    largest = max(known)
    # The rounded number decides the unit, as where a number is written alone.
    rounded = float(f"{largest:.2e}") if scales is NS_UNITS else largest
    scale, name = next(((s, u) for s, u in scales if rounded >= s), (1, ""))
    return [_text(value, unit, scale, name) for value in values]


def _text(value: Number, unit: str, scale: float, name: str) -> str:
    if missing(value):
        return DASH
    shown = abs(float(value)) / scale  # type: ignore[arg-type]
    if not name or not _MIN_SHOWN <= shown < 1:
        return in_unit(value, unit)
    return f"{significant(float(value) / scale)}{THIN}{name}"  # type: ignore[arg-type]
