"""Vertical positions in a timeline: of its rows, and of the lanes of counters between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.timeline.counter_rows import counter_rows
from analysis.timeline.rows import TimelineData, TimelineRow, positions
from schema.array_types import Floats

LANE = 2.0
"""Height of a lane of a counter, and distance to the next, in rows."""
FIRST_ROW_Y = 1.4
"""y position of the first row; iterations or markers are above it."""
_GAP = 0.4
"""Distance from the edge of a row to the first lane of a counter below it, in rows."""
_HALF_ROW = 0.5


@dataclass(frozen=True)
class Places:
    """y positions, in rows: `rows` and `counters` are the middles of each, `lowest` the middle of
    a last row, or of a row at the lower edge of a last counter.
    """

    rows: Floats
    counters: list[float]
    lowest: float

    @classmethod
    def of(cls, data: TimelineData, rows: Sequence[TimelineRow]) -> Places:
        """Compute the positions: each counter is below the last row of its device."""
        above = counter_rows(data, rows)
        free = positions(rows, FIRST_ROW_Y)
        below = np.bincount(above, minlength=len(rows)) if above else np.zeros(len(rows))
        height = below * LANE + _GAP * (below > 0)
        moved = free + np.append(0.0, np.cumsum(height))[:-1]
        middles = []
        drawn = np.zeros(len(rows))
        for place in above:
            top = moved[place] + _HALF_ROW + _GAP + LANE * drawn[place]
            middles.append(float(top + LANE / 2))
            drawn[place] += 1
        lowest = float(moved[-1] + height[-1])
        return cls(moved, middles, lowest)
