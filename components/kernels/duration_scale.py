"""The axis of a profile's durations: from nanoseconds to seconds, over their logarithm where they are far apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from analysis.kernels.distribution import bin_edges
from components.numbers import duration_text
from components.time_axis import duration_axis
from schema.array_types import Floats, Ints

_WIDE = 20
"""Durations this many times apart are drawn over their logarithm."""
_AROUND = 20
"""Durations that are all the same are drawn in a bin of this part of them to either side: 5 %."""
_BINS_PER_DECADE = 12


@dataclass(frozen=True)
class DurationScale:
    """An axis of durations from `low` to `high` ns, over their logarithm where they are far apart."""

    low: int
    high: int

    @property
    def wide(self) -> bool:
        """Return whether it is logarithmic."""
        return self.high > _WIDE * max(self.low, 1)

    def at(self, ns: npt.ArrayLike) -> Floats:
        """Return where durations lie on the axis; 0 has the place of half a nanosecond."""
        values = np.asarray(ns, dtype=np.float64)
        return np.log10(np.maximum(values, 0.5)) if self.wide else values

    def edges(self, values: Floats) -> Ints:
        """Return integer bin edges (ns) that cover the values: one bin about the value where all are the same."""
        if self.low == self.high:
            return np.array([max(0, self.low - self._room), self.low + self._room], dtype=np.int64)
        if not self.wide:
            return bin_edges(values)
        first = np.floor(np.log10(max(self.low, 1)) * _BINS_PER_DECADE)
        last = np.ceil(np.log10(self.high + 1) * _BINS_PER_DECADE)
        powers = 10 ** (np.arange(first, last + 1) / _BINS_PER_DECADE)
        edges = np.unique(np.round(powers).astype(np.int64))
        return np.concatenate([[0], edges[edges > 0]]) if self.low < edges[0] else edges

    @property
    def _room(self) -> int:
        """Return what is left free to either side (ns)."""
        return max(1, (self.high - self.low or self.low) // _AROUND)

    def axis(self, title: str = "duration") -> dict[str, Any]:
        """Return the layout of the axis."""
        if not self.wide:
            room = self._room * (2 if self.low == self.high else 1)
            return duration_axis((max(0, self.low - room), self.high + room), title)
        low, high = (float(self.at(edge)) for edge in (self.low, self.high))
        decades = range(int(np.floor(low)), int(np.ceil(high)) + 1)
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
    """Return a whole number of the largest unit: 20 µs."""
    return duration_text(ns).replace(".00", "").replace(".0", "")
