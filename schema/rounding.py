"""Decimal digits of finite floats, exactly as `assets/dashAgGridFunctions.js` writes them: halves
are rounded away from zero.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal

THIN = "\u202f"
MAX_PLAIN = 1e21
"""JavaScript's `toFixed` writes digits only for numbers below this."""
_MAX_EXPONENT = 21
_MIN_EXPONENT = -6
"""Below this exponent of ten a number has more leading zeros than people can count."""
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_EXACT = Context(prec=50, rounding=ROUND_HALF_UP)
"""Precision for every digit that `fixed_digits` writes, so that only the last step rounds."""
_HALF = 0.5
_MAX_EXACT_HALF = 2.0**52
"""Below this, a float that is half of a whole number is exact."""


def fixed_digits(number: float, decimals: int) -> str:
    """Format a number below `MAX_PLAIN` with `decimals` digits (at most 8) after the point and thin
    spaces between thousands: 1 234.50.

    Halves are rounded away from zero. A number that rounds to zero has no sign.
    """
    scaled = abs(number) * 10.0**decimals
    if scaled < _HALF:
        number = 0.0
    if (
        scaled < _MAX_EXACT_HALF and scaled % 1 != _HALF
    ):  # Python and JavaScript differ only for exact halves
        return f"{number:,.{decimals}f}".replace(",", THIN)
    rounded = Decimal(number).quantize(Decimal(1).scaleb(-decimals), context=_EXACT)
    return f"{rounded:,f}".replace(",", THIN)


def significant_digits(number: float, digits: int) -> str:
    """Format with `digits` significant digits: 604, 0.00123, 1 058, 4.94 × 10⁻³²⁴; "0" for zero.

    Numbers from 10⁻⁶ to below 10²¹ are written without an exponent, with every digit before the
    point.
    """
    if number == 0:
        return "0"
    # Python rounds halves to even, but rounds a half after a 9 up as well, so that the exponent is
    # right.
    exponent = int(f"{number:.{digits - 1}e}".partition("e")[2])
    if not _MIN_EXPONENT <= exponent < _MAX_EXPONENT:
        return scientific(number, digits)
    return fixed_digits(number, max(0, digits - 1 - exponent))


def scientific(number: float, digits: int = 3, power: int = 0) -> str:
    """Format `number` × 10**`power`, which may be beyond the range of floats, with `digits`
    significant digits: 1.80 × 10³⁰⁸.
    """
    rounded = Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal_from_float(number)
    exponent = rounded.adjusted()
    written = str(exponent + power).translate(_SUPERSCRIPTS)
    return f"{rounded.scaleb(-exponent):.{digits - 1}f}{THIN}×{THIN}10{written}"
