"""Sets of moments: the union of intervals, and how much of a window it covers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from schema.array_types import Ints


@dataclass(frozen=True)
class Covered:
    """Disjoint intervals [start, end) in ascending order."""

    start: Ints
    end: Ints

    @classmethod
    def of(cls, start: Ints, end: Ints) -> Covered:
        """Compute the union of intervals [start, end) in any order; empty intervals are dropped,
        touching intervals joined.
        """
        has_length = end > start
        start = start[has_length]
        end = end[has_length]
        order = np.argsort(start, kind="stable")
        start = start[order]
        reached = np.maximum.accumulate(end[order])
        begins = np.ones(len(start), np.bool_)
        begins[1:] = start[1:] > reached[:-1]
        lasts = np.append(begins[1:], True)[: len(start)]
        return cls(start[begins], reached[lasts])

    def union(self, other: Covered) -> Covered:
        """Return the union of this set of moments with another set."""
        return Covered.of(
            np.concatenate([self.start, other.start]), np.concatenate([self.end, other.end])
        )

    @cached_property
    def _sums(self) -> Ints:
        return np.concatenate([[0], np.cumsum(self.end - self.start)]).astype(np.int64)

    def before(self, moments: Ints) -> Ints:
        """Compute for each moment how much time before it the set covers; 0 without intervals."""
        if not len(self.start):
            return np.zeros(len(moments), np.int64)
        place = np.searchsorted(self.start, moments, side="right")
        last = np.maximum(place - 1, 0)
        beyond = np.maximum(self.end[last] - moments, 0) * (place > 0)
        return np.asarray(self._sums[place] - beyond, np.int64)

    def within(self, start: Ints, end: Ints) -> Ints:
        """Compute for each window [start, end) how much of its time the set covers."""
        return self.before(end) - self.before(start)
