"""Least-squares partition of a series into parts of constant level, by dynamic programming."""

from __future__ import annotations

import numpy as np

from schema.array_types import Floats, Ints

MIN_PART_LENGTH = 3
"""Minimum number of values of a part."""
MAX_STARTS = 1_000
"""Maximum number of candidate starts of the last part.

The partition of a series with fewer values is exact.
"""


def partition(values: Floats, cost: float) -> list[int]:
    """Compute the first position of each part except the first, ascending; [] for a single part.

    The parts, of at least MIN_PART_LENGTH (3) values, minimise the sum of squares around their
    means plus `cost` for each cut. Takes time proportional to the number of values times
    `MAX_STARTS`.
    """
    count = len(values)
    starts = _Starts(min(count + 1, MAX_STARTS))
    sums = np.concatenate(([0.0], np.cumsum(values)))
    best = np.full(count + 1, np.inf)
    before = np.zeros(count + 1, np.int64)
    best[0] = -cost
    for end in range(MIN_PART_LENGTH, count + 1):
        begin = end - MIN_PART_LENGTH
        starts.append(begin, sums[begin], best[begin])
        scores = starts.scores(end, sums[end])
        at = int(scores.argmin())
        best[end] = scores[at] + cost
        before[end] = starts.places[at]
        if starts.is_full:
            starts.thin(scores)
    return _cuts(before)


def _cuts(before: Ints) -> list[int]:
    """Follow the links (`before` has the begin of the last part for each end) back from the end and
    return the cuts, ascending.
    """
    cuts: list[int] = []
    at = int(before[-1])
    while at:
        cuts.append(at)
        at = int(before[at])
    return cuts[::-1]


class _Starts:
    """Candidate starts of the last part: positions, prefix sums, costs of the parts before."""

    def __init__(self, capacity: int) -> None:
        self.places = np.zeros(capacity, np.int64)
        self._sums = np.zeros(capacity)
        self._costs = np.zeros(capacity)
        self._count = 0

    @property
    def is_full(self) -> bool:
        """Whether there is no space for a further candidate start."""
        return self._count == len(self.places)

    def append(self, place: int, total: float, cost: float) -> None:
        """Add a candidate start at position `place`; `total` is the sum of the values before it,
        `cost` the cost of the parts before it.
        """
        self.places[self._count], self._sums[self._count], self._costs[self._count] = (
            place,
            total,
            cost,
        )
        self._count += 1

    def scores(self, end: int, total: float) -> Floats:
        """Compute for each candidate start the cost of all parts if the last part reaches from it
        to `end`; `total` is the sum of all values before `end`. The sum of squares of all values is
        left out.
        """
        scores: Floats = total - self._sums[: self._count]
        # The sum of squares of all values is the same for every partition, so that only the squared
        # sum of each part over its size has to be subtracted.
        scores *= scores
        scores /= end - self.places[: self._count]
        np.subtract(self._costs[: self._count], scores, out=scores)
        return scores

    def thin(self, scores: Floats) -> None:
        """Keep the newest quarter of the candidate starts, and the cheapest quarter (by `scores`)
        of older starts, in place.
        """
        quarter = len(self.places) // 4
        older = np.sort(np.argpartition(scores[:-quarter], quarter)[:quarter])
        remaining = np.concatenate([older, np.arange(self._count - quarter, self._count)])
        for array in (self.places, self._sums, self._costs):
            array[: len(remaining)] = array[remaining]
        self._count = len(remaining)
