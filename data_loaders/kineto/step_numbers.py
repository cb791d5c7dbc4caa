"""Number of the profiler's step in which each execution was launched."""

from __future__ import annotations

import numpy as np
import pandas as pd

from schema.array_types import Bools, Ints


def step_numbers(steps: pd.DataFrame, times: Ints, ranks: Ints, has_launch: Bools) -> pd.Series:
    """Return the number (Int64) of the step of the same rank that contains each time.

    `steps` has rank, number, start and end, sorted by rank and start; the other arguments have an
    element per execution. Null if no step contains the time or `has_launch` is False.
    """
    number = np.zeros(len(times), np.int64)
    is_inside = np.zeros(len(times), np.bool_)
    for rank, own in steps.groupby("rank", sort=False):
        rows = np.flatnonzero((ranks == rank) & has_launch)
        position = np.searchsorted(own["start"].to_numpy(np.int64), times[rows], side="right") - 1
        found = np.maximum(position, 0)
        number[rows] = own["number"].to_numpy(np.int64)[found]
        ends = own["end"].to_numpy(np.int64)[found]
        is_inside[rows] = (position >= 0) & (times[rows] < ends)
    return pd.Series(pd.arrays.IntegerArray(number, ~is_inside))
