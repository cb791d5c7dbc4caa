"""Join moments with the last earlier moment of the same group."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


def last_before(groups: Integers, times: Integers, of: Integers, at: Integers) -> Integers:
    """Return for each (`of`, `at`) the index of the last item of (`groups`, `times`) with the same
    group and time <= `at`.

    The index is -1 if there is no such item; the last of several items at the same time wins.
    """
    count = len(groups)
    group, time = np.concatenate([groups, of]), np.concatenate([times, at])
    asks = np.arange(len(group)) >= count
    order = np.lexsort((asks, time, group))
    answers = np.maximum.accumulate(np.where(asks[order], -1, np.arange(len(order))))
    found = np.where(answers >= 0, order[answers], -1)
    result = np.empty(len(group), np.int64)
    result[order] = found
    result = result[count:]
    return np.where((result >= 0) & (group[result] == of), result, -1) if count else np.full(len(of), -1)
