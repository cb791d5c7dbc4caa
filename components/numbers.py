"""Formats of numbers and names on screens."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from numbers import Integral
from types import MappingProxyType

from schema.byte_text import size_text
from schema.plurals import plural_form
from schema.rounding import MAX_PLAIN, THIN, fixed_digits, scientific, significant_digits
from schema.table_columns import Format, number_format

DASH = "–"
MINUS = "−"
_TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"), (1e-12, "ps"))
NS_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"), (1e-3, "ps"))
_RATE_PREFIXES = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))

_CACHED_TEXTS = 4_096
"""Formatted durations that are cached: every redraw of a timeline formats the same durations again.
"""

_LONG_NUMBER = re.compile(
    # Quotes and options first: a command must work when it is copied.
    r"""`[^`]{1,1000}`|"[^"]{1,1000}"|“[^”]{1,1000}”|(?<!\w)'[^']{1,1000}'(?!\w)"""
    r"|(?<![\w-])--?[a-zA-Z][\w-]{0,60}(?: [0-9]\S{0,100})?"
    r"|(?<!address )(?<![\w.,:/+=@#%$\\-])(?P<number>[0-9]{4,18})(?![\w/=-]|[.,:]\w)"
    r"|(?<=[0-9])(?P<percent> %)",
    re.ASCII,
)
"""A quoted text or an option of a command, else group `number`: a whole number of four or more digits
that is not part of a name, date, address, setting or fraction; or group `percent`: the sign of
percent with its space.
"""

_PERCENT = 100
_MIN_PERCENT_RATIO = 0.0005
"""Smallest ratio that `percent` does not round to 0.0 %."""
_MAX_ADDRESS = 2**64

Number = float | int | None


def missing(value: object) -> bool:
    """Whether a value is not a finite number: None, NaN, pandas' NA, infinity, a text, or beyond
    the range of floats.
    """
    if not isinstance(value, (int, float)) and not hasattr(value, "__float__"):
        return True
    try:
        return not math.isfinite(float(value))
    except (
        OverflowError,
        ValueError,
    ):  # a whole number of 309 digits or more, a signaling NaN of Decimal
        return True


def integer(value: Number) -> str:
    """Format a count or a number of cycles with thin spaces: 1 118 922; a dash if it is missing.

    Halves are rounded away from zero. Very large numbers (from MAX_PLAIN) are in scientific
    notation.
    """
    if missing(value):
        return DASH
    number = float(value)  # type: ignore[arg-type]
    if abs(number) >= MAX_PLAIN:
        return scientific(number)
    if isinstance(value, Integral):  # whole numbers above 2**53 keep their last digits
        return f"{int(value):,}".replace(",", THIN)
    return fixed_digits(number, 0)


def count_text(number: float, noun: str) -> str:
    """Format a count, rounded to a whole number, with its noun: `1 block`, `3 829 blocks`."""
    text = integer(number)
    # The text decides: 1.2 cycles are written as 1.
    return f"{text} {noun if text == '1' else plural_form(noun)}"


def significant(value: Number, digits: int = 3) -> str:
    """Format with `digits` significant digits, but every digit before the point: 1 235 or 0.0123; a
    dash if the value is missing or not finite.
    """
    return DASH if missing(value) else significant_digits(float(value), digits)  # type: ignore[arg-type]


def seconds(value: Number) -> str:
    """Format seconds in the unit (s to ps) that gives one to three digits before the point: 5.20
    µs; a dash if missing.
    """
    if missing(value):
        return DASH
    number = float(value)  # type: ignore[arg-type]
    if number == 0:
        return f"0{THIN}s"
    return _scale(number, _TIME_UNITS)


@lru_cache(maxsize=_CACHED_TEXTS)
def _scale(number: float, units: tuple[tuple[float, str], ...]) -> str:
    """Format in the largest of `units` (scale, symbol; the largest first) that leaves a digit
    before the point, else in the smallest.
    """
    rounded = abs(float(f"{number:.2e}"))
    # The rounded number decides the unit: 999.96 ns is 1.00 µs, not 1 000 ns.
    scale, unit = next(((s, u) for s, u in units if rounded >= s), units[-1])
    return f"{significant(number / scale)}{THIN}{unit}"


def duration_text(ns: Number) -> str:
    """Format nanoseconds in the unit that gives one to three digits before the point: 640 ns, 5.20
    µs, 1.50 s; a dash if missing.
    """
    if missing(ns):
        return DASH
    number = float(ns)  # type: ignore[arg-type]
    if abs(number) < 1000 and number == round(number):
        return f"{integer(number)}{THIN}ns"  # whole nanoseconds have no digits after the point
    return _scale(number, NS_UNITS)


def rate_text(value: Number, unit: str) -> str:
    """Format a rate with three significant digits and a decimal prefix: 12.3 GFLOP/s, 940 MB/s,
    0.500 B/s; a dash if missing.
    """
    if missing(value):
        return DASH
    number = float(value)  # type: ignore[arg-type]
    rounded = abs(float(f"{number:.2e}"))
    scale, prefix = next(((s, p) for s, p in _RATE_PREFIXES if rounded >= s), (1.0, ""))
    shown = (
        integer(number) if not prefix and number == round(number) else significant(number / scale)
    )
    return f"{shown}{THIN}{prefix}{unit}"


def ticks_time(ticks: Number, clock_hz: Number) -> str:
    """Format ticks of a clock as time, such as 5.20 µs; a dash if ticks or the clock's frequency
    are unknown.
    """
    if missing(ticks) or missing(clock_hz) or not clock_hz:
        return DASH
    return seconds(float(ticks) / float(clock_hz))  # type: ignore[arg-type]


def size(value: Number) -> str:
    """Format bytes in KiB to TiB with three significant digits, below 1 KiB in bytes; a dash if
    missing.
    """
    return DASH if missing(value) else size_text(float(value))  # type: ignore[arg-type]


def percent(ratio: Number) -> str:
    """Format a ratio as a percentage with one digit after the point: 0.473 is 47.3 %; a dash if
    missing.
    """
    if missing(ratio):
        return DASH
    number = float(ratio)  # type: ignore[arg-type]
    is_plain = abs(number) < MAX_PLAIN / _PERCENT
    return (
        f"{fixed_digits(number * _PERCENT, 1) if is_plain else scientific(number, power=2)}{THIN}%"
    )


def whole_percent(ratio: Number) -> str:
    """Format a ratio as whole percent, for texts in bars: 74 %; a dash if missing."""
    return DASH if missing(ratio) else f"{integer(float(ratio or 0) * _PERCENT)}{THIN}%"


def points_text(difference: Number) -> str:
    """Format the size of a difference of two shares: 0.006 is `0.6 percentage points`."""
    return percent(None if missing(difference) else abs(float(difference))).replace(  # type: ignore[arg-type]
        "%", "percentage points"
    )


def excess_percent(ratio: Number) -> str:
    """Format a ratio above 0 as a percentage: a ratio that would round to 0.0 % is "less than
    0.1 %", so that a difference never reads as none.
    """
    if not missing(ratio) and 0 < float(ratio) < _MIN_PERCENT_RATIO:  # type: ignore[arg-type]
        return f"less than 0.1{THIN}%"
    return percent(ratio)


def gmacs(value: Number) -> str:
    """Format GMAC/s as `significant` does, without the unit: 12.3 or 1 235; a dash if missing."""
    return significant(value)


def address(value: Number) -> str:
    """Format an address hexadecimal and decimal: 0x1f400 (128 000); beyond 64 bits only decimal; a
    dash if missing.
    """
    if missing(value):
        return DASH
    whole = int(value)  # type: ignore[arg-type]
    return f"0x{whole:x} ({integer(value)})" if abs(whole) < _MAX_ADDRESS else integer(value)


def signed_text(size: str, change: float) -> str:
    """Put the sign of `change` in front of a formatted size; a text that rounds to 0 gets no sign."""
    if not any(digit in size for digit in "123456789"):
        return size
    return f"{'+' if change > 0 else MINUS}{size}"


def relative_text(relative: float) -> str:
    """Format a relative change (a ratio) with its sign, in per cent: 0.05 is `+5.0 %`."""
    return signed_text(percent(abs(relative)), relative)


def in_unit(value: Number, unit: str) -> str:
    """Format a number as its unit, of the schema or the metric registry, requires; a dash if
    missing.

    Sizes, durations, shares, FLOP/s and B/s have the unit in the text; GMAC/s, cycles and counts do
    not.
    """
    return number_text(value, number_format(unit), unit)


def number_text(value: Number, form: Format, unit: str = "") -> str:
    """Format a number in the format of its column, with the unit that the format has; a dash if
    missing.

    `unit` is the unit of a rate.
    """
    if form is Format.RATE:
        return rate_text(value, unit)
    return _WRITERS.get(form, integer)(value)


_WRITERS: Mapping[Format, Callable[[Number], str]] = MappingProxyType(
    {
        Format.SHARE: percent,
        Format.SIGNIFICANT: gmacs,
        Format.SIZE: size,
        Format.DURATION: duration_text,
        Format.ADDRESS: address,
    }
)


def grouped_digits(text: str) -> str:
    """Add thin spaces to the numbers of a sentence that have four digits or more, and before percent
    signs.

    Digits of names, addresses, fractions, versions, options and quoted texts are unchanged.
    """
    return _LONG_NUMBER.sub(_group_match, text)


def _group_match(found: re.Match[str]) -> str:
    if found["number"]:
        return integer(int(found["number"]))
    return f"{THIN}%" if found["percent"] else found[0]


def shorten(text: str, limit: int = 60) -> str:
    """Remove control characters and replace the middle of a text longer than `limit` by `…`.

    Both ends are left because kernel names differ at either end.
    """
    shown = tame(text)
    if len(shown) <= limit:
        return shown
    head = (limit - 1) * 2 // 3
    return f"{shown[:head]}…{shown[len(shown) - (limit - 1 - head) :]}"


def tame(text: str) -> str:
    """Remove direction characters and replace other control characters by spaces."""
    if text.isprintable():
        return text
    shown = "".join(" " if unicodedata.category(c) in {"Cc", "Zl", "Zp"} else c for c in text)
    return "".join(c for c in shown if unicodedata.category(c) not in {"Cf", "Cs"})


def plain(text: object, limit: int = 60) -> str:
    """Make a name from a file safe for plotly's hover texts, labels and titles.

    Control and direction characters are removed, markup is escaped, `%{` cannot start a template
    and `$` no formula, and the middle of a name longer than `limit` is cut.
    """
    escaped = (
        shorten(str(text), limit).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    )
    # U+2060 (word joiner) is invisible and splits the signs that plotly interprets.
    return escaped.replace("%{", "%\u2060{").replace("$", "\u2060$")
