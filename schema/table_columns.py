"""What a column of a table is to people: what stands above it, how its values are written, how wide it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

RATE_UNITS = ("FLOP/s", "B/s")
"""Units that take a decimal prefix."""


class Format(StrEnum):
    """How values are written; all but `TEXT` and `DATE` are numbers."""

    TEXT = "text"
    DATE = "date"
    WHOLE = "whole"
    SIGNIFICANT = "significant"
    SHARE = "share"
    SIZE = "size"
    ADDRESS = "address"
    DURATION = "duration"
    RATE = "rate"

    @property
    def is_number(self) -> bool:
        """Return whether the values are numbers."""
        return self not in (Format.TEXT, Format.DATE)


_BY_UNIT: Mapping[str, Format] = MappingProxyType(
    {
        "ratio": Format.SHARE,
        "GMAC/s": Format.SIGNIFICANT,
        "bytes": Format.SIZE,
        "address": Format.ADDRESS,
        "ns": Format.DURATION,
        **dict.fromkeys(RATE_UNITS, Format.RATE),
    }
)


def number_format(unit: str) -> Format:
    """Return how numbers are written of a unit of the schema or of a metric: counts and steps as whole numbers."""
    return _BY_UNIT.get(unit, Format.WHOLE)


@dataclass(frozen=True, kw_only=True)
class TableColumn:
    """A column of a table.

    `label` stands above it and `help` says what it means; `width` is in pixels of a grid. `unit` is that of the stored
    values. What cannot be sorted by has no `sort`.
    """

    name: str
    label: str
    width: int
    format: Format = Format.TEXT
    unit: str = ""
    sort: bool = True
    help: str = ""
