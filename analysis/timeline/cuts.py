"""Find the intervals of lanes at which rectangles begin; all other intervals are merged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.timeline.lane_views import LaneViews
from schema.array_types import Bools, Floats, Ints

LONG_PX = 3.0
"""Width in pixels from which an interval is never merged with its neighbours."""
_MAX_SEARCHES = 400_000
_MAX_LOOKS = 8
"""Maximum number of intervals per column that are all looked at, instead of blocks of them."""


@dataclass(frozen=True)
class _Borders:
    """Intervals at which rectangles may begin, an element each: the position `at`, the number of its
    lane in the views, the ticks of the `gap` before it (infinite for the first of a view), and of
    the longer one of the interval and its neighbour before it (`longer`).
    """

    at: Ints
    lane: Ints
    gap: Floats
    longer: Ints

    @classmethod
    def of(cls, views: LaneViews, columns: int) -> _Borders:
        """Find the borders that are kept if columns are 1 / `columns` of the window."""
        # A look at every interval is quicker than at blocks of them, unless they are many.
        is_few = len(views) <= _MAX_LOOKS * columns * len(views.lanes)
        find = cls._of_intervals if is_few else cls._of_blocks
        return find(views, views.ticks / columns)

    @classmethod
    def _of_intervals(cls, views: LaneViews, column: float) -> _Borders:
        """Find the borders by a look at every interval."""
        start = views.pick(views.index.start)
        stop = views.pick(views.index.stop)
        length = views.pick(views.index.end) - start
        gap = np.full(len(views), np.inf)
        gap[1:] = start[1:] - stop[:-1]
        gap[views.offset[views.sizes > 0]] = np.inf
        longer = length.copy()
        np.maximum(length[1:], length[:-1], out=longer[1:])
        found = ((gap >= column) | (longer >= LONG_PX * column)).nonzero()[0]
        lane = _lanes_of(found, views.offset, views.offset + views.sizes)
        at = found + (views.first - views.offset)[lane]
        return cls(at, lane, gap[found], longer[found])

    @classmethod
    def _of_blocks(cls, views: LaneViews, column: float) -> _Borders:
        """Find the borders by a look at the blocks with wide gaps or long intervals."""
        index = views.index
        at = _find_in_blocks(views, column)
        before = np.maximum(at - 1, 0)
        start = index.start[at]
        lane = _lanes_of(at, views.first, views.last)
        gap = np.where(at == views.first[lane], np.inf, start - index.stop[before])
        longer = np.maximum(index.end[at] - start, index.end[before] - index.start[before])
        return cls(at, lane, gap, longer)

    def keep(self, column: Floats) -> Bools:
        """Decide which borders are kept if the columns of each lane have these ticks: gaps of at least
        a column, and the borders of intervals of at least LONG_PX (3) columns.
        """
        own = column[self.lane]
        return np.asarray((self.gap >= own) | (self.longer >= LONG_PX * own))


def find_cuts(views: LaneViews, width_px: int, budget: int) -> tuple[Ints, float]:
    """Find the positions, ascending, at which at most `budget` rectangles begin, and the width in
    ticks from which gaps are kept.

    Every lane has columns of a pixel, or wider ones if it needs more than its share of the budget.
    Lanes without intervals have no position; there may not be more lanes than the budget.
    """
    count = len(views.lanes)
    columns = np.full(count, max(1, min(width_px, views.ticks, _MAX_SEARCHES // count)))
    borders = _Borders.of(views, int(columns[0]))
    kept = np.ones(len(borders.at), bool)
    needs = np.bincount(borders.lane, minlength=count)
    while needs.sum() > budget:
        share = _fair_share(needs, budget)
        over = needs > share
        fewer = (columns[over] * 0.9 * share / needs[over]).astype(np.int64)
        columns[over] = np.minimum(fewer, columns[over] - 1)
        kept = borders.keep(_column_ticks(views, columns))
        needs = np.bincount(borders.lane[kept], minlength=count)
    return borders.at[kept], views.ticks / max(1, int(columns.min()))


def slice_bars(views: LaneViews, cuts: Ints, steps: int) -> Ints:
    """Add the first interval of each lane after even steps through the window to the cuts, so that
    busy and idle stretches of long bars differ; unchanged for fewer than two steps.
    """
    if steps < 2:
        return cuts
    edges = np.linspace(*views.window, steps + 1)[1:-1].astype(np.int64)
    start = views.index.start
    after = [start[first:last].searchsorted(edges) + first for first, last in views.spans]
    inside = np.concatenate(after)
    # An edge after the last interval of a lane has no interval.
    return _unite(cuts, inside[inside < np.repeat(views.last, len(edges))])


def _column_ticks(views: LaneViews, columns: Ints) -> Floats:
    """Compute the width of a column in ticks; infinite without columns, so that a lane is one bar."""
    return np.where(columns < 1, np.inf, views.ticks / np.maximum(columns, 1))


def _lanes_of(values: Ints, first: Ints, last: Ints) -> Ints:
    """Return for each value (ascending) the number i of the stretch first[i] <= value < last[i]."""
    sizes = values.searchsorted(last) - values.searchsorted(first)
    return np.repeat(np.arange(len(first)), sizes)


def _find_in_blocks(views: LaneViews, column: float) -> Ints:
    """Find the positions, ascending, of the first interval of each lane, of intervals after gaps of
    at least `column` ticks, and of long intervals and those after them.
    """
    found = []
    for first, last in views.spans:
        if first < last:
            gap, long = views.index.find_wide((first, last), column, LONG_PX * column)
            after = long + 1
            found += [np.array([first]), gap, long, after[after < last]]
    return _unite(*found)


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
