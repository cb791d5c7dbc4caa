"""Numbers in messages and in what commands print, which programs read too."""

_MAX_DIGITS = 1e21
"""From here on digits are written as a power of ten: a float has up to 309 before its point."""


def decimals(value: float, places: int, *, signed: bool = False) -> str:
    """Format with so many decimals, from 10**21 on with three digits and an exponent: 12.3, 1.8e+308."""
    sign = "+" if signed else ""
    form = f"{sign}.{places}f" if abs(value) < _MAX_DIGITS else f"{sign}.3g"
    return f"{value:{form}}"
