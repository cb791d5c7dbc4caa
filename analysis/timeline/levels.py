"""Stack overlapping intervals on levels: each takes the first level that is free when it begins.

An event of a profile is drawn below the event that contains it, as in tinygrad's viewer. Lane
`level 2` is the second level of its track; the first level has the track's name.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.timeline.lanes import LaneIndex
from schema.array_types import Ints

MAX_STACK_LEVELS = 64
"""Maximum number of levels.

Deeper events are on the last level, cut at the beginning of the next event.
"""

_NUMBERED = tuple(f"level {level}" for level in range(1, MAX_STACK_LEVELS + 1))
DEEPEST = _NUMBERED[-1]
_RESERVED = "kernels"
"""Name of the lane of a core's kernels in the timeline."""


def stack_events(events: pd.DataFrame) -> pd.DataFrame:
    """Return the events with their lanes (column `lane`) assigned so that no lane has overlaps,
    sorted by track, level and start.

    `events` must be sorted by track, then start; times are ticks. Of events that begin together the
    longest gets the first level, so that an event is below the event that contains it. Rows keep
    their times, but on the last of `MAX_STACK_LEVELS` (64) levels an end may be moved forward.
    """
    events = _longest_first(events)
    track = events["track"].astype("category").cat
    codes = track.codes.to_numpy()
    start, end = (events[column].to_numpy(np.int64) for column in ("start", "end"))
    level = np.zeros(len(events), np.int64)
    edges = np.flatnonzero(np.diff(codes, prepend=-2, append=-2))
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        level[first:last] = levels(start[first:last], end[first:last])
    lanes = _lanes(codes, level, [str(name) for name in track.categories])
    if not level.any():
        return events.assign(lane=lanes)
    order = np.lexsort((level, codes))
    ends = _cut_ends(codes[order], level[order], start[order], end[order])
    return events.iloc[order].assign(lane=lanes[order], end=ends)


def _longest_first(events: pd.DataFrame) -> pd.DataFrame:
    """Return the events, which are sorted by track and start, with events of equal track and start
    sorted by length, the longest first.
    """
    codes = events["track"].astype("category").cat.codes.to_numpy(np.int64)
    start, end = (events[column].to_numpy(np.int64) for column in ("start", "end"))
    is_tied = (codes[1:] == codes[:-1]) & (start[1:] == start[:-1])
    if not (end[1:] > end[:-1])[is_tied].any():
        return events
    return events.iloc[np.lexsort((-end, start, codes))]


def levels(start: Ints, end: Ints) -> Ints:
    """Compute each interval's level from 0: the first level that is free when it begins, at most
    `MAX_STACK_LEVELS` - 1 (63).

    Starts must not decrease; intervals that begin together are processed in the order of the
    arrays.
    """
    level = np.zeros(len(start), np.int64)
    crowded = _crowded_intervals(start, end)
    begins = start[crowded]
    ends = end[crowded]
    depth = _depths(begins, ends)
    level[crowded] = _first_free(begins, ends) if depth is None else depth
    return level


def is_level(track: str, lane: str) -> bool:
    """Whether a lane is a level of its track: it has the name of the track, or `level 1` to `level
    64`.
    """
    return lane in (track, *_NUMBERED)


def unite_lanes(index: LaneIndex, lanes: npt.ArrayLike) -> LaneIndex:
    """Build an index of the spans in which any of these lanes (numbers in `index`) is busy, with a
    single lane `busy` per track.
    """
    chosen = np.asarray(lanes, np.int64)
    track, tracks = pd.factorize(index.lanes["track"].to_numpy()[chosen])
    order = np.argsort(track, kind="stable")
    groups = (
        np.split(chosen[order], np.flatnonzero(np.diff(track[order])) + 1) if len(chosen) else []
    )
    parts = [_busy_spans(index, group) for group in groups]
    codes = np.repeat(np.arange(len(parts)), [len(starts) for starts, _ in parts])
    none = np.zeros(0, np.int64)
    start, end = (np.concatenate([none, *(part[side] for part in parts)]) for side in (0, 1))
    named = pd.Categorical.from_codes(np.zeros(len(codes), np.int8), categories=["busy"])
    frame = pd.DataFrame(
        {"track": pd.Categorical.from_codes(codes, categories=tracks), "start": start, "end": end}
    )
    return LaneIndex.of_events(frame.assign(lane=named, name=named))


