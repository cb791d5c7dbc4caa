"""Lowest, mean and highest value of a counter in a window, for tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from analysis.timeline.counters import CounterTrack


@dataclass(frozen=True)
class CounterSummary:
    """Values of a counter in a window: at the begin and before the end, and the lowest, the
    time-weighted mean and the highest between them.

    If the first sample is inside the window, `first` is its value and the mean counts from there.
    """

    first: float
    lowest: float
    mean: float
    highest: float
    last: float


def summarise_counter(track: CounterTrack, window: tuple[int, int]) -> CounterSummary | None:
    """Summarise a counter in the window [begin, end) (ticks); None if it has no sample before the
    end.
    """
    begin, end = window
    first = max(int(np.searchsorted(track.at, begin, "right")) - 1, 0)
    last = int(np.searchsorted(track.at, end, "left"))
    value = track.value[first:last]
    if not len(value):
        return None
    start = np.maximum(track.at[first:last], begin)
    length = np.diff(start, append=end).astype(np.float64)
    # Weights below 1 keep sums of the largest values of a file finite.
    mean = float(value @ (length / length.sum()))
    return CounterSummary(
        float(value[0]), float(value.min()), mean, float(value.max()), float(value[-1])
    )
