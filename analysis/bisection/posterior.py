"""Posterior of a bisection: where a step for the worse is, and whether there is any."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analysis.bisection.evidence import Evidence, Noise
from analysis.bisection.hypotheses import Courses, choose_pair_gaps, weigh_courses
from analysis.bisection.likelihood import LevelGrid, noise_values
from schema.array_types import Floats, Ints

_SHARE_STEP, _SHARE_PAIR, _SHARE_SPREAD = 0.90, 0.07, 0.03
"""Prior probabilities if the bad commit is worse: one step, two steps, levels of all commits differ."""
_SHARE_BETTER = 0.2
"""Prior probability that the bad commit is better, if it is not worse."""
USUAL_DOUBT = 0.12
"""Prior probability that the bad commit is not worse than the good commit, as the user knows it."""


@dataclass(frozen=True)
class Posterior:
    """Probabilities after the evidence.

    `singles` is the probability of each gap between measured commits that the only step for the
    worse is in it; `pairs` those of two steps, an array (first gap, second gap) for the gaps
    `pair_gaps`. `spread` is the probability that the bad commit is worse, but not by one or two
    steps. `level` and `better` are the probabilities that there is no relevant step, or a step for
    the better. `noise` is the mean of the noise.
    """

    evidence: Evidence
    singles: Floats
    pairs: Floats
    pair_gaps: Ints
    spread: float
    level: float
    better: float
    noise: float

    @property
    def worse(self) -> float:
        """Probability that the bad commit is worse than the good commit."""
        return 1 - self.level - self.better

    @cached_property
    def steps(self) -> Floats:
        """Probability of each gap that there is a step for the worse in it."""
        steps = self.singles.copy()
        steps[self.pair_gaps] += self.pairs.sum(axis=0) + self.pairs.sum(axis=1)
        return steps

    @cached_property
    def _sums(self) -> Floats:
        return np.concatenate([[0.0], np.cumsum(self.steps)])

    def within(self, first: int, end: int) -> float:
        """Compute the probability that a step for the worse is in the gaps [first, end), given
        that there are one or two such steps.
        """
        low, high = np.searchsorted(self.pair_gaps, [first, end])
        both = float(self.pairs[low:high, low:high].sum())
        total = float(self._sums[end] - self._sums[first]) - both
        stepped = self.worse - self.spread
        return min(total / stepped, 1.0) if stepped > 0 else 0.0


def find_posterior(
    evidence: Evidence, noise: Noise, least: float, doubt: float = USUAL_DOUBT
) -> Posterior:
    """Compute the posterior; the evidence has at least two measured commits.

    `doubt` is the prior probability that the bad commit is not worse.
    """
    grid = LevelGrid.of(evidence, noise.typical)
    noises, priors = noise_values(noise)
    gaps = choose_pair_gaps(evidence, grid, noise.typical, least)
    courses = [weigh_courses(evidence, grid, float(value), least, gaps) for value in noises]
    logs = np.array([_join(course, doubt) for course in courses]) + np.log(priors)[:, None]
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    masses = shares.sum(axis=0)
    count = len(evidence.positions) - 1
    return Posterior(
        evidence,
        singles=masses[:count],
        pairs=masses[count + 3 :].reshape(len(gaps), len(gaps)),
        pair_gaps=gaps,
        spread=float(masses[count]),
        level=float(masses[count + 1]),
        better=float(masses[count + 2]),
        noise=float(noises @ shares.sum(axis=1)),
    )


def _join(course: Courses, doubt: float) -> Floats:
    """Join the logarithms of all probabilities: a step per gap, spread, level, better, pairs."""
    worse = 1 - doubt
    others = [
        course.spread + math.log(_SHARE_SPREAD * worse),
        course.level + math.log((1 - _SHARE_BETTER) * doubt),
        course.better + math.log(_SHARE_BETTER * doubt),
    ]
    parts: Sequence[Floats] = [
        course.step + math.log(_SHARE_STEP * worse),
        np.array(others),
        course.pairs.ravel() + math.log(_SHARE_PAIR * worse),
    ]
    return np.concatenate(parts)
