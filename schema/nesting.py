"""Nested intervals: the interval around each interval, and the innermost one around a moment."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from schema.array_types import Ints


@dataclass(frozen=True)
class Nesting:
    """Intervals [start, end) in order of start, then the longer first.

    `row` is each interval's position in the arrays that it was made of. `parent` is the position
    here of the interval around it: of all that cover its begin and come before it the last; -1 if
    there is none.
    """

    start: Ints
    end: Ints
    row: Ints
    parent: Ints

    @classmethod
    def of(cls, start: Ints, end: Ints) -> Nesting:
        """Nest intervals in any order, which may cross (see `parent`). Intervals without length,
        which cover no moment, are left out; `row` has the positions of the remaining intervals in
        the given arrays.
        """
        row = np.flatnonzero(end > start)
        row = row[np.lexsort((-end[row], start[row]))]
        start = start[row]
        end = end[row]
        parent = _nested_parents(start, end)
        return cls(start, end, row, _crossing_parents(start, end) if parent is None else parent)

    def innermost(self, moments: Ints) -> Ints:
        """Return the position of the last interval that covers each moment, -1 if none does."""
        place = np.searchsorted(self.start, moments, side="right") - 1
        waiting = np.flatnonzero(place >= 0)
        while len(waiting):
            waiting = waiting[self.end[place[waiting]] <= moments[waiting]]
            place[waiting] = self.parent[place[waiting]]
            waiting = waiting[place[waiting] >= 0]
        return place

    def rows(self, places: Ints) -> Ints:
        """Return the rows of positions; -1 stays -1."""
        if not len(self.row):
            return np.full(len(places), -1)
        return np.where(places >= 0, self.row[places], -1)


def _nested_parents(start: Ints, end: Ints) -> Ints | None:
    """Find the position of the interval around each interval, level by level; -1 if there is none.

    Intervals are in the order of Nesting. None if intervals cross, so that a level has no one
    parent.
    """
    # The number of intervals that began before and are still open.
    depth = np.arange(len(start)) - np.searchsorted(np.sort(end), start, side="right")
    order = np.argsort(depth, kind="stable")
    edges = np.searchsorted(depth[order], np.arange(int(depth.max(initial=-1)) + 2))
    parent = np.full(len(start), -1)
    outer = order[edges[0] : edges[1]] if len(edges) > 1 else order[:0]
    for first, last in zip(edges[1:-1].tolist(), edges[2:].tolist(), strict=True):
        inner = order[first:last]
        around = outer[np.maximum(np.searchsorted(outer, inner) - 1, 0)]
        if (around > inner).any() or (end[inner] > end[around]).any():
            return None
        parent[inner] = around
        outer = inner
    return parent


def _crossing_parents(start: Ints, end: Ints) -> Ints:
    """Find parents one after the other, as intervals may end after the interval around them."""
    parent = np.full(len(start), -1)
    open_places: list[int] = []
    for place, begin in enumerate(start.tolist()):
        # An interval that ended below one that is still open stays until that one ends.
        while open_places and end[open_places[-1]] <= begin:
            open_places.pop()
        parent[place] = open_places[-1] if open_places else -1
        open_places.append(place)
    return parent
