"""A series of values in parts of constant level: the exact least-squares partition, by dynamic programming."""

from __future__ import annotations

import numpy as np

from schema.array_types import Floats, Ints

LEAST_PART = 3
"""Values of a part, at least."""
MOST_STARTS = 1_000
"""Places at which the last part may begin that are kept; up to so many values the partition is exact."""


def partition(values: Floats, cost: float) -> list[int]:
    """Return the first position of each part but the first, rising.

    The parts have the least sum of squares around their means plus `cost` for each cut. The sum of the squares of all
    values is the same for all partitions, so that only the squares of the sums count. Time is n times `MOST_STARTS`.
    """
    count, starts = len(values), _Starts(min(len(values) + 1, MOST_STARTS))
    sums = np.concatenate(([0.0], np.cumsum(values)))
    best, before = np.full(count + 1, np.inf), np.zeros(count + 1, np.int64)
    best[0] = -cost
    for end in range(LEAST_PART, count + 1):
        begin = end - LEAST_PART
        starts.append(begin, sums[begin], best[begin])
        scores = starts.scores(end, sums[end])
        at = int(scores.argmin())
        best[end], before[end] = scores[at] + cost, starts.places[at]
        if starts.is_full:
            starts.thin(scores)
    return _cuts(before)


def _cuts(before: Ints) -> list[int]:
    """Return the cuts on the best way back from the end."""
    cuts: list[int] = []
    at = int(before[-1])
    while at:
        cuts.append(at)
        at = int(before[at])
    return cuts[::-1]


class _Starts:
    """Where the last part may begin: positions, sums of the values before them, and what the parts before cost."""

    def __init__(self, most: int) -> None:
        self.places = np.zeros(most, np.int64)
        self._sums = np.zeros(most)
        self._costs = np.zeros(most)
        self._count = 0

    @property
    def is_full(self) -> bool:
        return self._count == len(self.places)

    def append(self, place: int, total: float, cost: float) -> None:
        """Add a place."""
        self.places[self._count], self._sums[self._count], self._costs[self._count] = place, total, cost
        self._count += 1

    def scores(self, end: int, total: float) -> Floats:
        """Return what all parts cost where the last one reaches from each place to `end`."""
        scores: Floats = total - self._sums[: self._count]
        scores *= scores
        scores /= end - self.places[: self._count]
        np.subtract(self._costs[: self._count], scores, out=scores)
        return scores

    def thin(self, scores: Floats) -> None:
        """Keep a quarter of the places, which are the newest, and of the others the quarter that costs least."""
        quarter = len(self.places) // 4
        older = np.sort(np.argpartition(scores[:-quarter], quarter)[:quarter])
        kept = np.concatenate([older, np.arange(self._count - quarter, self._count)])
        for array in (self.places, self._sums, self._costs):
            array[: len(kept)] = array[kept]
        self._count = len(kept)
