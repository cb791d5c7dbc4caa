"""Likelihood of the scores of runs at each possible level, robust against odd runs.

A score is the level of its commit plus noise; a share of runs is odd and lies anywhere near.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from analysis.bisection.evidence import Evidence, Noise
from schema.array_types import Floats

_ODD_SHARE = 0.05
"""Share of runs that are odd."""
_ODD_REACH = 0.1
"""Mean distance of an odd run from the level of its commit."""
_MAX_POINTS = 400
"""Maximum number of levels of the grid."""
_EVEN_POINTS = 64
_NEAR = np.linspace(-4.0, 4.0, 33)
"""Distances of the grid's levels from a score, in noises."""
_NOISES = 7
"""Number of values of the noise over which the likelihood is averaged."""
_MAX_SPREADS = 2.0
_BATCH = 200_000
"""Maximum number of pairs of score and level that are in memory together."""


@dataclass(frozen=True)
class LevelGrid:
    """Levels over which likelihoods are integrated, ascending, and the width of each level.

    Levels are dense near the scores, since a likelihood is narrow there.
    """

    levels: Floats
    widths: Floats

    @classmethod
    def of(cls, evidence: Evidence, noise: float) -> LevelGrid:
        """Build the grid for the scores of the evidence."""
        scores = np.unique(np.concatenate(evidence.scores))
        even = np.linspace(scores[0] - 8 * noise, scores[-1] + 8 * noise, _EVEN_POINTS)
        near = (scores[:, None] + noise * _NEAR).ravel()
        near.sort()
        step = max(1, math.ceil(len(near) / (_MAX_POINTS - _EVEN_POINTS)))
        levels = np.unique(np.concatenate([even, near[::step]]))
        return cls(levels, np.gradient(levels))


def noise_values(noise: Noise) -> tuple[Floats, Floats]:
    """Return values of the noise and their prior probabilities (log-normal, sum 1)."""
    at = np.linspace(-_MAX_SPREADS, _MAX_SPREADS, _NOISES)
    weights = np.exp(-0.5 * at**2)
    return noise.typical * noise.spread**at, weights / weights.sum()


def level_likelihoods(evidence: Evidence, grid: LevelGrid, noise: float) -> Floats:
    """Compute the log-likelihood of the runs of each measured commit at each level of the grid,
    shape (measured commits, levels).
    """
    table = np.empty((len(evidence.scores), len(grid.levels)))
    counts = [len(scores) for scores in evidence.scores]
    for first, end in _batches(counts, len(grid.levels)):
        scores = np.concatenate(evidence.scores[first:end])
        starts = np.cumsum([0, *counts[first : end - 1]])
        table[first:end] = np.add.reduceat(log_density(scores, grid.levels, noise), starts)
    return table


def _batches(counts: list[int], levels: int) -> Iterator[tuple[int, int]]:
    """Yield ranges [first, end) of commits that are computed together: at most _BATCH (200,000) scores
    times levels, or a single commit.
    """
    first = total = 0
    for at, count in enumerate(counts):
        if at > first and (total + count) * levels > _BATCH:
            yield first, at
            first = at
            total = 0
        total += count
    yield first, len(counts)


def log_density(scores: Floats, levels: Floats, noise: float) -> Floats:
    """Compute the logarithm of the density of each score at each level, shape (scores, levels)."""
    off = np.abs(scores[:, None] - levels)
    reach = max(_ODD_REACH, 10 * noise)
    usual = -0.5 * (off / noise) ** 2 + math.log((1 - _ODD_SHARE) / noise / math.sqrt(2 * math.pi))
    odd = -off / reach + math.log(_ODD_SHARE / (2 * reach))
    density: Floats = np.logaddexp(usual, odd)
    return density
