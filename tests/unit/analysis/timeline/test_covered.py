"""Unions of intervals, and how much of windows they cover."""

from itertools import pairwise

import numpy as np

from analysis.timeline.covered import Covered


def covered(*pairs):
    start, end = zip(*pairs, strict=True) if pairs else ((), ())
    return Covered.of(np.array(start, np.int64), np.array(end, np.int64))


def test_intervals_that_meet_or_overlap_are_one():
    found = covered((5, 9), (0, 2), (2, 3), (6, 7), (8, 12), (20, 20))
    assert list(zip(found.start.tolist(), found.end.tolist(), strict=True)) == [(0, 3), (5, 12)]


def test_of_windows_counts_what_lies_in_them():
    starts, ends = np.array([0, 1, 4, 10, 30]), np.array([3, 6, 4, 99, 40])
    assert covered((0, 3), (5, 12)).within(starts, ends).tolist() == [3, 3, 0, 2, 0]
    assert covered().within(starts, ends).tolist() == [0] * 5


def test_any_intervals_cover_what_counting_moments_says():
    drawn = np.random.default_rng(3)
    start = drawn.integers(0, 90, 40)
    end = start + drawn.integers(0, 9, 40)
    moments = {
        at
        for begin, stop in zip(start.tolist(), end.tolist(), strict=True)
        for at in range(begin, stop)
    }
    edges = np.arange(0, 100, 7)
    counted = [sum(low <= at < high for at in moments) for low, high in pairwise(edges.tolist())]
    assert Covered.of(start, end).within(edges[:-1], edges[1:]).tolist() == counted
