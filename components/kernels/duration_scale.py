"""Axis of a profile's durations, from nanoseconds to seconds, logarithmic for a wide range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.kernels.distribution import bin_edges
from components.numbers import duration_text
from components.time_axis import duration_axis
from schema.array_types import Floats, Ints

_WIDE_RATIO = 20
"""If the longest duration exceeds the shortest by this factor, the axis is logarithmic."""
_AROUND = 20
"""If all durations are equal, their bin extends by 1/20 of the duration (5 %) to either side."""
_BINS_PER_DECADE = 12


@dataclass(frozen=True)
class DurationScale:
    """An axis of durations from `low` to `high` ns, logarithmic if they differ by more than a
    factor of 20.
    """

    low: int
    high: int

    @property
    def wide(self) -> bool:
        """Whether the axis is logarithmic: the longest duration is more than 20 times the shortest."""
        return self.high > _WIDE_RATIO * max(self.low, 1)

    def at(self, ns: npt.ArrayLike) -> Floats:
        """Convert durations (ns) to positions on the axis: log10 of the duration if it is
        logarithmic, else the duration.

        On a logarithmic axis 0 is drawn at half a nanosecond.
        """
        values = np.asarray(ns, dtype=np.float64)
        return np.log10(np.maximum(values, 0.5)) if self.wide else values

    def edges(self, values: Floats) -> Ints:
        """Compute ascending integer bin edges (ns), one more than bins, that cover the values:
        equal bins, or 12 per decade when the axis is logarithmic.

        If all values are equal, there is a single bin around the value.
        """
        if self.low == self.high:
            return np.array([max(0, self.low - self._room), self.low + self._room], dtype=np.int64)
        if not self.wide:
            return bin_edges(values)
        first = np.floor(np.log10(max(self.low, 1)) * _BINS_PER_DECADE)
        last = np.ceil(np.log10(self.high + 1) * _BINS_PER_DECADE)
        powers = 10 ** (np.arange(first, last + 1) / _BINS_PER_DECADE)
        # Below some 10 ns several powers round to the same nanosecond.
        edges = np.unique(np.round(powers).astype(np.int64))
        return np.concatenate([[0], edges[edges > 0]]) if self.low < edges[0] else edges

    @property
    def _room(self) -> int:
        """Free space of a linear axis to either side of the values in ns: 1/20 of their range, or
        of the value if all are equal, at least 1.
        """
        return max(1, (self.high - self.low or self.low) // _AROUND)

    def axis(self, title: str = "duration") -> dict[str, Any]:
        """Build the plotly layout of the axis; a logarithmic axis has "(logarithmic)" after its
        title.
        """
        if not self.wide:
            room = self._room * (2 if self.low == self.high else 1)
            return duration_axis((max(0, self.low - room), self.high + room), title)
        low, high = (float(self.at(edge)) for edge in (self.low, self.high))
        decades = range(int(np.floor(low)), int(np.ceil(high)) + 1)
        # Ticks at 1, 2 and 5 of more than four decades would overlap.
        steps = (1,) if len(decades) > 4 else (1, 2, 5)
        ticks = [step * 10**decade for decade in decades if decade >= 0 for step in steps]
        return {
            "range": [low - 0.1, high + 0.1],
            "tickmode": "array",
            "tickvals": [float(np.log10(tick)) for tick in ticks],
            "ticktext": [_tick(tick) for tick in ticks],
            "title": {"text": f"{title} (logarithmic)"},
        }


def _tick(ns: int) -> str:
    """Format a tick (ns) without zeros after the point: 20 µs."""
    return duration_text(ns).replace(".00", "").replace(".0", "")
