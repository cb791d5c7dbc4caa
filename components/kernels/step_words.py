"""Caption of the steps of a training run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from analysis.kernels.step_times import FILLS, Series, main_series
from components.numbers import count_text, duration_text, shorten

FILL_LABELS: Mapping[str, str] = MappingProxyType(
    {
        "kernels": "kernels",
        "copies": "copies",
        "compile": "compiler",
        "profiler": "profiler",
        "host": "host",
        "python": "Python",
        # Of breakdowns "idle" is the time in which a device runs nothing, so that this needs
        # another word.
        "idle": "untraced",
    }
)
"""Part of a step's time -> label."""
_MAX_NAME_CHARACTERS = 60


def step_sentence(series: Sequence[Series], count: int) -> str:
    """Return the caption of the steps: median duration and its parts, and the duration of the first
    step.

    If two steps of a series count, none of them is typical, and the caption has both. If every step
    has a name of its own, the caption describes the longest step. `count` is the
    number of steps; if it is 0, the caption says why there are none.
    """
    if not count:
        return "No steps: the capture has no two markers, between which steps are."
    main = main_series(list(series))
    pair = next((one for one in series if one.steps > 1 and one.median is None), None)
    if main is None and pair is not None:
        lead = f"2 of {count_text(count, 'step')} count, {time_text(pair.shortest)} and"
        return f"{lead} {time_text(pair.longest)}: {_shares_words(pair)}.{_first_words(pair)}"
    if main is None:
        longest = max(series, key=lambda one: one.first)
        name = shorten(longest.name, _MAX_NAME_CHARACTERS)
        lead = (
            f"1 step: {name} takes"
            if count == 1
            else f"{count_text(count, 'step')}, each with a name of its own. The longest, {name}, takes"
        )
        return f"{lead} {time_text(longest.first)}: {_shares_words(longest)}."
    others = f", of {count_text(main.counted, 'counted step')}" if main.counted > 1 else ""
    whole = (
        "A step takes"
        if len(series) == 1
        else f"A step {shorten(main.name, _MAX_NAME_CHARACTERS)} takes"
    )
    lead = f"{whole} {time_text(main.median)} (median{others})"
    return f"{lead}: {_shares_words(main)}.{_first_words(main)}"


def _first_words(series: Series) -> str:
    """Write the time of a first step that does not count; "" if it counts."""
    return "" if series.first_counts else f" The first takes {time_text(series.first)}."


def _shares_words(series: Series) -> str:
    """Format the parts of a step's time, largest first, without parts that round to 0: `42 %
    Python, 28 % compiler`.
    """
    parts = sorted(FILLS, key=lambda part: -series.fill[part])
    shown = zip(parts, _whole_percents([series.fill[part] for part in parts]), strict=True)
    return ", ".join(f"{share} % {FILL_LABELS[part]}" for part, share in shown if share)


def _whole_percents(shares: Sequence[float]) -> list[int]:
    """Round shares to whole percents with the sum of all shares, so that parts of 1 sum to 100."""
    exact = [100 * share for share in shares]
    percents = [int(value) for value in exact]
    left = round(sum(exact)) - sum(percents)
    by_rest = sorted(range(len(exact)), key=lambda at: percents[at] - exact[at])
    for at in by_rest[:left]:
        percents[at] += 1
    return percents


def time_text(ns: float | None) -> str:
    """Format a time (ns) with its unit, such as `1.23 ms`, with ordinary spaces for the command
    line; a dash if it is None.
    """
    return duration_text(ns).replace("\u202f", " ")
