"""Marginal likelihoods of the courses that a number may take over the commits of a bisection.

The measured commits divide the range into gaps. A step in a gap is a change between the measured
commits on its sides. Levels are integrated out: sizes of steps decay exponentially, which makes
the sums over pairs of levels cumulative sums.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.bisection.evidence import Evidence
from analysis.bisection.likelihood import LevelGrid, level_likelihoods
from schema.array_types import Floats, Ints

_USUAL_STEP = 0.1
"""Mean size of a step beyond the least step."""
_MAX_PAIR_GAPS = 40
"""Maximum number of gaps between which two steps are looked for."""
_MAX_END_LEVELS = 32
"""Maximum number of levels of the good and of the bad commit, if all commits have their own."""
_MAX_EXPONENT = 600.0


@dataclass(frozen=True)
class Courses:
    """Log marginal likelihoods for a value of the noise, with the prior of the position.

    `step` has a step for the worse per gap; `better` is a step for the better, `level` no relevant
    step. `pairs` has two steps for the worse, an array (first gap, second
    gap) over some gaps, with minus infinity on and below the diagonal. `spread` is
    the likelihood of a worse bad commit if each commit between has a separate level.
    """

    step: Floats
    better: float
    level: float
    spread: float
    pairs: Floats


def choose_pair_gaps(evidence: Evidence, grid: LevelGrid, noise: float, least: float) -> Ints:
    """Choose the gaps between which two steps are looked for, ascending: all, or the gaps in which
    a single step is most probable.
    """
    gaps = np.arange(len(evidence.positions) - 1)
    if len(gaps) <= _MAX_PAIR_GAPS:
        return gaps
    steps = weigh_courses(evidence, grid, noise, least, gaps[:0]).step
    return np.sort(np.argsort(-steps, kind="stable")[:_MAX_PAIR_GAPS])


def weigh_courses(
    evidence: Evidence, grid: LevelGrid, noise: float, least: float, pair_gaps: Ints
) -> Courses:
    """Compute the likelihoods of all courses; `least` is the smallest step that is looked for, and
    two steps are looked for in `pair_gaps`.
    """
    table = level_likelihoods(evidence, grid, noise)
    whole = table.sum(axis=0)
    before = np.cumsum(table, axis=0)[:-1]
    after = whole - before
    prior = np.log(np.diff(evidence.positions) / (evidence.last - evidence.first))
    steps = _StepSums.of(grid, least)
    worse = prior + _join(before, after, steps.worse, grid)
    better = prior + _join(before, after, steps.better, grid)
    level = prior + _join(before, after, steps.alike, grid)
    pairs = _pairs(before[pair_gaps], after[pair_gaps], prior[pair_gaps], steps, grid)
    spread = _weigh_spread(table, grid, least)
    return Courses(worse, _log_sum(better), _log_sum(level), spread, pairs)


def _join(before: Floats, after: Floats, spread: _Sum, grid: LevelGrid) -> Floats:
    """Integrate over the level before (log-likelihoods `before`, a row per gap) and the level after
    a step; `spread` sums over the levels after it.
    """
    scaled, tops = _scale_rows(after)
    reached = spread(scaled)
    own, own_tops = _scale_rows(before)
    return tops + own_tops + _log((own * reached * grid.widths).sum(axis=1))


def _pairs(
    before: Floats, after: Floats, prior: Floats, steps: _StepSums, grid: LevelGrid
) -> Floats:
    count = len(prior)
    pairs = np.full((count, count), -np.inf)
    for second in range(1, count):
        last, last_top = _scale_rows(after[second : second + 1])
        reached = _log(steps.worse(last)) + last_top[:, None]
        # The level between both steps: the commits after the first and before the second gap.
        middle = after[:second] - after[second] + reached
        scaled, tops = _scale_rows(middle)
        own, own_tops = _scale_rows(before[:second])
        total = (own * steps.worse(scaled) * grid.widths).sum(axis=1)
        # Two positions of n are a pair with probability 2 / n².
        pairs[:second, second] = (
            tops + own_tops + _log(total) + prior[:second] + prior[second] + np.log(2.0)
        )
    return pairs


def _weigh_spread(table: Floats, grid: LevelGrid, least: float) -> float:
    """Integrate over the levels of the good and the bad commit, and over a level between these two
    for each other commit; -inf without other commits.
    """
    if len(table) == 2:
        return -np.inf
    good = np.sort(np.argsort(-table[0], kind="stable")[:_MAX_END_LEVELS])
    bad = np.sort(np.argsort(-table[-1], kind="stable")[:_MAX_END_LEVELS])
    step = grid.levels[bad] - grid.levels[good][:, None]
    scaled, tops = _scale_rows(table[1:-1])
    sums = np.cumsum(scaled * grid.widths, axis=1)
    total = table[0, good][:, None] + table[-1, bad] + tops.sum()
    for row in sums:
        total += _log(row[bad] - row[good][:, None]) - np.log(np.maximum(step, least))
    typical = _typical_step(grid.levels)
    total += -(step - least) / typical - np.log(typical)
    total += np.log(grid.widths[good])[:, None] + np.log(grid.widths[bad])
    return _log_sum(total[step >= least]) if (step >= least).any() else -np.inf


def _typical_step(levels: Floats) -> float:
    # A mean step of a twentieth of the range at least keeps the factors of the prior finite.
    return max(_USUAL_STEP, float(levels[-1] - levels[0]) / 20)


def _scale_rows(table: Floats) -> tuple[Floats, Floats]:
    """Return exp(table) divided by the maximum of each row, and the logarithms of these maxima."""
    tops = table.max(axis=1)
    return np.exp(np.maximum(table - tops[:, None], -_MAX_EXPONENT)), tops


def _log(values: Floats) -> Floats:
    return np.asarray(np.log(np.maximum(values, 1e-300)), np.float64)


def _log_sum(values: Floats) -> float:
    return float(np.logaddexp.reduce(values))


class _Sum:
    """Sum over levels in a range of steps from each level, weighted by the prior of the step.

    `first` and `end` are for each level the range [first, end) of levels after the step; `decay`
    and `grow` are the factors of the prior at the level after and before the step.
    """

    def __init__(
        self, ranges: tuple[Ints, Ints], decay: Floats, grow: Floats, widths: Floats
    ) -> None:
        self._first, self._end = ranges
        self._weights = decay * widths
        self._grow = grow

    def __call__(self, likelihoods: Floats) -> Floats:
        """Return the sums, shape (rows, levels), for likelihoods of the same shape."""
        weighted = likelihoods * self._weights
        sums = np.zeros((len(weighted), weighted.shape[1] + 1))
        np.cumsum(weighted, axis=1, out=sums[:, 1:])
        # Differences of cumulative sums may be a rounding error below 0.
        ranged = np.maximum(sums[:, self._end] - sums[:, self._first], 0.0)
        return np.asarray(ranged * self._grow, np.float64)


@dataclass(frozen=True)
class _StepSums:
    """Sums over the levels that are worse, better, or neither by the least step."""

    worse: _Sum
    better: _Sum
    alike: _Sum

    @classmethod
    def of(cls, grid: LevelGrid, least: float) -> _StepSums:
        levels = grid.levels
        typical = _typical_step(levels)
        up = np.searchsorted(levels, levels + least, "left")
        down = np.searchsorted(levels, levels - least, "right")
        zero = np.zeros_like(up)
        count = np.full_like(up, len(levels))
        rise = np.exp((levels - levels[0]) / typical)
        norm = np.exp(least / typical) / typical
        even = np.full(len(levels), 1 / (2 * least))
        return cls(
            _Sum((np.minimum(up, count), count), norm / rise, rise, grid.widths),
            _Sum((zero, down), norm * rise, 1 / rise, grid.widths),
            _Sum((np.minimum(down, up), up), np.ones(len(levels)), even, grid.widths),
        )
