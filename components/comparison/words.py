"""Texts of a comparison: changes, intervals, causes, and the caption of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from analysis.comparison.block_pairs import WORDS
from analysis.comparison.cause import Cause, find_main_cause
from analysis.comparison.explained import causes_of
from analysis.comparison.outcome import deciding
from analysis.comparison.plan_causes import CONSTANTS, UNUSED
from analysis.comparison.rows import ResultRow
from analysis.comparison.step_parts import StepParts
from components.comparison.step_part_words import parts_sentence
from components.counts import with_unit
from components.metric_text import values_in_unit
from components.numbers import (
    DASH,
    MINUS,
    Number,
    excess_percent,
    in_unit,
    missing,
    points_text,
    shorten,
    signed_text,
    significant,
    tame,
)
from components.one_unit import in_one_unit
from schema.result_metrics import PREFIX
from schema.rounding import THIN
from schema.table_columns import Format, number_format

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
        UNUSED: "addresses unused at the peak",
        CONSTANTS: "constants",
    }
)
"""Cause of a change -> its label; names of other causes are labels already."""
_MAX_NAME_LENGTH = 48
_MAX_KEY_LENGTH = 40
_MIN_THREE_DIGITS = 9.995
"""Percent from which a change has three digits; 9.995 rounds to 10, so both read alike."""
_MIN_FACTOR = 10_000.0
"""Percent from which a change is written as a factor."""
_MAX_BASIS_GAP = 0.02
"""Maximum gap between the judged change and that of the displayed numbers without a word on it."""
_MAX_THREE_DIGITS = 999.5
"""Factor from which three digits would need an exponent."""


def about(row: ResultRow) -> str:
    """Name the number of a row: the label of its metric, with " of KEY" if the row has a key."""
    label = tame(row.metric.label)
    return f"{label} of {shorten(row.key, _MAX_KEY_LENGTH)}" if row.key else label


def about_with_whole(row: ResultRow) -> str:
    """Name the number of a row, and of a share what it is part of: `utilisation, of peak`."""
    return ", ".join(filter(None, (about(row), row.metric.metric.share_of)))


def change_words(row: ResultRow) -> str:
    """Format the difference of a row and, if it has one, its relative change: +32 B (+20 %).

    The test may weigh samples differently; if its change reads differently, only that change is
    returned, because the verdict is about it, with its basis if a reader would miss it. "=" if the
    numbers are equal, a dash if the difference is unknown.
    """
    relative = relative_words(row.relative)
    judged = relative_words(row.judged_change)
    if judged != relative:
        return f"{judged} {basis_words(row)}".strip()
    return f"{delta_words(row)} ({relative})" if relative and row.delta else delta_words(row)


def basis_words(row: ResultRow) -> str:
    """Name the basis of a row's judged change: "without odd samples" or "of geometric means".

    Returns "" if the displayed numbers show about the same change.
    """
    change, shown = row.judged_change, row.relative
    if row.is_odd:
        return "without odd samples"
    if change is None or shown is None:
        return ""
    # The numbers beside it are medians or means: a step of 213 and 225 µs may have fallen by 26 %.
    is_other = change * shown < 0 or abs(change - shown) > _MAX_BASIS_GAP
    return "of geometric means" if is_other else ""


def delta_words(row: ResultRow) -> str:
    """Format the difference of a row in its unit; of ratios in percentage points.

    Returns "=" if the difference is 0, and a dash if it is missing.
    """
    if row.delta is None or missing(row.delta):
        return DASH
    if not row.delta:
        return "="
    size = abs(row.delta)
    text = points_text(size) if row.metric.unit == "ratio" else number(size, row)
    return signed_text(text, row.delta)


def relative_words(value: Number) -> str:
    """Format a relative change (a ratio) as a signed percentage such as −6.1 %; from 10,000 % on as
    a factor such as ×120; "" if missing.
    """
    if value is None or missing(value):
        return ""
    size = 100 * abs(float(value))
    if size >= _MIN_FACTOR:
        times = 1 + float(value)
        return f"×{THIN}{significant(times) if times >= _MAX_THREE_DIGITS else f'{times:.3g}'}"
    text = significant(size, 2 if size < _MIN_THREE_DIGITS else 3)
    return signed_text(f"{text}{THIN}%", float(value))


def interval_words(row: ResultRow) -> str:
    """Format the interval of a row's relative change: `−3.2 % to +1.0 %`; shares of time are in
    percentage points.

    Returns "" if there is no interval or both ends are equal.
    """
    if row.low is None or row.high is None or row.low == row.high:
        return ""
    if row.metric.scale == "share":
        low, high = (
            signed_text(f"{significant(100 * abs(end), 2)}", end) for end in (row.low, row.high)
        )
        return f"{low} to {high} percentage points"
    return f"{relative_words(row.low)} to {relative_words(row.high)}"


def number(value: Number, row: ResultRow) -> str:
    """Format a number in the unit of the row's metric; a dash if it is missing."""
    return numbers([value], row)[0]


def numbers(values: Sequence[Number], row: ResultRow) -> list[str]:
    """Format numbers of the row's metric, such as base and new, in the same unit; a dash for a
    missing number.
    """
    unit = row.metric.unit
    if row.metric.name.startswith(PREFIX) and number_format(unit) is Format.WHOLE:
        return values_in_unit(values, unit)
    return [with_unit(text, unit) for text in in_one_unit(values, unit)]


