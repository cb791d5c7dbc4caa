"""Numbers that people write: with the digits 0 to 9 alone, though Python reads those of every script, and `1_000`."""

from __future__ import annotations

import math


def is_whole(text: str, digits: int = 18) -> bool:
    """Return whether a text is a whole number from 0 on, of at most so many digits."""
    return text.isascii() and text.isdecimal() and len(text) <= digits


def real(text: str) -> float:
    """Return the number that a text is, NaN where it is none."""
    try:
        return float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan
