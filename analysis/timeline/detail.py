"""Level of detail: draw any number of intervals with a bounded number of rectangles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from analysis.timeline.lanes import LaneIndex
from analysis.timeline.largest_names import largest_names
from schema.array_types import Bools, Ints
from schema.plurals import plural

BUDGET = 4_000
"""Number of rectangles that a browser draws and zooms comfortably."""
LONG_PX = 3.0
"""Width in pixels from which an interval is never merged with its neighbours."""
_MAX_SLICES = 240
_MAX_SEARCHES = 400_000
_MAX_LOOKS = 8
"""Maximum number of intervals per column that are all looked at, instead of blocks of them."""


@dataclass(frozen=True)
class Rectangles:
    """Rectangles to draw, one element per rectangle: int64 arrays of equal length.

    `lane` is a row of the index's `lanes`. [start, end) contains `count` intervals with `busy`
    ticks in sum. `name` is a code of the index's `names`; if the intervals have several names
    (`mixed`, bool), it is the name with the most busy time, which is `most` ticks. `events` is the
    total number of intervals; `column` is the width in ticks from which gaps are drawn (0:
    everything is exact).
    """

    lane: Ints
    start: Ints
    end: Ints
    count: Ints
    busy: Ints
    name: Ints
    mixed: Bools
    most: Ints
    events: int
    column: float

    def __len__(self) -> int:
        """Return the number of rectangles."""
        return len(self.lane)

    @property
    def merged_count(self) -> int:
        """Number of intervals that are drawn in merged bars, of at least two intervals each."""
        return int(self.count[self.count > 1].sum())


def rectangles(
    index: LaneIndex,
    window: tuple[int, int],
    lanes: npt.ArrayLike | None = None,
    width_px: int = 1200,
    budget: int = BUDGET,
) -> Rectangles:
    """Compute at most `budget` rectangles for the intervals that overlap [begin, end) (ticks).

    Within the budget every interval is its own rectangle. Beyond it, intervals whose gaps are
    narrower than a pixel become one bar with a count and a busy time, and lanes that need the most
    rectangles get wider pixels. Cost: O(lanes x width_px + intervals), of which the intervals
    without a wide gap are looked at in blocks. Raises ValueError if there are more lanes than the
    budget.
    """
    chosen = np.arange(len(index.lanes)) if lanes is None else np.asarray(lanes, dtype=np.int64)
    if len(chosen) > budget:
        raise ValueError(
            f"{plural(len(chosen), 'lane')}: too many for {budget} rectangles; select fewer lanes"
        )
    views = [_View.of(index, int(lane), window) for lane in chosen]
    if sum(map(len, views)) <= budget:
        return _collect(index, views, [np.arange(view.first, view.last) for view in views], 0.0)
    columns = np.full(
        len(views), max(1, min(width_px, window[1] - window[0], _MAX_SEARCHES // len(views)))
    )
    cuts = [view.cuts(int(w)) for view, w in zip(views, columns, strict=True)]
    while sum(map(len, cuts)) > budget:
        share = _fair_share(np.array([len(c) for c in cuts]), budget)
        for i in np.flatnonzero([len(c) > share for c in cuts]):
            columns[i] = min(int(columns[i] * 0.9 * share / len(cuts[i])), columns[i] - 1)
            cuts[i] = views[i].cuts(int(columns[i]))
    spare = (budget - sum(map(len, cuts))) // len(views)
    cuts = _slice_bars(views, cuts, min(spare, _MAX_SLICES))
    return _collect(index, views, cuts, (window[1] - window[0]) / max(1, int(columns.min())))


@dataclass(frozen=True)
class _View:
    """The intervals first:last of a lane, which overlap the window."""

    index: LaneIndex
    lane: int
    window: tuple[int, int]
    first: int
    last: int

    @classmethod
    def of(cls, index: LaneIndex, lane: int, window: tuple[int, int]) -> _View:
        """Select the intervals of lane number `lane` that overlap the window [begin, end); possibly
        none.
        """
        return cls(index, lane, window, *index.range_in_window(lane, window))

    def __len__(self) -> int:
        return self.last - self.first

    def cuts(self, columns: int) -> Ints:
        """Compute the positions, ascending, at which rectangles begin if gaps of at least a column
        (1 / `columns` of the window) and intervals of at least LONG_PX (3) columns are kept; empty
        without intervals.
        """
        if columns < 1 or not len(self):
            return np.arange(self.first, self.last, dtype=np.int64)[:1]
        column = (self.window[1] - self.window[0]) / columns
        # A look at every interval is quicker than at blocks of them, unless they are many.
        if len(self) <= _MAX_LOOKS * columns:
            return self._look(column)
        gap, running = self.index.find_wide((self.first, self.last), column, LONG_PX * column)
        after = running + 1
        return _unite([self.first], gap, running, after[after < self.last])

    def _look(self, column: float) -> Ints:
        """Compute the cuts by a look at every interval, for columns that are `column` ticks wide."""
        begins = np.zeros(len(self) + 1, bool)
        begins[0] = True
        np.greater_equal(self._gaps, column, out=begins[1:-1])
        is_long = self._lengths >= LONG_PX * column
        begins[:-1] |= is_long
        begins[1:] |= is_long
        return begins[:-1].nonzero()[0] + self.first

    @cached_property
    def _gaps(self) -> Ints:
        """Ticks from the end of each interval but the last to the start of the next."""
        return (
            self.index.start[self.first + 1 : self.last]
            - self.index.stop[self.first : self.last - 1]
        )

    @cached_property
    def _lengths(self) -> Ints:
        """Length of each interval in ticks."""
        inside = slice(self.first, self.last)
        return self.index.end[inside] - self.index.start[inside]

    def slice_bars(self, cuts: Ints, edges: Ints) -> Ints:
        """Return the positions `cuts` with the positions of the first intervals after `edges`
        (ticks), ascending; unchanged if no intervals are merged.
        """
        if len(cuts) == len(self):
            return cuts
        inside = self.index.start[self.first : self.last].searchsorted(edges) + self.first
        return _unite(cuts, inside[(inside > self.first) & (inside < self.last)])


def _slice_bars(views: list[_View], cuts: list[Ints], steps: int) -> list[Ints]:
    """Cut the merged bars of each view at even steps through the window, so that busy and idle
    stretches of long bars differ; unchanged for fewer than two steps.
    """
    if steps < 2:
        return cuts
    edges = np.linspace(*views[0].window, steps + 1)[1:-1].astype(np.int64)
    return [view.slice_bars(c, edges) for view, c in zip(views, cuts, strict=True)]


def _unite(*positions: npt.ArrayLike) -> Ints:
    """Return the values of all arrays, ascending and without duplicates; each array is ascending."""
    # Quicker than `np.unique`: this sort merges stretches that are sorted already.
    values: Ints = np.sort(np.concatenate(positions), kind="stable")
    is_new = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=is_new[1:])
    return values[is_new]


def _fair_share(needs: Ints, budget: int) -> int:
    """Compute the largest share for which the sum of min(need, share) over all needs is within the
    budget, rounded down. The needs together must exceed the budget.
    """
    rising = np.sort(needs)
    smaller_needs = np.concatenate([[0], np.cumsum(rising)[:-1]])
    rest = (budget - smaller_needs) // np.arange(len(rising), 0, -1)
    return int(rest[np.argmax(rest < rising)])


def _collect(index: LaneIndex, views: list[_View], cuts: list[Ints], column: float) -> Rectangles:
    """Build the rectangles from the views and the cut positions of each; `column` is passed on."""
    sizes = np.array([len(c) for c in cuts], np.int64)
    first = np.concatenate([np.zeros(0, np.int64), *cuts])
    last = np.append(first[1:], 0)[: len(first)]
    has_bars = sizes > 0
    last[np.cumsum(sizes)[has_bars] - 1] = np.array([v.last for v in views], np.int64)[has_bars]
    events = sum(map(len, views))
    name = index.code[first].astype(np.int64)
    busy = index.summed_lengths(first, last)
    mixed = np.zeros(len(first), bool)
    most = busy.copy()
    if events > len(first):
        mixed = index.name_changes[first] != index.name_changes[last - 1]
        name[mixed], most[mixed] = largest_names(index, first[mixed], last[mixed])
    return Rectangles(
        lane=np.repeat(np.array([view.lane for view in views], dtype=np.int64), sizes),
        start=index.start[first],
        end=np.maximum(index.end[first], index.end[last - 1]),
        count=last - first,
        busy=busy,
        name=name,
        mixed=mixed,
        most=most,
        events=events,
        column=column,
    )