def _busy_spans(index: LaneIndex, lanes: Ints) -> tuple[Ints, Ints]:
    """Compute starts and ends of the spans in which any lane of `lanes` is busy, ascending;
    overlapping spans are joined.
    """
    spans = [slice(index.offset[lane], index.offset[lane + 1]) for lane in lanes]
    if len(spans) == 1:
        return index.start[spans[0]], index.end[spans[0]]
    start, end = (
        np.concatenate([times[span] for span in spans]) for times in (index.start, index.end)
    )
    order = np.argsort(start, kind="stable")
    start = start[order]
    latest = np.maximum.accumulate(end[order])
    first = np.flatnonzero(np.append(True, start[1:] > latest[:-1]))
    return start[first], np.append(latest[first[1:] - 1], latest[-1])


def _lanes(codes: npt.NDArray[np.integer], level: Ints, tracks: list[str]) -> pd.Categorical:
    """Build the column of lanes from the level (from 0) and track of each interval: the track's
    name, then `level 2` and so on.

    A track begins with `level 1` if another lane may have its name.
    """
    numbered = _NUMBERED[: int(level.max(initial=0)) + 1]
    own = [_NUMBERED[0] if name in _NUMBERED or name == _RESERVED else name for name in tracks]
    place = {name: code for code, name in enumerate(dict.fromkeys([*own, *numbered]))}
    first, deeper = (
        np.array([place[name] for name in names], np.int64) for names in (own, numbered)
    )
    return pd.Categorical.from_codes(
        np.where(level == 0, first[codes], deeper[level]), categories=list(place)
    )


def _cut_ends(codes: npt.NDArray[np.integer], level: Ints, start: Ints, end: Ints) -> Ints:
    """Return the ends of the intervals; on the last level they are cut at the start of the track's
    next interval on it.
    """
    deepest = np.flatnonzero(level == MAX_STACK_LEVELS - 1)
    now = deepest[:-1]
    following = deepest[1:]
    same = codes[now] == codes[following]
    cut = end.copy()
    cut[now[same]] = np.minimum(end[now[same]], start[following[same]])
    return cut


def _crowded_intervals(start: Ints, end: Ints) -> Ints:
    """Return the positions, ascending, of the intervals that overlap any other interval; starts
    must not decrease.
    """
    latest = np.maximum.accumulate(end)
    alone = np.ones(len(start), bool)
    clear = start[1:] >= latest[:-1]
    alone[1:] &= clear
    alone[:-1] &= clear
    return np.flatnonzero(~alone)


def _depths(start: Ints, end: Ints) -> Ints | None:
    """Compute the nesting depth of each interval from 0, if each is inside an interval of the depth
    above.

    None if intervals cross, have no length, or nest to MAX_STACK_LEVELS (64) levels below the
    first.
    """
    if (end <= start).any():
        return None
    depth: Ints = np.arange(len(start)) - np.searchsorted(np.sort(end), start, side="right")
    deepest = int(depth.max(initial=0))
    if deepest >= MAX_STACK_LEVELS:
        return None
    outer = np.flatnonzero(depth == 0)
    for level in range(1, deepest + 1):
        inner = np.flatnonzero(depth == level)
        place = np.searchsorted(outer, inner) - 1
        if (
            (place < 0).any()
            or (end[inner] > end[outer[place]]).any()
            or (start[inner] >= end[outer[place]]).any()
        ):
            return None
        outer = inner
    return depth


def _first_free(start: Ints, end: Ints) -> list[int]:
    """Compute each interval's level from 0 by filling level after level; intervals without a free
    level get the last (63).
    """
    count = len(start)
    # On a level, the next interval is the first remaining interval that begins after the end.
    follows = np.maximum(np.searchsorted(start, end), np.arange(1, count + 1)).tolist()
    left = list(range(count + 1))
    assigned = [MAX_STACK_LEVELS - 1] * count
    for number in range(MAX_STACK_LEVELS - 1):
        place = _next_left(left, 0)
        if place == count:
            break
        while place < count:
            assigned[place] = number
            left[place] = place + 1
            place = _next_left(left, follows[place])
    return assigned


def _next_left(left: list[int], place: int) -> int:
    """Return the first remaining place from `place` on, and shorten the links of `left` on the way
    in place.
    """
    while left[place] != place:
        # Path halving, as in a union-find structure, keeps later searches short.
        left[place] = left[left[place]]
        place = left[place]
    return place
