"""Medians and quantiles of groups of values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schema.array_types import Floats, Ints


@dataclass(frozen=True)
class GroupedValues:
    """Values in groups, ascending inside of each; the groups are sorted by their keys.

    `places` has the place of the first value of each group among the values that were given,
    `first` its place in `values`, and `count` the number of values of each group, at least 1.
    """

    values: Floats
    places: Ints
    first: Ints
    count: Ints

    @classmethod
    def of(cls, values: Floats, *keys: Ints) -> GroupedValues:
        """Group values, none of which is NaN, by one or several keys (an element per value); the
        first key is the most significant.
        """
        order = np.lexsort((values, *reversed(keys)))
        is_first = np.ones(len(values), bool)
        is_first[1:] = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
        first = np.flatnonzero(is_first)
        return cls(values[order], order[first], first, np.diff(first, append=len(values)))

    def medians(self) -> Floats:
        """Compute the median of each group."""
        low = self.values[self.first + (self.count - 1) // 2]
        high = self.values[self.first + self.count // 2]
        middle: Floats = (low + high) / 2
        return middle

    def quantiles(self, share: float) -> Floats:
        """Compute the quantile `share` (0 to 1) of each group, linear between two values."""
        place = share * (self.count - 1)
        below = place.astype(np.int64)
        low = self.values[self.first + below]
        high = self.values[self.first + np.minimum(below + 1, self.count - 1)]
        between: Floats = low + (high - low) * (place - below)
        return between
