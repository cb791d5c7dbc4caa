"""Values of named numbers as a file has them: samples, or statistics in place of samples."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Decimal

_MAX_DIGITS = 40
"""Maximum characters of a number that is written as a text."""


@dataclass(frozen=True)
class Statistics:
    """Statistics that a file gives in place of samples, in its unit; None if it gives none."""

    minimum: float | None = None
    median: float | None = None
    maximum: float | None = None
    mean: float | None = None
    deviation: float | None = None
    count: int | None = None


NO_STATISTICS = Statistics()


@dataclass
class NamedNumber:
    """A named number: its samples in the unit of the schema, or the statistics that the file gives
    in its own unit, which is `factor` of the schema's.
    """

    name: str
    unit: str
    direction: str
    file_unit: str
    factor: float
    samples: list[float] = field(default_factory=list)
    given: Statistics = NO_STATISTICS


def scale(value: float, factor: float) -> float:
    """Multiply a number as it is written: 4.02 ms are 4020000 ns, and not 4019999.9999999995."""
    return value if factor == 1.0 else float(Decimal(repr(value)) * Decimal(repr(factor)))


def as_number(value: object) -> float | None:
    """Convert a number of a file, or a text with a number, to a finite float; else None."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and len(value) > _MAX_DIGITS:
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
