"""Layouts of time axes: clock ticks as plain numbers, nanoseconds at round times in a unit that
fits the window.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from components.numbers import integer, plain, seconds, ticks_time
from schema.rounding import THIN
from schema.time_units import NANOSECONDS

_UNITS = ((9, "s"), (6, "ms"), (3, "µs"), (0, "ns"))
"""Units of time: exponent of ten in nanoseconds, and symbol."""
_MAX_DECIMALS = 3
"""Digits after the point of an axis tick.

If a tick needs more, ticks show the distance from a time that the axis title names.
"""


def time_axis(
    window: tuple[int, int], unit: str, *, clock_hz: float | None = None, ticks: int = 10
) -> dict[str, Any]:
    """Build the layout of an x axis over a window [begin, end] of ticks; its title includes the
    length of the window.

    Unit `ns`: about `ticks` labels at 1, 2 or 5 times a power of ten, all in one unit. Late in a
    run, if the labels would need too many digits, they are distances from a round time that the
    title names. Labels are exact to the nanosecond. Other units: whole numbers at such steps;
    `clock_hz` adds the length of the window in seconds to the title.
    """
    begin = window[0]
    end = max(window[1], window[0] + 1)
    axis = {"range": list(window), "automargin": False}
    step = _step(end - begin, ticks)
    places = range(-(-begin // step) * step, end + 1, step)
    if unit != NANOSECONDS:
        time = f" = {ticks_time(end - begin, clock_hz)}" if clock_hz else ""
        title = f"{plain(unit)} · {integer(end - begin)} in view{time}"
        texts = [integer(at) for at in places]
        return axis | _labels(places, texts) | {"title": {"text": title}}
    origin = _origin(begin, end, step)
    exponent, name = _unit(max(abs(begin - origin), abs(end - origin)))
    decimals = max(0, exponent - _exponent(step))
    texts = [_tick(at - origin, exponent, decimals, name, "+" if origin else "") for at in places]
    start = f"from {exact_time(origin)} · " if origin else ""
    title = f"{start}{seconds((end - begin) / 10**9)} in view"
    return axis | _labels(places, texts) | {"title": {"text": title}}


def _labels(places: Iterable[int], texts: list[str]) -> dict[str, Any]:
    # A page that is too narrow for all labels leaves some out, which it cannot do with plotly's own.
    return {"tickmode": "array", "tickvals": list(places), "ticktext": texts}


def duration_axis(span: tuple[int, int], title: str, *, ticks: int = 6) -> dict[str, Any]:
    """Build the layout of an axis of durations over a span [begin, end] of nanoseconds with this
    title, every label with its unit (ns to s).
    """
    return time_axis(span, NANOSECONDS, ticks=ticks) | {
        "title": {"text": title},
        "automargin": True,
    }


def exact_time(nanoseconds: int) -> str:
    """Format a time in ns with all its digits, in the largest unit that fits.

    Groups of three trailing zeros are dropped: 6.240 960 s.
    """
    exponent, name = _unit(abs(nanoseconds))
    rest = f"{abs(nanoseconds) % 10**exponent:0{exponent}d}" if exponent else ""
    return f"{_decimal(nanoseconds, exponent, -(-len(rest.rstrip('0')) // 3) * 3)}{THIN}{name}"


def _step(span: int, ticks: int) -> int:
    """Compute the smallest step (1, 2, 5, 10, 20, ... ns) that divides `span` into at most `ticks`
    parts.
    """
    step = 1
    while step * ticks < span:
        # 2 grows to 5 by a factor of 2.5; 1 and 5 double.
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    return step


def _exponent(step: int) -> int:
    return len(str(step)) - 1


def _unit(largest: int) -> tuple[int, str]:
    return next((unit for unit in _UNITS if largest >= 10 ** unit[0]), _UNITS[-1])


def _origin(begin: int, end: int, step: int) -> int:
    """Compute the round time (ns) that axis labels are relative to: 0, that is absolute labels, if
    these need at most three digits after the point.
    """
    exponent, _ = _unit(max(abs(begin), abs(end)))
    if exponent - _exponent(step) <= _MAX_DECIMALS:
        return 0
    # A multiple of a power of ten just above the window's length stays the same while the window
    # moves a little, so that labels do not change with every step of panning.
    every: int = 10 ** len(str(end - begin))
    return begin // every * every


def _tick(value: int, exponent: int, decimals: int, name: str, sign: str) -> str:
    return f"{sign}{_decimal(value, exponent, decimals)}{THIN}{name}" if value else f"{sign}0"


def _decimal(value: int, exponent: int, decimals: int) -> str:
    """Format `value` × 10**-`exponent` exactly, truncated to `decimals` digits after the point,
    with thin spaces between groups of three digits.
    """
    whole, rest = divmod(abs(value), 10**exponent)
    digits = f"{rest:0{exponent}d}"[:decimals] if exponent else ""
    groups = THIN.join(digits[at : at + 3] for at in range(0, len(digits), 3))
    return f"{'-' if value < 0 else ''}{integer(whole)}{'.' if groups else ''}{groups}"
