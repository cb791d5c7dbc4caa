"""Parse numbers that people type, written with the digits 0 to 9 only.

Python itself also accepts the digits of other scripts, and `1_000`.
"""

from __future__ import annotations

import math


def is_whole(text: str, digits: int = 18) -> bool:
    """Whether a text is a whole number from 0 on with at most `digits` digits 0 to 9; False for "",
    signs, spaces and digits of other scripts. Leading zeros count as digits.
    """
    # The default of 18 digits always fits into int64.
    return text.isascii() and text.isdecimal() and len(text) <= digits


def real(text: str) -> float:
    """Parse a decimal number, also with sign, exponent or spaces around it, `inf` and `nan`.

    Returns NaN if the text is not a number, or contains `_` or digits of other scripts.
    """
    try:
        return float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return math.nan
