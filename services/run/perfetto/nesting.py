"""Intervals of one lane as threads of slices: a thread holds intervals that nest or lie apart."""

from __future__ import annotations

import heapq

import numpy as np

from schema.array_types import Ints

_TRIED = 16
"""Threads of a lane that an interval may be nested in; on further ones intervals only follow each other."""


def nested_order(begin: Ints, end: Ints) -> Ints:
    """Return the order of intervals by begin, outer ones first; of equal ones as they were."""
    return np.lexsort((-end, begin))


def split_crossing(begin: Ints, end: Ints) -> Ints:
    """Return the thread of each interval, from 0; the intervals are in the order of `nested_order`.

    An interval goes to the first thread in which it crosses the end of none.
    """
    opened: list[list[int]] = []
    apart: list[tuple[int, int]] = []
    found = np.zeros(len(begin), np.int64)
    for row, (low, high) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        thread = next((number for number, ends in enumerate(opened) if _takes(ends, low, high)), None)
        if thread is None and len(opened) < _TRIED:
            thread = len(opened)
            opened.append([])
        if thread is None:
            is_free = bool(apart) and apart[0][0] <= low
            thread = heapq.heappop(apart)[1] if is_free else _TRIED + len(apart)
            heapq.heappush(apart, (high, thread))
        else:
            opened[thread].append(high)
        found[row] = thread
    return found


def _takes(ends: list[int], low: int, high: int) -> bool:
    """Return whether an interval crosses none that is open, whose ends are `ends`; closes what ended before."""
    while ends and ends[-1] <= low:
        ends.pop()
    return not ends or high <= ends[-1]
