"""Ratio of two sides' values with a 95 % interval, computed from logarithms of samples.

Differences of logarithms are ratios, and swapping the sides gives the mirrored result.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.statistics.student import quantile, two_sided_p
from schema.array_types import Floats

CONFIDENCE = 0.95
MIN_SAMPLES = 5
"""Minimum number of iterations of each side when two runs are compared."""
MIN_RUNS = 3
"""Minimum number of runs of each side when groups are compared by the means of their runs."""

_USUAL_CORRELATION, _USUAL_WEIGHT, _MAX_CORRELATION = 0.3, 20, 0.9
"""Prior correlation of neighbouring iterations, its weight in samples, and the upper limit."""


@dataclass(frozen=True)
class Ratio:
    """Estimate of the logarithm of new / base, with the bounds `low` and `high` of its interval.

    `p` is the probability of an estimate at least as far from 0 if nothing changed.
    """

    estimate: float
    low: float
    high: float
    p: float

    def inverse(self) -> Ratio:
        """Return the ratio with the sides swapped: estimate and interval change their signs, p
        stays.
        """
        return Ratio(-self.estimate, -self.high, -self.low, self.p)


EXACTLY_EQUAL = Ratio(0.0, 0.0, 0.0, 1.0)


def compare_samples(base: Floats, new: Floats) -> Ratio:
    """Compare the samples (logarithms) of two runs by Welch's t test; each needs at least two.

    Neighbouring samples are correlated: n samples with correlation r count as n (1 - r) / (1 + r)
    independent samples in the variance of the mean.
    """
    sides = [_effective(samples) for samples in (base, new)]
    return _welch((_mean(base), _mean(new)), (sides[0][0], sides[1][0]), (sides[0][1], sides[1][1]))


def of_groups(base: Sequence[Floats], new: Sequence[Floats]) -> Ratio:
    """Compare the means of two groups of runs (an array of logarithms per run) by Welch's t test;
    each group needs at least two runs.
    """
    means = [np.array([_mean(run) for run in side]) for side in (base, new)]
    variances = [float(np.var(side, ddof=1)) / len(side) for side in means]
    return _welch(
        (_mean(means[0]), _mean(means[1])), (variances[0], variances[1]), (len(base), len(new))
    )


def compare_with_baseline(base: Sequence[Floats], new: Floats) -> Ratio:
    """Compare a run with the runs of a baseline (arrays of logarithms) by the prediction interval
    for one more run; the baseline needs at least two runs.
    """
    means = np.array([_mean(run) for run in base])
    error = float(np.std(means, ddof=1)) * math.sqrt(1 + 1 / len(means))
    return _interval(_mean(new) - _mean(means), error, len(means) - 1)


def correlation(samples: Floats) -> float:
    """Estimate the correlation of neighbouring samples: corrected for bias, shrunk to the prior of
    0.3, cut to 0 to 0.9. Equal samples count as uncorrelated before that.
    """
    count = len(samples)
    centred = samples - samples.mean()
    square = float(centred @ centred)
    raw = float(centred[1:] @ centred[:-1]) / square if square > 0 else 0.0
    unbiased = raw + (1 + 3 * raw) / count
    drawn = (count * unbiased + _USUAL_WEIGHT * _USUAL_CORRELATION) / (count + _USUAL_WEIGHT)
    return min(max(drawn, 0.0), _MAX_CORRELATION)


def _effective(samples: Floats) -> tuple[float, float]:
    """Return the variance of the samples' mean, and the equivalent number of independent samples
    (at least 2).
    """
    r = correlation(samples)
    count = len(samples) * (1 - r) / (1 + r)
    return float(np.var(samples, ddof=1)) / count, max(2.0, count)


def _welch(
    means: tuple[float, float], variances: tuple[float, float], counts: tuple[float, float]
) -> Ratio:
    variance = sum(variances)
    weights = sum(v * v / (n - 1) for v, n in zip(variances, counts, strict=True))
    return _interval(
        means[1] - means[0],
        math.sqrt(variance),
        variance * variance / weights if weights > 0 else 1.0,
    )


def _interval(estimate: float, error: float, df: float) -> Ratio:
    # Samples without spread: every difference is significant.
    if error == 0:
        return Ratio(estimate, estimate, estimate, 1.0 if estimate == 0 else 0.0)
    reach = quantile((1 + CONFIDENCE) / 2, df) * error
    return Ratio(estimate, estimate - reach, estimate + reach, two_sided_p(estimate / error, df))


def _mean(values: Floats) -> float:
    return math.fsum(values.tolist()) / len(values)
