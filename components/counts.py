"""Counts and units in sentences that also read well for exactly one."""

from __future__ import annotations

from components.numbers import DASH, count_text, integer

_WRITTEN_UNITS = frozenset({"GMAC/s", "cycles", "ticks"})
"""Units that `in_unit` leaves out."""


def part_text(part: float, whole: float, noun: str) -> str:
    """Format how many of all things a sentence is about: `2 of 5 tiles`, `0 of 1 tile`, but `1
    tile` if there is a single tile.
    """
    if integer(part) == integer(whole) == "1":
        return count_text(1, noun)
    return f"{integer(part)} of {count_text(whole, noun)}"


def with_unit(text: str, unit: str) -> str:
    """Add its unit to a formatted number unless the text has it: `237 GMAC/s`, `1 cycle`; a dash
    stays.
    """
    if text == DASH or unit not in _WRITTEN_UNITS:
        return text
    return f"{text} {unit_noun(text, unit)}"


def unit_noun(text: str, unit: str) -> str:
    """Return the unit in the form for a formatted number: `cycle` for `1`, else `cycles`."""
    return unit.removesuffix("s") if text == "1" and unit in ("cycles", "ticks") else unit
