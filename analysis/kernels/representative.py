"""Choose executions that represent a kernel."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.kernels.distribution import known_durations


def median_and_longest(durations: pd.Series) -> tuple[int, int] | None:
    """Return the positions (from 0) of the executions with the median and the longest duration.

    These are the lower median and the first longest; nulls do not count. None if no duration is
    known.
    """
    count = len(known_durations(durations))
    if not count:
        return None
    values = durations.to_numpy(np.float64, na_value=np.inf)
    order = np.argsort(values, kind="stable")[:count]
    longest = order[np.searchsorted(values[order], values[order[-1]])]
    return int(order[(count - 1) // 2]), int(longest)
