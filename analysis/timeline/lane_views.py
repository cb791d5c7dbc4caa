"""The intervals of several lanes that overlap a window, as ranges of positions in their index."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analysis.timeline.lanes import LaneIndex
from schema.array_types import Ints


@dataclass(frozen=True)
class LaneViews:
    """The intervals of lanes that overlap a window [begin, end) (ticks): those of lane `lanes[i]` are
    at the positions `first[i]:last[i]` of the index. Lanes and positions ascend.
    """

    index: LaneIndex
    lanes: Ints
    window: tuple[int, int]
    first: Ints
    last: Ints

    @classmethod
    def of(cls, index: LaneIndex, lanes: Ints, window: tuple[int, int]) -> LaneViews:
        """Find the intervals of lanes (ascending numbers) in a window."""
        ranges = [index.range_in_window(lane, window) for lane in lanes.tolist()]
        first, last = np.array(ranges, np.int64).reshape(-1, 2).T
        return cls(index, lanes, window, first, last)

    def __len__(self) -> int:
        """Return the number of intervals."""
        return int(self.sizes.sum())

    @property
    def ticks(self) -> int:
        """Length of the window."""
        return self.window[1] - self.window[0]

    @cached_property
    def sizes(self) -> Ints:
        """Number of intervals of each lane."""
        return self.last - self.first

    @cached_property
    def offset(self) -> Ints:
        """Number of intervals of all lanes before each lane."""
        return np.cumsum(self.sizes) - self.sizes

    @property
    def positions(self) -> Ints:
        """Positions of all intervals, ascending."""
        return np.arange(len(self)) + np.repeat(self.first - self.offset, self.sizes)

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Pairs (first, last) of each lane."""
        return list(zip(self.first.tolist(), self.last.tolist(), strict=True))

    def pick(self, values: Ints) -> Ints:
        """Return the values of the intervals from a column of the index, lane after lane."""
        return np.concatenate([values[first:last] for first, last in self.spans])
