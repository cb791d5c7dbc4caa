"""Pair kernel markers exactly as the reference script does.

Each step is a step of the script; its greedy loops are running maxima and jumps over arrays here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schema.array_types import Bools, Ints

DUPLICATE_FRACTION = 0.25
OUTLIER_LOW = 1.0 / 3.0
OUTLIER_HIGH = 3.0


@dataclass(frozen=True)
class ReferencePairs:
    """Pairs of markers by the reference method: start and end in ticks, before the outlier filter.

    `kept` is the mask of the pairs that the filter keeps, `median` the median duration of these
    pairs, `None` without pairs.
    """

    start: Ints
    end: Ints
    kept: Bools
    median: float | None


def greedy_pairs(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Pair each start with the first later end that no earlier start took; both must be sorted.

    Returns starts and ends of the pairs; a start without such an end is dropped.
    """
    rank = np.arange(len(starts))
    chosen = (
        rank + np.maximum.accumulate(np.searchsorted(ends, starts, side="right") - rank)
        if len(starts)
        else rank
    )
    paired = chosen < len(ends)
    return starts[paired], ends[chosen[paired]]


def without_near_repeats(ticks: Ints, min_gap: int) -> Ints:
    """Return the sorted ticks without those less than `min_gap` after the last tick that was not
    dropped.

    A tick at least `min_gap` after its neighbour is never dropped, so only the ticks between two
    such ticks need a loop.
    """
    if not len(ticks):
        return ticks
    far = np.diff(ticks, prepend=ticks[:1] - min_gap) >= min_gap
    keep = far.copy()
    heads = np.flatnonzero(far)
    stops = np.append(heads[1:], len(ticks))
    has_near = stops - heads > 1
    for head, stop in zip(heads[has_near].tolist(), stops[has_near].tolist(), strict=True):
        at = head
        while (at := int(np.searchsorted(ticks[:stop], ticks[at] + min_gap, side="left"))) < stop:
            keep[at] = True
    return ticks[keep]


def exclusive_pairs(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Pair each start after the end of the previous pair with the next end; both must be sorted.

    Returns starts and ends of the pairs; markers in between are dropped.
    """
    end_of = np.searchsorted(ends, starts, side="right")
    valid = end_of < len(ends)
    starts = starts[valid]
    end_of = end_of[valid]
    following = np.searchsorted(starts, ends[end_of], side="right")
    if (following == np.arange(1, len(starts) + 1)).all():
        return starts, ends[end_of]
    jumps = following.tolist()
    chain = []
    at = 0
    while at < len(jumps):
        chain.append(at)
        at = jumps[at]
    picked = np.array(chain, dtype=np.int64)
    return starts[picked], ends[end_of[picked]]


def reference_pairs(starts: Ints, ends: Ints) -> ReferencePairs:
    """Pair sorted start and end markers (ticks) into kernels by the script's rules; without pairs
    the arrays are empty.
    """
    first_start, first_end = greedy_pairs(starts, ends)
    typical = max(1, int(_median(first_end - first_start))) if len(first_start) else 1
    min_gap = max(1, int(DUPLICATE_FRACTION * typical))
    start, end = exclusive_pairs(
        without_near_repeats(starts, min_gap), without_near_repeats(ends, min_gap)
    )
    if not len(start):
        return ReferencePairs(start, end, np.empty(0, bool), None)
    duration = end - start
    middle = _median(duration)
    low = max(1, int(OUTLIER_LOW * middle))
    high = max(low + 1, int(OUTLIER_HIGH * middle))
    kept = (duration >= low) & (duration <= high)
    return ReferencePairs(start, end, kept, _median(duration[kept]))


def _median(values: Ints) -> float:
    middle = len(values) // 2
    low = middle - (len(values) % 2 == 0)
    high = middle
    ordered = np.partition(values, (low, high))
    # The script adds Python integers: the sum of two ticks may overflow int64.
    return int(ordered[middle]) if low == high else (int(ordered[low]) + int(ordered[high])) / 2
