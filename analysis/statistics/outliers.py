"""Outliers: samples that something disturbed."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

_DEVIATIONS = 5
_LEAST = math.log1p(0.03)
_MOST_SHARE = 0.2


def odd_ones(samples: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the positions of the logarithms that lie further than 5 MAD, and 3 %, from the median.

    None where that would be more than one in five: then the samples are like that.
    """
    distance = np.abs(samples - np.median(samples)) if len(samples) else samples
    limit = max(_DEVIATIONS * float(np.median(distance)), _LEAST) if len(samples) else 0.0
    found = np.flatnonzero(distance > limit)
    return found if len(found) <= _MOST_SHARE * len(samples) else found[:0]
