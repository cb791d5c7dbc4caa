"""Fit a series of values by steps between levels, robustly against odd values."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from analysis.statistics.partition import partition
from schema.array_types import Floats

MIN_CHANGE = math.log1p(0.02)
"""Smallest change that matters (2 %), on the scale of a fit."""
MIN_NOISE = 0.001
"""Lower limit of the noise, so that equal values need no special case."""
_NORMAL = 1.4826
"""Factor from the median absolute deviation to the standard deviation of normal values."""
# Values are clipped at this many noises around a running median of _WINDOW values, so that one or
# two odd values have no weight.
_CLIP = 2.5
_WINDOW = 5
_CUT_COST = 9.0
"""Reduction of the sum of squares that a cut has to bring, in noise variances."""
_ROUNDS = 3
_SHRINK, _MAX_CORRELATION = 0.8, 0.6
_FAR = 1e9
"""Limit of values on a linear scale, in multiples of their typical size."""


@dataclass(frozen=True)
class Scale:
    """Scale on which changes are relative.

    Positive values are on a logarithmic scale (`typical` is None), other values are divided by
    their typical size.
    """

    typical: float | None

    @classmethod
    def of(cls, values: Floats) -> Scale:
        """Choose the scale for finite values: logarithmic if all are positive, else in units of the
        median size of the values that are not 0 (1 if all are 0).
        """
        sizes = np.abs(values[values != 0])
        if (values > 0).all():
            return cls(None)
        return cls(float(np.median(sizes)) if len(sizes) else 1.0)

    def scale_values(self, values: Floats) -> Floats:
        """Convert values to the scale: logarithms, or multiples of the typical size,
        cut to +-1e9.
        """
        with np.errstate(over="ignore"):
            scaled: Floats = (
                np.log(values)
                if self.typical is None
                else np.clip(values / self.typical, -_FAR, _FAR)
            )
        return scaled

    def plain(self, scaled: float) -> float:
        """Convert a number on the scale back to a value, in the unit of the series."""
        return math.exp(scaled) if self.typical is None else scaled * self.typical


@dataclass(frozen=True)
class StepFit:
    """A series on its scale, its values with outliers `clipped`, and the `cuts` between its levels.

    `noise` is the standard deviation around the levels, `cost` the reduction of the sum of squares
    that a cut has to bring.
    """

    scale: Scale
    values: Floats
    clipped: Floats
    cuts: list[int]
    noise: float
    cost: float

    @property
    def least_change(self) -> float:
        """Smallest difference of levels, on the fit's scale, that counts as a change: 2 % or twice
        the noise, whichever is more.
        """
        return max(MIN_CHANGE, 2 * self.noise)


def fit_steps(values: Floats) -> StepFit:
    """Fit steps between levels to at least five finite values, clipped at 2.5 times the noise
    around a running median, so that single outliers have no weight; no cuts when a single level
    fits.

    The noise is estimated from differences of neighbours first, then from the residuals of the
    levels, as is the correlation of neighbours.
    """
    scale = Scale.of(values)
    scaled = scale.scale_values(values)
    middle = _running_median(scaled)
    noise = max(_spread(np.diff(scaled)) / math.sqrt(2), MIN_NOISE)
    cost = _CUT_COST * noise**2
    for _ in range(_ROUNDS):
        clipped = np.clip(scaled, middle - _CLIP * noise, middle + _CLIP * noise)
        cuts = partition(clipped - clipped.mean(), cost)
        left = clipped - _fit_levels(clipped, cuts)
        noise = max(_spread(left) * math.sqrt(len(left) / (len(left) - len(cuts) - 1)), MIN_NOISE)
        correlation = _correlation(left, noise, len(cuts) + 1)
        # Levels of correlated values wander by chance, so that a cut has to explain more.
        cost = _CUT_COST * noise**2 * (1 + correlation) / (1 - correlation)
    return StepFit(scale, scaled, clipped, cuts, noise, cost)


def _running_median(values: Floats) -> Floats:
    around = np.pad(values, _WINDOW // 2, mode="reflect")
    medians: Floats = np.median(sliding_window_view(around, _WINDOW), axis=1)
    return medians


def _spread(values: Floats) -> float:
    return _NORMAL * float(np.median(np.abs(values - np.median(values))))


def _fit_levels(values: Floats, cuts: list[int]) -> Floats:
    """Return for each value the mean of its level, an array as long as `values`."""
    firsts = [0, *cuts]
    counts = np.diff([*firsts, len(values)])
    return np.repeat(np.add.reduceat(values, firsts) / counts, counts)


def _correlation(left: Floats, noise: float, parts: int) -> float:
    """Estimate the correlation of neighbouring residuals `left`, 0 to 0.6, 0 if all residuals are
    0; `parts` is the number of levels.

    Residuals of levels that were fitted to the same values correlate less than the noise; this bias
    is corrected. The estimate of some tens of values is coarse and is therefore shrunk.
    """
    near = np.clip(left, -_CLIP * noise, _CLIP * noise)
    squares = float((near**2).sum())
    raw = float((near[1:] * near[:-1]).sum()) / squares if squares else 0.0
    corrected = raw + (parts + 3 * raw) / len(left)
    return min(max(_SHRINK * corrected, 0.0), _MAX_CORRELATION)
