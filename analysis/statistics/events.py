"""Find the events in a series of values: steps, dips, drifts and spikes."""

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
MIN_RUNS = 8
"""Minimum number of values of a series in which events are looked for."""
_SPIKE = 4.0
"""Distance of a spike from its level, in standard deviations of the noise."""
# Two values cannot be distinguished from two odd values, so they are a spike and not a dip.
_MAX_SPIKE_LENGTH = 2
_MAX_RELATIVE = 1e9
_MAX_VALUE = 1e150
"""Values are clipped to this size, so that sums and differences of values do not overflow."""


@dataclass(frozen=True)
class Event:
    """An event over positions `first` to `last`, both inclusive.

    `before` is the level before it, or the beginning of a drift. `after` is its own level, or the
    end of a drift. `relative` is `after` / `before` - 1. `recovered` is True if the series returns
    to its level.
    """

    kind: Kind
    first: int
    last: int
    relative: float
    before: float
    after: float
    recovered: bool = False

    @classmethod
    def of(
        cls, kind: Kind, places: Span, before: float, after: float, *, recovered: bool = False
    ) -> Self:
        """Create an event over the positions [first, end) of `places`, from level `before` to level
        `after`; `relative` is computed from these.
        """
        first, end = places
        return cls(kind, first, end - 1, _relative(before, after), before, after, recovered)


class Part(NamedTuple):
    """Positions [first, end) of a level or drift.

    `median` is the median of the values outside of dips. `begins` and `ends` are the ends of the
    line for a drift, else the median.
    """

    first: int
    end: int
    median: float
    begins: float
    ends: float
    is_drift: bool = False


@dataclass(frozen=True)
class Course:
    """The parts of a series, which cover all of it, and its events, sorted by first position."""

    parts: list[Part]
    events: list[Event]


def trace_course(values: Floats) -> Course:
    """Find the parts and events of a series of at least `MIN_RUNS` (8) finite values, in order of
    time.
    """
    values = np.clip(values, -_MAX_VALUE, _MAX_VALUE)
    fit = fit_steps(values)
    levels = Levels.of(fit)
    dips = take_dips(levels)
    levels.join_alike()
    levels.join_unheld_ends()
    lines = {line.first: line for line in take_drifts(levels)}
    parts = [
        _part(values, levels, first, end, lines.get(first)) for first, end in pairwise(levels.edges)
    ]
    events = [
        *_steps(parts, fit),
        *_dips(values, parts, dips),
        *_drifts(parts),
        *_spikes(values, parts, levels),
    ]
    return Course(parts, sorted(events, key=lambda event: (event.first, event.last)))


def _part(values: Floats, levels: Levels, first: int, end: int, line: Line | None) -> Part:
    median = float(np.median(values[first:end][levels.calm[first:end]]))
    if line is None:
        return Part(first, end, median, median, median)
    plain = levels.fit.scale.plain
    return Part(first, end, median, plain(line.begins), plain(line.ends), is_drift=True)


def _relative(before: float, after: float) -> float:
    """Compute (after - before) / |before|, limited to ±1e9; the sign of `after` (-1, 0 or 1) if
    `before` is 0.
    """
    if not before:
        return float(np.sign(after))
    with np.errstate(over="ignore"):
        change = np.float64(after - before) / abs(before)
    return float(np.clip(change, -_MAX_RELATIVE, _MAX_RELATIVE))


def _steps(parts: Sequence[Part], fit: StepFit) -> Iterator[Event]:
    """Yield a step for each cut between parts, over the positions of the part after it.

    A cut at the end of a drift is a step only if the drift does not lead to the next level.
    """
    for before, after in pairwise(parts):
        ends, begins = fit.scale.scale_values(np.array([before.ends, after.begins]))
        if not (before.is_drift or after.is_drift) or abs(begins - ends) >= fit.least_change:
            yield Event.of("step", Span(after.first, after.end), before.ends, after.begins)


def _dips(values: Floats, parts: Sequence[Part], dips: Sequence[Span]) -> Iterator[Event]:
    for first, end in dips:
        level = _expected_value(_find_part(parts, first), (first + end - 1) / 2)
        yield Event.of(
            "dip", Span(first, end), level, float(np.median(values[first:end])), recovered=True
        )


def _drifts(parts: Sequence[Part]) -> Iterator[Event]:
    for part in parts:
        if part.is_drift:
            yield Event.of("drift", Span(part.first, part.end), part.begins, part.ends)


def _spikes(values: Floats, parts: Sequence[Part], levels: Levels) -> Iterator[Event]:
    """Yield the spikes: runs of one or two calm values whose distance from their level is at least
    4 standard deviations of the noise and the least change of the fit.
    """
    fit = levels.fit
    expected = np.concatenate(
        [np.linspace(part.begins, part.ends, part.end - part.first) for part in parts]
    )
    off = fit.values - fit.scale.scale_values(expected)
    far = levels.calm & (np.abs(off) >= max(_SPIKE * fit.noise, fit.least_change))
    for first, end in _groups(np.flatnonzero(far), np.sign(off)):
        level, odd = (float(np.median(each[first:end])) for each in (expected, values))
        yield Event.of("spike", Span(first, end), level, odd, recovered=end < len(values))


def _groups(places: np.ndarray, signs: Floats) -> Iterator[tuple[int, int]]:
    """Yield [first, end) of runs of consecutive places with the same sign, at most 2 places each; a
    longer run is cut. `places` is ascending, `signs` has the sign of each position of the series.
    """
    first = end = -1
    for place in places.tolist():
        if place != end or signs[place] != signs[first] or end - first == _MAX_SPIKE_LENGTH:
            if end > first:
                yield first, end
            first = place
        end = place + 1
    if end > first:
        yield first, end


def _find_part(parts: Sequence[Part], place: int) -> Part:
    return next(part for part in parts if part.first <= place < part.end)


def _expected_value(part: Part, place: float) -> float:
    """Interpolate the value of a part at a position: the line of a drift, else the level."""
    return float(np.interp(place, (part.first, part.end - 1), (part.begins, part.ends)))
