"""Join moments with the last earlier moment of the same group."""

from __future__ import annotations

import numpy as np

from schema.array_types import Ints


def last_before(groups: Ints, times: Ints, of: Ints, at: Ints) -> Ints:
    """For each query (`of`, `at`) find the last item of group `of` with time <= `at`.

    Items are (`groups`, `times`). The result is the item's index, -1 if there is no such item; the
    last of several items at the same time wins.
    """
    count = len(groups)
    group = np.concatenate([groups, of])
    time = np.concatenate([times, at])
    is_query = np.arange(len(group)) >= count
    # At equal times items come before queries, so that an item at the time of a query matches.
    order = np.lexsort((is_query, time, group))
    latest = np.maximum.accumulate(np.where(is_query[order], -1, np.arange(len(order))))
    result = np.empty(len(group), np.int64)
    result[order] = np.where(latest >= 0, order[latest], -1)
    result = result[count:]
    return (
        np.where((result >= 0) & (group[result] == of), result, -1)
        if count
        else np.full(len(of), -1)
    )
