"""Description of a table's column for people: label, number format, width and help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from enum import StrEnum
from types import MappingProxyType

RATE_UNITS = ("FLOP/s", "B/s")
"""Units that are shown with a decimal prefix (kilo, mega ...)."""


class Format(StrEnum):
    """How the values of a column are written; all formats except `TEXT` and `DATE` are of numbers."""

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
        """Whether values of this format are numbers: every format except TEXT and DATE."""
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
    """Look up the format for the unit of a column or metric: SHARE for `ratio`, SIZE for `bytes`,
    DURATION for `ns`, and so on. Any other unit, such as cores or steps, gives WHOLE.
    """
    # Units such as cores, steps and cycles are counts.
    return _BY_UNIT.get(unit, Format.WHOLE)


@dataclass(frozen=True)
class TableColumn:
    """A column of a table.

    `label` is its heading and `help` its explanation. `width` is in pixels of a grid. `unit` is
    that of the stored values. `sort`: whether users can sort by it.
    """

    name: str
    label: str
    width: int
    format: Format = Format.TEXT
    _: KW_ONLY
    unit: str = ""
    sort: bool = True
    help: str = ""
