"""A series of values as steps between levels, with the noise around them; odd values weigh nothing."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from analysis.statistics.partition import partition
from schema.array_types import Floats

LEAST_CHANGE = math.log1p(0.02)
"""Least change that matters, on the scale of a fit."""
_LEAST_NOISE = 0.001
"""Noise of values that hardly differ, so that equal values need no case of their own."""
_NORMAL = 1.4826
"""What the median of absolute deviations is multiplied by to be the standard deviation of normal values."""
_CLIP = 2.5
_WINDOW = 5
_CUT_COST = 9.0
"""Noise variances that a cut has to explain."""
_ROUNDS = 3
_SHRINK, _MOST_CORRELATED = 0.8, 0.6
_FAR = 1e9
"""Values on a linear scale lie within so many times their typical size."""


@dataclass(frozen=True)
class Scale:
    """The scale on which changes are relative: logarithms of positive values, else shares of their typical size."""

    typical: float | None

    @classmethod
    def of(cls, values: Floats) -> Scale:
        """Return the scale of finite values."""
        sizes = np.abs(values[values != 0])
        return cls(None if (values > 0).all() else float(np.median(sizes)) if len(sizes) else 1.0)

    def scale_values(self, values: Floats) -> Floats:
        """Return values on the scale."""
        with np.errstate(over="ignore"):
            found: Floats = np.log(values) if self.typical is None else np.clip(values / self.typical, -_FAR, _FAR)
        return found

    def plain(self, scaled: float) -> float:
        """Return the value that lies at a place of the scale."""
        return math.exp(scaled) if self.typical is None else scaled * self.typical


@dataclass(frozen=True)
class StepFit:
    """A series on its scale, its odd values `clipped`, and the levels between `cuts`.

    `noise` is the standard deviation around the levels, `cost` what a cut has to explain (a sum of squares).
    """

    scale: Scale
    values: Floats
    clipped: Floats
    cuts: list[int]
    noise: float
    cost: float

    @property
    def least_change(self) -> float:
        """Return the least difference of levels that is called a change."""
        return max(LEAST_CHANGE, 2 * self.noise)


def fit_steps(values: Floats) -> StepFit:
    """Return the steps of five finite values or more.

    Noise is estimated from differences first, and then from what the levels leave, as is the correlation of values that
    follow each other: where they are correlated, levels wander by chance, and a cut has to explain more.
    """
    scale = Scale.of(values)
    scaled = scale.scale_values(values)
    middle = _running_median(scaled)
    noise = max(_spread(np.diff(scaled)) / math.sqrt(2), _LEAST_NOISE)
    cost = _CUT_COST * noise**2
    for _ in range(_ROUNDS):
        clipped = np.clip(scaled, middle - _CLIP * noise, middle + _CLIP * noise)
        cuts = partition(clipped - clipped.mean(), cost)
        left = clipped - _fit_levels(clipped, cuts)
        noise = max(_spread(left) * math.sqrt(len(left) / (len(left) - len(cuts) - 1)), _LEAST_NOISE)
        correlation = _correlation(left, noise, len(cuts) + 1)
        cost = _CUT_COST * noise**2 * (1 + correlation) / (1 - correlation)
    return StepFit(scale, scaled, clipped, cuts, noise, cost)


def _running_median(values: Floats) -> Floats:
    around = np.pad(values, _WINDOW // 2, mode="reflect")
    found: Floats = np.median(sliding_window_view(around, _WINDOW), axis=1)
    return found


def _spread(values: Floats) -> float:
    return _NORMAL * float(np.median(np.abs(values - np.median(values))))


def _fit_levels(values: Floats, cuts: list[int]) -> Floats:
    """Return the mean of its level for each value."""
    firsts = [0, *cuts]
    counts = np.diff([*firsts, len(values)])
    return np.repeat(np.add.reduceat(values, firsts) / counts, counts)


def _correlation(left: Floats, noise: float, parts: int) -> float:
    """Return how strongly values that follow each other go together, from 0.

    That each level is estimated from the values themselves makes it seem less, which is corrected; an estimate of some
    tens of values is coarse, and so is shrunk.
    """
    near = np.clip(left, -_CLIP * noise, _CLIP * noise)
    squares = float((near**2).sum())
    raw = float((near[1:] * near[:-1]).sum()) / squares if squares else 0.0
    corrected = raw + (parts + 3 * raw) / len(left)
    return min(max(_SHRINK * corrected, 0.0), _MOST_CORRELATED)
