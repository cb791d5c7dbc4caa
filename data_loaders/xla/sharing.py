"""Find values of an allocation that share bytes while both are alive, as XLA's aliases do."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Placed:
    """A value in its allocation: bytes [low, high), alive in steps [start, end)."""

    low: int
    high: int
    start: int
    end: int


def first_sharers(values: Sequence[Placed]) -> list[int | None]:
    """Return for each value the index of the first value of its group, `None` for the first value
    itself.

    Values are in a group if they share bytes while both are alive, directly or through further
    values. O(n log n).
    """
    order = sorted(range(len(values)), key=lambda rank: (values[rank].start, rank))
    root = list(range(len(values)))
    # Sweep by start: the segments are the byte ranges that are in use, each with a value of its
    # group.
    segments: list[tuple[int, int, int, int]] = []  # disjoint: low, high, until, value
    for rank in order:
        value = values[rank]
        low = value.low
        high = value.high
        until = value.end
        first = bisect_left(segments, (low,))
        first -= first > 0 and segments[first - 1][1] > low
        last = first
        while last < len(segments) and segments[last][0] < high:
            last += 1
        for begin, end, alive, other in segments[first:last]:
            if alive > value.start:
                low = min(low, begin)
                high = max(high, end)
                until = max(until, alive)
                _join(root, rank, other)
        del segments[first:last]
        if value.high > value.low:
            insort(segments, (low, high, until, rank))
    roots = [_root(root, rank) for rank in range(len(values))]
    return [None if first == rank else first for rank, first in enumerate(roots)]


def _root(root: list[int], rank: int) -> int:
    """Return the smallest index of a value's group.

    Halves the path to it in `root`, for later look-ups.
    """
    while root[rank] != rank:
        root[rank] = root[root[rank]]
        rank = root[rank]
    return rank


def _join(root: list[int], rank: int, other: int) -> None:
    first, second = sorted((_root(root, rank), _root(root, other)))
    root[second] = first
