"""Find values of an allocation that share bytes while both are alive, as XLA's aliases do."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt

import numpy as np

from schema.array_types import Ints


@dataclass(frozen=True)
class Placed:
    """A value in its allocation: bytes [low, high), alive in steps [start, end)."""

    low: int
    high: int
    start: int
    end: int


def storage_owners(values: Sequence[Placed]) -> list[int | None]:
    """Return for each value the index of the largest value of its group, the first of several
    largest values; `None` for that value itself.

    Values are in a group if they share bytes while both are alive, directly or through further
    values. O(n sqrt(n)).
    """
    roots = _roots(values)
    owners = list(range(len(values)))
    for rank, root in enumerate(roots):
        owner = values[owners[root]]
        if values[rank].high - values[rank].low > owner.high - owner.low:
            owners[root] = rank
    return [None if owners[root] == rank else owners[root] for rank, root in enumerate(roots)]


def _roots(values: Sequence[Placed]) -> list[int]:
    """Return for each value the smallest index of its group."""
    if len(values) < 2:
        return list(range(len(values)))
    lows = [value.low for value in values]
    highs = [value.high for value in values]
    edges = np.unique(lows + highs)
    first = np.searchsorted(edges, lows).tolist()
    last = np.searchsorted(edges, highs).tolist()
    groups = _Groups(len(values), len(edges))
    # All values that are alive at one byte are in one group, as each pair shares that byte.
    for rank in sorted(range(len(values)), key=lambda rank: (values[rank].start, rank)):
        if first[rank] < last[rank]:
            groups.add(rank, first[rank], last[rank], values[rank])
    return [groups.root(rank) for rank in range(len(values))]


class _Groups:
    """Groups of the values so far, in order of their start, over ranges between neighbouring edges.

    Runs of ranges [begin, end), each with the value that covered it last, do not overlap.
    """

    def __init__(self, values: int, ranges: int) -> None:
        self._root = list(range(values))
        self._use = _LastUse(ranges)
        self._begins: list[int] = []
        self._ends: list[int] = []
        self._values: list[int] = []

    def add(self, rank: int, first: int, last: int, value: Placed) -> None:
        """Join a value with the groups that are alive at its start in its ranges [first, last)."""
        low = bisect_right(self._ends, first)
        high = bisect_left(self._begins, last)
        for run in range(low, high):
            begin = max(self._begins[run], first)
            end = min(self._ends[run], last)
            if self._use.latest(begin, end) > value.start:
                self._join(rank, self._values[run])
        self._cover(rank, first, last, low, high)
        self._use.extend(first, last, value.end)

    def _cover(self, rank: int, first: int, last: int, low: int, high: int) -> None:
        """Replace the runs low to high by one of a value; their parts outside of it stay."""
        runs = [(first, last, rank)]
        if low < high and self._begins[low] < first:
            runs.insert(0, (self._begins[low], first, self._values[low]))
        if low < high and self._ends[high - 1] > last:
            runs.append((last, self._ends[high - 1], self._values[high - 1]))
        self._begins[low:high] = [run[0] for run in runs]
        self._ends[low:high] = [run[1] for run in runs]
        self._values[low:high] = [run[2] for run in runs]

    def root(self, rank: int) -> int:
        """Return the smallest index of a value's group; halves the path to it for later look-ups."""
        while self._root[rank] != rank:
            self._root[rank] = self._root[self._root[rank]]
            rank = self._root[rank]
        return rank

    def _join(self, rank: int, other: int) -> None:
        first, second = sorted((self.root(rank), self.root(other)))
        self._root[second] = first


class _LastUse:
    """The step until which each range is in use, 0 at first.

    Blocks of sqrt(n) ranges have their own maximum, and a bound that all of their ranges reach.
    """

    def __init__(self, ranges: int) -> None:
        self._width = isqrt(ranges) + 1
        blocks = ranges // self._width + 1
        self._until = np.zeros(blocks * self._width, np.int64)
        self._reached = np.zeros(blocks, np.int64)
        self._maximum = np.zeros(blocks, np.int64)

    def latest(self, first: int, last: int) -> int:
        """Return the latest step until which a range of [first, last) is in use."""
        head = first // self._width
        tail = (last - 1) // self._width
        if head == tail:
            return max(int(self._until[first:last].max()), int(self._reached[head]))
        border = tail * self._width
        latest = max(
            int(self._until[first : (head + 1) * self._width].max()),
            int(self._until[border:last].max()),
            int(self._reached[head]),
            int(self._reached[tail]),
        )
        if head + 1 < tail:
            latest = max(latest, int(self._maximum[head + 1 : tail].max()))
        return latest

    def extend(self, first: int, last: int, until: int) -> None:
        """Extend the use of the ranges [first, last) to a step, unless it is longer already."""
        head = first // self._width
        tail = (last - 1) // self._width
        _raise_values(self._maximum[head : tail + 1], until)
        if head == tail:
            _raise_values(self._until[first:last], until)
            return
        _raise_values(self._until[first : (head + 1) * self._width], until)
        _raise_values(self._until[tail * self._width : last], until)
        _raise_values(self._reached[head + 1 : tail], until)


def _raise_values(values: Ints, minimum: int) -> None:
    np.maximum(values, minimum, out=values)
