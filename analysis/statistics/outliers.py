"""Outliers among samples: values that a disturbance moved."""

from __future__ import annotations

import math

import numpy as np

from schema.array_types import Floats, Ints

_DEVIATIONS = 5
_MIN_DISTANCE = math.log1p(0.03)
_MAX_SHARE = 0.2


def find_outliers(samples: Floats) -> Ints:
    """Return the positions of outliers among logarithms of samples, ascending; empty if there are
    none.

    An outlier is further than 5 times the median absolute deviation, and further than 3 %, from the
    median. If more than a fifth of the samples would be outliers the result is empty: then the
    spread is a property of the samples.
    """
    distance = np.abs(samples - np.median(samples)) if len(samples) else samples
    limit = max(_DEVIATIONS * float(np.median(distance)), _MIN_DISTANCE) if len(samples) else 0.0
    outliers = np.flatnonzero(distance > limit)
    return outliers if len(outliers) <= _MAX_SHARE * len(samples) else outliers[:0]
