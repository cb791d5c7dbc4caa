"""Numbers and names in a sentence, so that a test does not depend on its words."""

import re

_UNITS = (
    *("GMAC/s", "MAC/cycle", "GFLOP/s", "TFLOP/s", "MFLOP/s", "kFLOP/s", "FLOP/s", "FLOP/byte"),
    *("GB/s", "MB/s", "kB/s", "B/s", "GiB", "MiB", "KiB", "GB", "MB", "kB", "B"),
    *("GHz", "MHz", "kHz", "Hz", "ns", "µs", "ms", "min", "s", "h", "%", "points"),
    *("cycles", "cycle", "bytes", "byte", "ticks", "tick"),
)
_SPACES = "\u00a0\u202f"
"""Spaces that do not break a line, within numbers and before units."""
_NUMBER = (
    rf"(?:0x[0-9a-fA-F]+|[+−-]?\d{{1,3}}(?:[{_SPACES},]\d{{3}})+(?:\.\d+)?"
    r"|[+−-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
)
_FIGURE = re.compile(
    rf"`[^`]+`"
    rf"|(?<![\w.]){_NUMBER}(?:x|[ {_SPACES}]?(?:{'|'.join(map(re.escape, _UNITS))}))?(?!\w)"
)


def numbers_in(text: str) -> list[str]:
    """List the numbers of a text with their units, and the names in backticks, in order.

    Spaces within a number and before its unit become plain spaces.
    """
    return [re.sub(f"[{_SPACES}]", " ", match[0]) for match in _FIGURE.finditer(text)]


def first_value(text: str) -> float:
    """Return the first number of a text as a float, without its unit."""
    figure = re.search(_NUMBER, text)
    if figure is None:
        raise ValueError(f"no number in {text!r}")
    return float(re.sub(f"[{_SPACES},]", "", figure[0]).replace("−", "-"))


def without_numbers(text: str) -> bool:
    """Whether a text has words, but neither numbers nor names in backticks."""
    return bool(re.search(r"\w", text)) and not numbers_in(text)


def has_numbers(text: str, *wanted: str) -> bool:
    """Whether a text has these numbers and names one right after the other."""
    found = numbers_in(text)
    size = len(wanted)
    return any(tuple(found[at : at + size]) == wanted for at in range(len(found) - size + 1))
