"""Dips: a few values that are off the level on either side, up or down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from analysis.statistics.levels import MOST_SHORT, Levels
from schema.array_types import Floats

_ALIKE = 0.5
"""Share of a dip's depth by which the levels around it differ, at most."""


class Span(NamedTuple):
    """Values by the positions of the first one and of the one after the last."""

    first: int
    end: int


class _Candidate(NamedTuple):
    """Levels `low` to `high` between two that are alike: how many runs, how far off these, and whether a dip."""

    low: int
    high: int
    runs: int
    depth: float
    is_dip: bool


def take_dips(levels: Levels) -> list[Span]:
    """Return the dips of levels, in order, and take them out: the levels around one become one, if they are alike.

    The shortest come first, as what lies between two dips is off the level of both, too. A short level between two
    that are alike is no level where a few odd values make it.
    """
    found: list[Span] = []
    while chosen := _apart(sorted(_candidates(levels), key=lambda one: (one.runs, -one.depth))):
        edges, means = levels.edges, levels.means()
        dropped: set[int] = set()
        for one in chosen:
            span = Span(edges[one.low], edges[one.high + 1])
            if one.is_dip:
                found.append(span)
                levels.calm[span.first : span.end] = False
            stays = one.is_dip and abs(means[one.high + 1] - means[one.low - 1]) >= levels.fit.least_change
            dropped.update(edges[one.low : one.high + 1 + (not stays)])
        levels.cuts = [cut for cut in levels.cuts if cut not in dropped]
    return sorted(found)


def _apart(candidates: list[_Candidate]) -> list[_Candidate]:
    """Return the candidates, the first one first, of which none has a level that another one has or is measured by."""
    taken: set[int] = set()
    around: set[int] = set()
    chosen = []
    for one in candidates:
        own, beside = set(range(one.low, one.high + 1)), {one.low - 1, one.high + 1}
        if own.isdisjoint(taken | around) and beside.isdisjoint(taken):
            taken |= own
            around |= beside
            chosen.append(one)
    return chosen


def _candidates(levels: Levels) -> Iterator[_Candidate]:
    edges, means = levels.edges, levels.means()
    for low in range(1, len(means) - 1):
        for high in range(low, len(means) - 1):
            if edges[high + 1] - edges[low] > MOST_SHORT or not levels.calm[edges[low] : edges[high + 1]].all():
                break
            found = _candidate(levels, means, low, high)
            if found is not None:
                yield found


def _candidate(levels: Levels, means: Floats, low: int, high: int) -> _Candidate | None:
    """Return what some levels are that lie on one side of two levels which are alike, None where they do not."""
    rest = float(means[low - 1] + means[high + 1]) / 2
    off = means[low : high + 1] - rest
    if not ((off > 0).all() or (off < 0).all()):
        return None
    first, end = levels.edges[low], levels.edges[high + 1]
    depth = abs(float(np.mean(levels.fit.clipped[first:end])) - rest)
    if abs(means[low - 1] - means[high + 1]) >= _ALIKE * depth:
        return None
    middle = abs(float(np.median(levels.fit.values[first:end])) - rest)
    is_dip = middle >= levels.fit.least_change and levels.is_held(first, end, rest)
    return _Candidate(low, high, end - first, depth, is_dip) if is_dip or low == high else None
