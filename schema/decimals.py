"""Format numbers for messages and for the output of commands, which programs parse too."""

_MAX_DIGITS = 1e21
"""Numbers from here on get an exponent: a float has up to 309 digits before its point."""


def decimals(value: float, places: int, *, signed: bool = False) -> str:
    """Format a number with `places` decimals: 12.3, or +12.3 if `signed`.

    If its absolute value is 10**21 or more it has three significant digits and an exponent instead:
    1.8e+308. NaN and infinity give `nan` and `inf`.
    """
    sign = "+" if signed else ""
    form = f"{sign}.{places}f" if abs(value) < _MAX_DIGITS else f"{sign}.3g"
    return f"{value:{form}}"


_MIN_THREE_DIGITS = 9.995
"""Percent from which a change has three digits; 9.995 rounds to 10.0."""
_MIN_FACTOR = 10_000.0
"""Percent from which a change is written as a factor."""


def signed_percent(ratio: float) -> str:
    """Format a relative change with the digits that pages show: -0.61 %, +19.5 %, x120; "0 %" for
    a change of 0.

    Below 10 % it has two significant digits, from then on three; from 10,000 % on it is a factor.
    """
    size = 100 * abs(ratio)
    if size >= _MIN_FACTOR:
        return f"x{1 + ratio:.3g}"
    if not size:
        return "0 %"
    digits = 2 if size < _MIN_THREE_DIGITS else 3
    exponent = int(f"{size:.{digits - 1}e}".partition("e")[2])
    places = max(0, digits - 1 - exponent)
    return f"{decimals(100 * ratio, places, signed=True)} %"


_MIN_WHOLE = 999.95
"""Percent from which a share has no decimals; 999.95 rounds to 1000.0."""


def share_percent(ratio: float, *, signed: bool = False) -> str:
    """Format a share of a whole in percent: 12.5 %, 0.0 %, 1205 %; +12.5 % if `signed`."""
    percent = 100 * ratio
    return f"{decimals(percent, 1 if abs(percent) < _MIN_WHOLE else 0, signed=signed)} %"
