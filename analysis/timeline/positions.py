"""Find intervals in the index of a timeline by their times."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.timeline.lanes import LaneIndex
from schema.array_types import Ints


def places_of(index: LaneIndex, intervals: pd.DataFrame) -> Ints:
    """Return the positions in the index, ascending without duplicates, of intervals with equal
    start and end on any lane of their track.

    `intervals` has track, start and end (ticks). Intervals that are not in the index, or have no
    known times, are left out.
    """
    intervals = intervals[intervals["start"].notna() & intervals["end"].notna()]
    tracks = intervals["track"].astype("str").to_numpy(object)
    start, end = (intervals[column].to_numpy(np.int64) for column in ("start", "end"))
    parts = [np.zeros(0, np.int64)]
    for lane, track in enumerate(index.lanes["track"]):
        wanted = tracks == track
        if wanted.any():
            places = _on_lane(index, lane, start[wanted], end[wanted])
            parts.append(places[places >= 0])
    return np.unique(np.concatenate(parts))


def _on_lane(index: LaneIndex, lane: int, start: Ints, end: Ints) -> Ints:
    """Return the position in the index of each interval on this lane, -1 if the lane has no
    interval with these times.
    """
    # An interval without length comes before the interval with the same start that has a length.
    place = np.where(
        end > start, index.position_begun(lane, start + 1) - 1, index.position_begun(lane, start)
    )
    inside = np.clip(place, index.offset[lane], index.offset[lane + 1] - 1)
    return np.where((index.start[inside] == start) & (index.end[inside] == end), inside, -1)
