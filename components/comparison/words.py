"""What comparisons say: changes, intervals, causes, and the sentence on top of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from analysis.comparison.block_pairs import WORDS
from analysis.comparison.cause import Cause
from analysis.comparison.outcome import deciding
from analysis.comparison.rows import ResultRow
from components.numbers import (
    DASH,
    MINUS,
    Number,
    in_unit,
    missing,
    percent,
    shorten,
    signed_text,
    significant,
    tame,
)
from components.rounding import THIN

PARTS: Mapping[str, str] = MappingProxyType(
    {
        "late_start": "late start",
        "kernels": "kernels",
        "lock_stall": "lock stall",
        "memory_stall": "memory stall",
        "stream_stall": "stream stall",
        "cascade_stall": "cascade stall",
        "other_kernels": "other kernels",
        "other_gaps": "other gaps",
    }
)
"""Cause of a capture -> what people call it; others are words already."""
_LONGEST = 48
_LONGEST_KEY = 40
_TEN = 9.995
"""Percent from which a change has three digits: what is rounded to 10 reads as 10 does."""
_TIMES = 10_000.0
"""Percent from which a change is told as a factor."""
_MAX_SHORT = 999.5
"""Factors from here on would have an exponent."""


def about(row: ResultRow) -> str:
    """Return what a row is about."""
    return f"{row.metric.label} of {shorten(row.key, _LONGEST_KEY)}" if row.key else row.metric.label


def change_words(row: ResultRow) -> str:
    """Return the difference of a row and, where it has one, the relative change: +32 B (+20 %).

    Where the verdict is about a change that reads otherwise, as the test weighs samples, that one alone.
    """
    relative, judged = relative_words(row.relative), relative_words(row.judged_change)
    if judged != relative:
        return f"{judged} without odd samples" if row.is_odd else judged
    return f"{delta_words(row)} ({relative})" if relative and row.delta else delta_words(row)


def delta_words(row: ResultRow) -> str:
    """Return the difference of a row in its unit, of shares in percentage points."""
    if row.delta is None or missing(row.delta):
        return DASH
    if not row.delta:
        return "="
    size = abs(row.delta)
    text = percent(size).replace("%", "pp") if row.metric.unit == "ratio" else number(size, row)
    return signed_text(text, row.delta)


def relative_words(value: Number) -> str:
    """Return a relative change: −6.1 %."""
    if value is None or missing(value):
        return ""
    size = 100 * abs(float(value))
    if size >= _TIMES:
        times = 1 + float(value)
        return f"×{THIN}{significant(times) if times >= _MAX_SHORT else f'{times:.3g}'}"
    text = significant(size, 2 if size < _TEN else 3)
    return signed_text(f"{text}{THIN}%", float(value))


def interval_words(row: ResultRow) -> str:
    """Return the interval of a row; of shares of time in points."""
    if row.low is None or row.high is None or row.low == row.high:
        return ""
    if row.metric.scale == "share":
        low, high = (signed_text(f"{significant(100 * abs(end), 2)}", end) for end in (row.low, row.high))
        return f"{low} to {high} pp"
    return f"{relative_words(row.low)} to {relative_words(row.high)}"


def number(value: Number, row: ResultRow) -> str:
    """Return one of a row's numbers in its unit."""
    text = in_unit(value, row.metric.unit)
    return f"{text} {row.metric.unit}" if text != DASH and row.metric.unit in ("GMAC/s", "cycles") else text


def cause_words(cause: Cause) -> str:
    """Return what a change is made of, and where."""
    what = PARTS.get(cause.what, cause.what.replace("_", " "))
    where = shorten(cause.where, _LONGEST)
    if cause.unit == "points":
        return f"{what} on {where}"
    thing = "kernel" if cause.unit == "ns" else "block" if cause.what in WORDS else ""
    return f"new {thing} {where}" if thing and cause.what == "born" else f"{thing} {where} {what}".strip()


def amount_words(cause: Cause) -> str:
    """Return how much a cause adds, in its unit."""
    size = abs(cause.amount)
    text = f"{significant(size, 2)} points" if cause.unit == "points" else in_unit(size, cause.unit)
    return signed_text(text, cause.amount)


def headline(rows: Sequence[ResultRow], causes: Sequence[Cause], verdict: str) -> str:
    """Say what came of the comparison: the number that decides, its interval, and what explains most of it."""
    gates = [row for row in rows if row.gates and row.judged.verdict == verdict]
    row = deciding(rows, verdict)
    if row is None:
        return "No number decides the verdict of these runs."
    if verdict == "unchanged" and len(gates) > 1:
        return f"All {len(gates)} numbers that decide are unchanged."
    if verdict == "incomparable":
        return f"{row.metric.label[:1].upper()}{row.metric.label[1:]} cannot be compared: {tame(row.judged.reason)}."
    if verdict == "unchanged":
        return _unchanged_words(row)
    lead = _change_words(row)
    lead = lead[:1].upper() + lead[1:]
    if verdict == "undecided":
        return f"{lead}{': ' if row.judged.reason else ''}{tame(row.judged.reason)}."
    more = f", and {len(gates) - 1} more" if len(gates) > 1 else ""
    explaining = next((one for one in causes if one.amount * _direction(row, one) > 0), None)
    if explaining and 2 * abs(explaining.amount) < sum(abs(one.amount) for one in causes):
        explaining = None  # larger parts that cancel each other out explain no less
    why = f", mainly by {cause_words(explaining)} ({_size(explaining)})" if explaining else ""
    return f"{lead}{more}{why}."


def _change_words(row: ResultRow) -> str:
    """Return how a number changed, in words."""
    about = f"{row.metric.label} of {shorten(row.key, _LONGEST)}" if row.key else row.metric.label
    if not row.delta:
        return f"{about} is {number(row.new, row)} in both" if row.delta == 0 else about
    change, span = row.judged_change, interval_words(row)
    told = number(abs(row.delta), row) if change is None else relative_words(abs(change)).removeprefix("+")
    rose = row.delta > 0 if change is None else change > 0
    return f"{about} {'rose' if rose else 'fell'} {told}{f' ({span})' if span else ''}"


def _unchanged_words(row: ResultRow) -> str:
    """Say within what a number is the same, and what was left out of it."""
    about, span = f"{row.metric.label[:1].upper()}{row.metric.label[1:]}", interval_words(row)
    if not span:
        return f"{about} is {number(row.new, row)} in both."
    why = f": {row.judged.reason}" if row.judged.reason else ""
    return f"{about} is the same within {100 * row.threshold:g}{THIN}% ({span}){why}."


def _direction(row: ResultRow, cause: Cause) -> float:
    """Return the sign that a cause of the change has."""
    return (row.delta or 0) if cause.metric in (row.metric.name, "extent", "peak_memory") else 0


def _size(cause: Cause) -> str:
    return amount_words(cause).removeprefix("+").removeprefix(MINUS)
