"""Values of one allocation that share bytes by design while both are alive."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Placed:
    """A value within its allocation: bytes from `low` to `high`, alive from `start` to `end`, half-open."""

    low: int
    high: int
    start: int
    end: int


def first_sharers(values: Sequence[Placed]) -> list[int | None]:
    """Return for each value the first one whose bytes it shares while both are alive; None where it shares none.

    Values that share bytes with one another through a third have the same first. O(n log n).
    """
    order = sorted(range(len(values)), key=lambda rank: (values[rank].start, rank))
    root = list(range(len(values)))
    segments: list[tuple[int, int, int, int]] = []  # disjoint: low, high, until, value
    for rank in order:
        value = values[rank]
        low, high, until = value.low, value.high, value.end
        first = bisect_left(segments, (low,))
        first -= first > 0 and segments[first - 1][1] > low
        last = first
        while last < len(segments) and segments[last][0] < high:
            last += 1
        for begin, end, alive, other in segments[first:last]:
            if alive > value.start:
                low, high, until = min(low, begin), max(high, end), max(until, alive)
                _join(root, rank, other)
        del segments[first:last]
        if value.high > value.low:
            insort(segments, (low, high, until, rank))
    found = [_root(root, rank) for rank in range(len(values))]
    return [None if first == rank else first for rank, first in enumerate(found)]


def _root(root: list[int], rank: int) -> int:
    while root[rank] != rank:
        root[rank] = root[root[rank]]
        rank = root[rank]
    return rank


def _join(root: list[int], one: int, other: int) -> None:
    first, second = sorted((_root(root, one), _root(root, other)))
    root[second] = first
