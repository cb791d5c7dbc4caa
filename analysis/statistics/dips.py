"""Find dips in the levels of a series: a few values that leave the level and return."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from analysis.statistics.levels import MAX_DIP_LENGTH, Levels
from schema.array_types import Floats

_ALIKE = 0.5
"""Upper limit for the difference of the levels around a dip, as a share of the dip's depth."""


class Span(NamedTuple):
    """Positions of values [first, end)."""

    first: int
    end: int


class _Candidate(NamedTuple):
    """Levels `low` to `high` between two levels that are alike.

    `runs` is the number of values, `depth` the distance from the levels around. `is_dip` is False
    if only a few odd values make the level.
    """

    low: int
    high: int
    runs: int
    depth: float
    is_dip: bool


def take_dips(levels: Levels) -> list[Span]:
    """Find the dips of levels, in order; [] without dips.

    The cuts of `levels` are changed in place: levels around a dip are merged when they differ by
    less than the least change of the fit. The values of a dip are no longer calm. A level of at
    most MAX_DIP_LENGTH (10) values for which `Levels.is_held` is False is merged with its
    neighbours and is not a dip.
    """
    dips: list[Span] = []
    # Shorter candidates first: the level between two dips differs from both, so it would otherwise
    # be taken for a dip itself.
    while chosen := _select_independent(sorted(_candidates(levels), key=_preference)):
        edges = levels.edges
        means = levels.means()
        dropped: set[int] = set()
        for candidate in chosen:
            span = Span(edges[candidate.low], edges[candidate.high + 1])
            if candidate.is_dip:
                dips.append(span)
                levels.calm[span.first : span.end] = False
            stays = (
                candidate.is_dip
                and abs(means[candidate.high + 1] - means[candidate.low - 1])
                >= levels.fit.least_change
            )
            dropped.update(edges[candidate.low : candidate.high + 1 + (not stays)])
        levels.cuts = [cut for cut in levels.cuts if cut not in dropped]
    return sorted(dips)


def _preference(candidate: _Candidate) -> tuple[int, float]:
    return candidate.runs, -candidate.depth


def _select_independent(candidates: list[_Candidate]) -> list[_Candidate]:
    """Return the candidates that are independent of each other, in their order, which is that of
    preference.

    No level of a selected candidate is a level or a neighbour of another selected candidate.
    """
    taken: set[int] = set()
    around: set[int] = set()
    chosen = []
    for candidate in candidates:
        own = set(range(candidate.low, candidate.high + 1))
        neighbours = {candidate.low - 1, candidate.high + 1}
        if own.isdisjoint(taken | around) and neighbours.isdisjoint(taken):
            taken |= own
            around |= neighbours
            chosen.append(candidate)
    return chosen


def _candidates(levels: Levels) -> Iterator[_Candidate]:
    edges = levels.edges
    means = levels.means()
    for low in range(1, len(means) - 1):
        for high in range(low, len(means) - 1):
            if (
                edges[high + 1] - edges[low] > MAX_DIP_LENGTH
                or not levels.calm[edges[low] : edges[high + 1]].all()
            ):
                break
            candidate = _candidate(levels, means, low, high)
            if candidate is not None:
                yield candidate


def _candidate(levels: Levels, means: Floats, low: int, high: int) -> _Candidate | None:
    """Return the candidate of levels `low` to `high` (both included), or None if they are not a
    dip.

    None if the levels are not all above or all below the mean of the two levels around them, or
    when these two differ by half of the depth or more. Levels that a minority of values makes count
    only if they are a single level.
    """
    rest = float(means[low - 1] + means[high + 1]) / 2
    off = means[low : high + 1] - rest
    if not ((off > 0).all() or (off < 0).all()):
        return None
    first = levels.edges[low]
    end = levels.edges[high + 1]
    depth = abs(float(np.mean(levels.fit.clipped[first:end])) - rest)
    if abs(means[low - 1] - means[high + 1]) >= _ALIKE * depth:
        return None
    middle = abs(float(np.median(levels.fit.values[first:end])) - rest)
    is_dip = middle >= levels.fit.least_change and levels.is_held(first, end, rest)
    return _Candidate(low, high, end - first, depth, is_dip) if is_dip or low == high else None
