"""What happened in a series of values: steps, dips, drifts and spikes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple, Self

import numpy as np

from analysis.statistics.dips import Span, take_dips
from analysis.statistics.drifts import Line, take_drifts
from analysis.statistics.levels import Levels
from analysis.statistics.step_fit import StepFit, fit_steps
from schema.array_types import Floats

Kind = Literal["step", "dip", "drift", "spike"]
LEAST_RUNS = 8
"""Values from which there is a series to look at."""
_SPIKE = 4.0
"""Standard deviations that a spike is off its level."""
_LONGEST_SPIKE = 2
_MOST_RELATIVE = 1e9
_LARGEST = 1e150
"""Values beyond it count as it, so that no sum or difference of values overflows."""


@dataclass(frozen=True)
class Event:
    """An event from its first value to its last one, both by their positions.

    `before` is the level before it, or the beginning of a drift; `after` is its own level, or the end of a drift;
    `relative` is `after` / `before` - 1. What has `recovered` is back at its level.
    """

    kind: Kind
    first: int
    last: int
    relative: float
    before: float
    after: float
    recovered: bool = False

    @classmethod
    def of(cls, kind: Kind, places: Span, before: float, after: float, *, recovered: bool = False) -> Self:
        """Return an event of places [first, end) with the change between two levels."""
        first, end = places
        return cls(kind, first, end - 1, _relative(before, after), before, after, recovered)


class Part(NamedTuple):
    """Values of one level or drift, from the first to the one before `end`.

    `median` is that of the values that belong to no dip; `begins` and `ends` are the ends of a drift, else the median.
    """

    first: int
    end: int
    median: float
    begins: float
    ends: float
    is_drift: bool = False


@dataclass(frozen=True)
class Course:
    """The parts that a series has, which span it, and its events by their first values."""

    parts: list[Part]
    events: list[Event]


def trace_course(values: Floats) -> Course:
    """Return the parts and events of at least `LEAST_RUNS` finite values."""
    values = np.clip(values, -_LARGEST, _LARGEST)
    fit = fit_steps(values)
    levels = Levels.of(fit)
    dips = take_dips(levels)
    levels.join_alike()
    levels.join_unheld_ends()
    lines = {line.first: line for line in take_drifts(levels)}
    parts = [_part(values, levels, first, end, lines.get(first)) for first, end in pairwise(levels.edges)]
    events = [*_steps(parts, fit), *_dips(values, parts, dips), *_drifts(parts), *_spikes(values, parts, levels)]
    return Course(parts, sorted(events, key=lambda event: (event.first, event.last)))


def _part(values: Floats, levels: Levels, first: int, end: int, line: Line | None) -> Part:
    median = float(np.median(values[first:end][levels.calm[first:end]]))
    if line is None:
        return Part(first, end, median, median, median)
    plain = levels.fit.scale.plain
    return Part(first, end, median, plain(line.begins), plain(line.ends), is_drift=True)


def _relative(before: float, after: float) -> float:
    """Return after / before - 1; what was 0 changes by all of what it becomes."""
    if not before:
        return float(np.sign(after))
    with np.errstate(over="ignore"):
        change = np.float64(after - before) / abs(before)
    return float(np.clip(change, -_MOST_RELATIVE, _MOST_RELATIVE))


def _steps(parts: Sequence[Part], fit: StepFit) -> Iterator[Event]:
    """Give the cuts between parts; one beside a drift is a step where the drift does not lead to it."""
    for before, after in pairwise(parts):
        ends, begins = fit.scale.scale_values(np.array([before.ends, after.begins]))
        if not (before.is_drift or after.is_drift) or abs(begins - ends) >= fit.least_change:
            yield Event.of("step", Span(after.first, after.end), before.ends, after.begins)


def _dips(values: Floats, parts: Sequence[Part], dips: Sequence[Span]) -> Iterator[Event]:
    for first, end in dips:
        level = _expected_value(_part_at(parts, first), (first + end - 1) / 2)
        yield Event.of("dip", Span(first, end), level, float(np.median(values[first:end])), recovered=True)


def _drifts(parts: Sequence[Part]) -> Iterator[Event]:
    for part in parts:
        if part.is_drift:
            yield Event.of("drift", Span(part.first, part.end), part.begins, part.ends)


def _spikes(values: Floats, parts: Sequence[Part], levels: Levels) -> Iterator[Event]:
    """Give the values, one or two that follow each other, that lie far off their level."""
    fit = levels.fit
    expected = np.concatenate([np.linspace(part.begins, part.ends, part.end - part.first) for part in parts])
    off = fit.values - fit.scale.scale_values(expected)
    far = levels.calm & (np.abs(off) >= max(_SPIKE * fit.noise, fit.least_change))
    for first, end in _groups(np.flatnonzero(far), np.sign(off)):
        level, odd = (float(np.median(each[first:end])) for each in (expected, values))
        yield Event.of("spike", Span(first, end), level, odd, recovered=end < len(values))


def _groups(places: np.ndarray, signs: Floats) -> Iterator[tuple[int, int]]:
    """Give places that follow each other on one side as (first, end)."""
    first = end = -1
    for place in places.tolist():
        if place != end or signs[place] != signs[first] or end - first == _LONGEST_SPIKE:
            if end > first:
                yield first, end
            first = place
        end = place + 1
    if end > first:
        yield first, end


def _part_at(parts: Sequence[Part], place: int) -> Part:
    return next(part for part in parts if part.first <= place < part.end)


def _expected_value(part: Part, place: float) -> float:
    """Return what a part has at a place."""
    return float(np.interp(place, (part.first, part.end - 1), (part.begins, part.ends)))
