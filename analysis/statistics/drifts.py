"""Find drifts: levels that all rise or all fall and that a straight line explains as well."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from analysis.statistics.levels import Levels
from schema.array_types import Floats

_MIN_RUNS = 12
"""Minimum number of values of a drift: with fewer, a line cannot be distinguished from a step."""


class Line(NamedTuple):
    """Line of a drift over positions [first, end), from `begins` to `ends` on the fit's scale."""

    first: int
    end: int
    begins: float
    ends: float


def take_drifts(levels: Levels) -> list[Line]:
    """Find the drifts of levels, in order, and merge the levels of each drift into a single level
    (the cuts of `levels` change in place); [] without drifts.

    A drift is accepted if its line leaves no larger sum of squares than the levels, when each cut
    and the slope add the cost of a cut in the fit. It has at least 12 calm values.
    """
    drifts = []
    dropped: set[int] = set()
    for low, high in _longest_drifts(levels):
        drifts.append(_line(levels, levels.edges[low], levels.edges[high + 1]))
        dropped.update(levels.edges[low + 1 : high + 1])
    levels.cuts = [cut for cut in levels.cuts if cut not in dropped]
    return drifts


def _longest_drifts(levels: Levels) -> Iterator[tuple[int, int]]:
    """Yield the first and last level (both included) of each drift: in each chain of levels the
    drift with the most values.
    """
    sums = _sums(levels)
    edges = np.array(levels.edges)
    free = 0
    for low, high in _chains(levels.means()):
        lowest = max(low, free)
        lows, highs = np.triu_indices(high - lowest + 1, 1)
        lows += lowest
        highs += lowest
        runs = sums[edges[highs + 1], 0] - sums[edges[lows], 0]
        fits = (runs >= _MIN_RUNS) & (_gain(sums, edges, lows, highs, levels.fit.cost) >= 0)
        if fits.any():
            at = int(np.where(fits, runs, 0).argmax())
            free = int(highs[at]) + 1
            yield int(lows[at]), int(highs[at])


def _chains(means: Floats) -> Iterator[tuple[int, int]]:
    """Yield the first and last level (both included) of each chain of levels that all rise or all
    fall; neighbours share a level.
    """
    signs = np.sign(np.diff(means))
    turns = [0, *(np.flatnonzero(signs[1:] != signs[:-1]) + 1).tolist(), len(signs)]
    yield from ((low, high) for low, high in pairwise(turns) if high > low)


def _sums(levels: Levels) -> Floats:
    """Compute prefix sums over the calm values, shape (count + 1, 6), with the columns 1, t, t², y,
    t y and y²; the first row is 0.

    t runs from 0 to 1 over the series; y is the clipped value on the scale of the fit, minus the
    mean.
    """
    count = len(levels.calm)
    t = np.arange(count) / count
    y = levels.fit.clipped - levels.fit.clipped.mean()
    each = np.stack([np.ones(count), t, t * t, y, t * y, y * y], axis=1) * levels.calm[:, None]
    return np.concatenate([np.zeros((1, 6)), np.cumsum(each, axis=0)])


def _gain(
    sums: Floats, edges: np.ndarray, low: np.ndarray, high: np.ndarray, cost: float
) -> Floats:
    """Compute the cost of levels `low` to `high` (both included) minus the cost of a line, for
    arrays of levels.

    Both costs are residual sums of squares plus `cost` for each cut or for the slope. The gain is
    not negative if the line explains the values at least as well.
    """
    parts = np.diff(sums[edges], axis=0)
    by_level = np.concatenate(([0.0], np.cumsum(parts[:, 3] ** 2 / parts[:, 0])))
    by_levels = by_level[high + 1] - by_level[low] - (high - low) * cost
    n, t, tt, y, ty, _ = (sums[edges[high + 1]] - sums[edges[low]]).T
    by_line: Floats = y * y / n + (ty - t * y / n) ** 2 / (tt - t * t / n) - cost
    by_line -= by_levels
    return by_line


def _line(levels: Levels, first: int, end: int) -> Line:
    """Fit a line to the calm values in [first, end) by least squares; its ends are the values of
    the line at the first and last position.
    """
    at = first + np.flatnonzero(levels.calm[first:end])
    slope, middle = np.polyfit(at - at.mean(), levels.fit.clipped[at], 1)
    begins, ends = (float(middle + slope * (place - at.mean())) for place in (first, end - 1))
    return Line(first, end, begins, ends)
