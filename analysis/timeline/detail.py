"""Level of detail: draw any number of intervals with a bounded number of rectangles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.timeline.cuts import find_cuts, slice_bars
from analysis.timeline.lane_views import LaneViews
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.largest_names import largest_names
from schema.array_types import Bools, Ints
from schema.plurals import plural

BUDGET = 4_000
"""Number of rectangles that a browser draws and zooms comfortably."""
_MAX_SLICES = 240


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
    """Compute at most `budget` rectangles for the intervals of `lanes` (default all) that overlap
    [begin, end) (ticks), in ascending order of lane and start.

    Within the budget every interval is its own rectangle. Beyond it, intervals whose gaps are
    narrower than a pixel become one bar with a count and a busy time, and lanes that need the most
    rectangles get wider pixels. Cost: O(lanes x width_px + intervals), of which the intervals
    without a wide gap are looked at in blocks. Raises ValueError if there are more lanes than the
    budget.
    """
    chosen = np.arange(len(index.lanes)) if lanes is None else np.sort(np.asarray(lanes, np.int64))
    if len(chosen) > budget:
        raise ValueError(
            f"{plural(len(chosen), 'lane')}: too many for {budget} rectangles; select fewer lanes"
        )
    views = LaneViews.of(index, chosen, window)
    if len(views) <= budget:
        return _collect(views, views.positions, 0.0)
    cuts, column = find_cuts(views, width_px, budget)
    spare = (budget - len(cuts)) // len(chosen)
    return _collect(views, slice_bars(views, cuts, min(spare, _MAX_SLICES)), column)


def _collect(views: LaneViews, first: Ints, column: float) -> Rectangles:
    """Build the rectangles that begin at the positions `first` (ascending); `column` is passed on."""
    index = views.index
    sizes = first.searchsorted(views.last) - first.searchsorted(views.first)
    last = np.append(first[1:], 0)[: len(first)]
    has_bars = sizes > 0
    last[np.cumsum(sizes)[has_bars] - 1] = views.last[has_bars]
    name = index.code[first].astype(np.int64)
    busy = index.summed_lengths(first, last)
    mixed = np.zeros(len(first), bool)
    most = busy.copy()
    if len(views) > len(first):
        mixed = index.name_changes[first] != index.name_changes[last - 1]
        name[mixed], most[mixed] = largest_names(index, first[mixed], last[mixed])
    return Rectangles(
        lane=np.repeat(views.lanes, sizes),
        start=index.start[first],
        end=np.maximum(index.end[first], index.end[last - 1]),
        count=last - first,
        busy=busy,
        name=name,
        mixed=mixed,
        most=most,
        events=len(views),
        column=column,
    )
