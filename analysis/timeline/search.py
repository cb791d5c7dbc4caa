"""Search in a timeline: finds the intervals with all words in their names, in order of time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from analysis.timeline.lanes import LaneIndex
from schema.array_types import Ints


class Hit(NamedTuple):
    """A match of the search: track, lane, start and end (ticks) and name of the interval."""

    track: str
    lane: str
    start: int
    end: int
    name: str


@dataclass(frozen=True)
class Found:
    """Result of a search: the intervals of an index with a matching name; built once per search,
    then queried often.

    `codes` are the matching indices in the index's names, `positions` the matching intervals by
    lane, then by start; both int64.
    """

    index: LaneIndex
    codes: Ints
    positions: Ints

    @property
    def count(self) -> int:
        """Number of intervals that match the search."""
        return len(self.positions)

    @cached_property
    def _by_time(self) -> Ints:
        """Positions of the matching intervals by start; intervals that start together are in the
        order of their lanes.
        """
        # Starts never fall inside a lane, so a stable sort merges as many sorted runs as there are
        # lanes.
        return self.positions[np.argsort(self.index.start[self.positions], kind="stable")]

    @cached_property
    def _starts(self) -> Ints:
        return self.index.start[self._by_time]

    def at(self, n: int) -> Hit | None:
        """Return match number `n` (from 0, modulo the count) by start over all lanes, None if there
        are no matches.
        """
        if not self.count:
            return None
        index = self.index
        place = int(self._by_time[n % self.count])
        lane = index.lanes.iloc[int(np.searchsorted(index.offset, place, side="right")) - 1]
        name = str(index.names[index.code[place]])
        return Hit(
            str(lane["track"]),
            str(lane["lane"]),
            int(index.start[place]),
            int(index.end[place]),
            name,
        )

    def next_after(self, time: int) -> int:
        """Return the number (from 0) of the first match that starts at or after a time (ticks); 0
        if there is none.
        """
        n = int(np.searchsorted(self._starts, time, side="left"))
        return n if n < self.count else 0


def find_events(index: LaneIndex, words: str) -> Found:
    """Find the intervals whose names contain all of the words as substrings, ignoring case.

    Without words there are no matches.
    """
    wanted = words.casefold().split()
    names = [str(name).casefold() for name in index.names] if wanted else []
    codes = np.array(
        [code for code, name in enumerate(names) if all(word in name for word in wanted)],
        dtype=np.int64,
    )
    # The last element is for intervals without a name: their code -1 indexes it.
    matches = np.zeros(len(index.names) + 1, dtype=bool)
    matches[codes] = True
    return Found(index, codes, np.flatnonzero(matches[index.code]) if len(codes) else codes)
