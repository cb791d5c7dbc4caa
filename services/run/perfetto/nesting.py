"""Distribution of a lane's intervals over threads: the slices of a thread must nest or be
disjoint.
"""

from __future__ import annotations

import heapq

import numpy as np

from schema.array_types import Ints

_TRIED = 16
"""Maximum number of threads of a lane in which intervals nest; in further threads they only follow
each other."""


def nested_order(begin: Ints, end: Ints) -> Ints:
    """Return the positions of intervals sorted by start, outer intervals first; equal intervals
    keep their order.
    """
    return np.lexsort((-end, begin))


def split_crossing(begin: Ints, end: Ints) -> Ints:
    """Return the number of the thread of each interval, from 0, int64; the intervals are in the
    order of `nested_order`.

    An interval is put in the first of _TRIED (16) threads in which it nests or follows; else in a
    further thread that has no open interval.
    """
    opened: list[list[int]] = []
    sequential: list[tuple[int, int]] = []
    thread_of_row = np.zeros(len(begin), np.int64)
    for row, (low, high) in enumerate(zip(begin.tolist(), end.tolist(), strict=True)):
        thread = next(
            (number for number, ends in enumerate(opened) if _takes(ends, low, high)), None
        )
        if thread is None and len(opened) < _TRIED:
            thread = len(opened)
            opened.append([])
        if thread is None:
            is_free = bool(sequential) and sequential[0][0] <= low
            thread = heapq.heappop(sequential)[1] if is_free else _TRIED + len(sequential)
            # the heap gives the thread that is free first
            heapq.heappush(sequential, (high, thread))
        else:
            opened[thread].append(high)
        thread_of_row[row] = thread
    return thread_of_row


def _takes(ends: list[int], low: int, high: int) -> bool:
    """Whether an interval crosses no open interval of a thread; `ends` has their ends.

    Intervals that ended before `low` are removed.
    """
    while ends and ends[-1] <= low:
        ends.pop()
    return not ends or high <= ends[-1]
