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