def cause_words(cause: Cause) -> str:
    """Describe a cause by kind of change and place, such as `lock stall on core 2,3` or `kernel
    NAME slower`, without its size.
    """
    what = PARTS.get(cause.what, cause.what.replace("_", " "))
    if cause.unit == "bytes" and not cause.where:
        return what
    where = shorten(cause.where, _MAX_NAME_LENGTH)
    if cause.unit == "points":
        return f"{what} on {where}"
    thing = "kernel" if cause.unit == "ns" else "block" if cause.what in WORDS else ""
    return (
        f"new {thing} {where}"
        if thing and cause.what == "born"
        else f"{thing} {where} {what}".strip()
    )


def amount_words(cause: Cause) -> str:
    """Format how much a cause contributes to the change, with sign and unit: `−1.2 % of base`.

    A part of less than 0.1 % has no sign, because its exact size says nothing.
    """
    size = abs(cause.amount)
    if cause.unit != "points":
        return signed_text(in_unit(size, cause.unit), cause.amount)
    text = f"{excess_percent(size / 100)} of base"
    return signed_text(text, cause.amount) if text[0].isdigit() else text


def first_words(
    parts: StepParts | None, rows: Sequence[ResultRow], causes: Sequence[Cause], verdict: str
) -> str:
    """Write the first sentences of a comparison: the part of a profile's step that changed most if
    `parts` are known, then `headline`; before both why the main number cannot be compared.
    """
    sentences = [
        _incomparable_sentence(rows, verdict),
        parts_sentence(parts),
        headline(rows, causes, verdict),
    ]
    return " ".join(filter(None, sentences))


def _incomparable_sentence(rows: Sequence[ResultRow], verdict: str) -> str:
    """Write why the first number that decides cannot be compared; "" if it can, or if the headline
    says it.
    """
    main = next((row for row in rows if row.gates), None)
    if main is None or verdict == "incomparable" or main.judged.verdict != "incomparable":
        return ""
    return _incomparable_words(main)


def headline(rows: Sequence[ResultRow], causes: Sequence[Cause], verdict: str) -> str:
    """Write how the number that decides the verdict changed, with the interval, and its main cause.

    A cause is named only if it is at least half of all causes. An incomparable number has its
    reason instead; several unchanged numbers are only counted. If no number decides, the caption
    states that.
    """
    gates = [row for row in rows if row.gates and row.judged.verdict == verdict]
    row = deciding(rows, verdict)
    if row is None:
        return "No metric decides the verdict of these runs."
    if verdict == "unchanged" and len(gates) > 1:
        every = "Both" if len(gates) == 2 else f"All {len(gates)}"
        return f"{every} numbers that decide are unchanged."
    if verdict == "incomparable":
        return _incomparable_words(row)
    if verdict == "unchanged":
        return _unchanged_words(row)
    lead = _change_words(row)
    # The name of a number in a file keeps its letters.
    lead = lead if row.metric.name.startswith(PREFIX) else lead[:1].upper() + lead[1:]
    if verdict == "undecided":
        return f"{lead}{': ' if row.judged.reason else ''}{tame(row.judged.reason)}."
    more = f", and {len(gates) - 1} more" if len(gates) > 1 else ""
    main = find_main_cause(row, causes_of(row, causes))
    why = f", mainly by {cause_words(main)} ({_size(main)})" if main else ""
    return f"{lead}{more}{why}."


def _change_words(row: ResultRow) -> str:
    """Write how a number changed: "LABEL rose (or fell) AMOUNT vs base (95 % interval ...)"; that it is equal in
    both if the difference is 0, or only its label if the difference is unknown.
    """
    label = tame(row.metric.label)
    about = f"{label} of {shorten(row.key, _MAX_NAME_LENGTH)}" if row.key else label
    if not row.delta:
        return f"{about} is {number(row.new, row)} in both" if row.delta == 0 else about
    change = row.judged_change
    span = interval_words(row)
    amount = (
        number(abs(row.delta), row)
        if change is None
        else relative_words(abs(change)).removeprefix("+")
    )
    rose = row.delta > 0 if change is None else change > 0
    interval = f" (95 % interval {span})" if span else ""
    return f"{about} {'rose' if rose else 'fell'} {amount} vs base{interval}"


def _unchanged_words(row: ResultRow) -> str:
    """Write that a number is unchanged within its threshold, with interval and reason.

    When there is no interval: "LABEL is VALUE in both."
    """
    about = _lead_label(row)
    span = interval_words(row)
    if not span:
        return f"{about} is {number(row.new, row)} in both."
    why = f": {row.judged.reason}" if row.judged.reason else ""
    return f"{about} is within {100 * row.threshold:g}{THIN}% of base (95 % interval {span}){why}."


def _incomparable_words(row: ResultRow) -> str:
    return f"{_lead_label(row)} cannot be compared: {tame(row.judged.reason)}."


def _lead_label(row: ResultRow) -> str:
    """Return the label of a row for the begin of a sentence; the name of a number in a file keeps
    its letters.
    """
    label = tame(row.metric.label)
    return label if row.metric.name.startswith(PREFIX) else f"{label[:1].upper()}{label[1:]}"


def _size(cause: Cause) -> str:
    return amount_words(cause).removeprefix("+").removeprefix(MINUS)
