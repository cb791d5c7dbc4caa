"""Index of the intervals of many lanes, with queries of any window in logarithmic time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from schema.array_types import Bools, Ints
from schema.arrays import category

_BLOCK = 64
"""Intervals of a block, of which the widest gap and the longest interval are known."""


@dataclass(frozen=True)
class LaneIndex:
    """Intervals sorted by lane, then start; built once per frame, then read from many threads.

    `lanes` has one row per lane: track, lane, name (null if a lane has several), first, last,
    events, busy; its position is the lane's number in all methods. `start`, `end` (ticks) and
    `code` (into `names`) have one element per interval; `closed` is False if the capture ended
    inside the interval. Lane i owns `offset[i]:offset[i + 1]`. Inside a lane starts and ends must
    not decrease: nested intervals belong on separate lanes, otherwise busy times are upper bounds.
    """

    lanes: pd.DataFrame
    names: npt.NDArray[np.object_]
    start: Ints
    end: Ints
    code: npt.NDArray[np.integer]
    closed: Bools
    offset: Ints

    @classmethod
    def of_events(cls, events: pd.DataFrame) -> LaneIndex:
        """Index a frame `events`, a lane per distinct track and lane; a frame in the order of the
        loaders is not copied. All intervals count as closed if the frame has no column `closed`.
        """
        closed = (
            events["closed"].to_numpy(bool) if "closed" in events else np.ones(len(events), bool)
        )
        return cls._build(
            events["track"],
            events["lane"],
            events["name"],
            events["start"],
            events["end"],
            closed=closed,
        )

    @classmethod
    def of_kernels(cls, kernels: pd.DataFrame) -> LaneIndex:
        """Index a frame `kernels`, a lane per track, named `kernels`.

        A lost start or end is set to the other time; kernels without both are left out.
        """
        timed = kernels
        start, end = kernels["start"], kernels["end"]
        if start.hasnans or end.hasnans:
            timed = kernels[start.notna() | end.notna()]
            start = timed["start"].fillna(timed["end"]).astype("int64")
            end = timed["end"].fillna(timed["start"]).astype("int64")
        lanes = pd.Series(category(np.zeros(len(timed), np.int64), ["kernels"]))
        return cls._build(
            timed["track"], lanes, timed["name"], start, end, closed=np.ones(len(timed), bool)
        )

    @classmethod
    def _build(
        cls,
        track: pd.Series[Any],
        lane: pd.Series[Any],
        name: pd.Series[Any],
        start: pd.Series[Any],
        end: pd.Series[Any],
        *,
        closed: Bools,
    ) -> LaneIndex:
        track_code, track_names = _codes(track)
        lane_code, lane_names = _codes(lane)
        code, names = _codes(name)
        key = track_code.astype(np.int64) * max(1, len(lane_names)) + lane_code
        starts, ends = (np.asarray(s, dtype=np.int64) for s in (start, end))
        # Events of the loaders are already in this order, and are not copied.
        if not _is_grouped(key, starts):
            order = np.lexsort((ends, starts, key))
            key = key[order]
            starts = starts[order]
            ends = ends[order]
            code = code[order]
            closed = closed[order]
        change = np.flatnonzero(np.diff(key)) + 1
        offset = (
            np.concatenate([[0], change, [len(key)]]) if len(key) else np.zeros(1, dtype=np.int64)
        )
        keys = key[offset[:-1]]
        lanes = _describe(offset, starts, ends, code, names)
        lanes.insert(0, "track", track_names[keys // max(1, len(lane_names))])
        lanes.insert(1, "lane", lane_names[keys % max(1, len(lane_names))])
        return cls(lanes, names, starts, ends, code, closed, offset.astype(np.int64))

    def __len__(self) -> int:
        """Return the number of intervals."""
        return len(self.start)

    def only(self, places: Ints) -> LaneIndex:
        """Return an index of only the intervals at these positions (ascending).

        Lanes without intervals are dropped, so that lane numbers change.
        """
        counts = np.diff(np.searchsorted(places, self.offset))
        offset = np.concatenate([[0], np.cumsum(counts[counts > 0])])
        start = self.start[places]
        end = self.end[places]
        code = self.code[places]
        lanes = _describe(offset, start, end, code, self.names)
        for column in ("lane", "track"):
            lanes.insert(0, column, self.lanes[column].to_numpy()[counts > 0])
        return LaneIndex(lanes, self.names, start, end, code, self.closed[places], offset)

    @cached_property
    def extent(self) -> tuple[int, int]:
        """First start of any interval in the index, and its last end, at least a tick later; (0, 1)
        without intervals.
        """
        if not len(self):
            return 0, 1
        return int(self.lanes["first"].min()), max(
            int(self.lanes["last"].max()), int(self.lanes["first"].min()) + 1
        )

    @cached_property
    def numbers(self) -> Mapping[tuple[str, str], int]:
        """Map the track and name of each lane to its number."""
        pairs = zip(self.lanes["track"], self.lanes["lane"], strict=True)
        return {pair: number for number, pair in enumerate(pairs)}

    @cached_property
    def stop(self) -> Ints:
        """End of each interval for searching, not decreasing inside a lane: the latest end so far,
        at least a tick after the start of an interval without length.
        """
        stop = np.maximum(self.end, self.start + 1) if (self.end <= self.start).any() else self.end
        falling = np.diff(stop) < 0
        falling[self.offset[1:-1] - 1] = False
        if not falling.any():
            return stop
        return np.concatenate([np.maximum.accumulate(stop[a:b]) for a, b in self._spans()])

    @cached_property
    def _sums(self) -> tuple[Ints, Ints]:
        """Prefix sums of all starts and of all ends, each with a leading zero."""
        return _running(self.start), _running(self.end)

    @cached_property
    def name_changes(self) -> npt.NDArray[np.int32]:
        """Number of name changes between neighbours up to each interval: two intervals with equal
        numbers have a single name between them.
        """
        changes = np.zeros(len(self), dtype=np.int32)
        np.cumsum(np.diff(self.code) != 0, out=changes[1:])
        return changes

    @cached_property
    def _widest(self) -> tuple[Ints, Ints]:
        """Widest gap before an interval, and longest interval, in ticks, of each block of _BLOCK
        positions.
        """
        first = np.arange(0, len(self), _BLOCK)
        # Between two lanes is no gap, but a block that is looked at in vain changes nothing.
        gap = np.append(np.zeros(1, np.int64), self.start[1:] - self.stop[:-1])
        return np.maximum.reduceat(gap, first), np.maximum.reduceat(self.end - self.start, first)

    def _spans(self) -> list[tuple[int, int]]:
        return list(zip(self.offset[:-1].tolist(), self.offset[1:].tolist(), strict=True))

    def position_begun(self, lane: int, times: Ints) -> Ints:
        """For each time, return the index (among the intervals of all lanes) after the lane's last
        interval that starts before it; the lane's first index if there is none.
        """
        first = self.offset[lane]
        last = self.offset[lane + 1]
        return np.searchsorted(self.start[first:last], times, side="left") + int(first)

    def position_ended(self, lane: int, times: Ints) -> Ints:
        """For each time, return the index (among the intervals of all lanes) after the lane's last
        interval that ends at or before it; the lane's first index if there is none.
        """
        first = self.offset[lane]
        last = self.offset[lane + 1]
        return np.searchsorted(self.stop[first:last], times, side="right") + int(first)

    def range_in_window(self, lane: int, window: tuple[int, int]) -> tuple[int, int]:
        """Return the range [first, end) of positions, among the intervals of all lanes, of the
        lane's intervals that overlap the window [begin, end); empty if there are no such intervals.
        """
        begin = int(self.offset[lane])
        end = int(self.offset[lane + 1])
        first = begin + int(self.stop[begin:end].searchsorted(window[0], side="right"))
        return first, max(first, begin + int(self.start[begin:end].searchsorted(window[1])))

    def find_wide(self, span: tuple[int, int], gap: float, length: float) -> tuple[Ints, Ints]:
        """Find wide gaps and long intervals of a lane among its positions [first, last).

        Returns the positions of the intervals after a gap of at least `gap` ticks, without the
        first position, and those of the intervals of at least `length` ticks; both ascending.
        Cost: O(intervals / _BLOCK), and O(_BLOCK) for each position that is found.
        """
        first, last = span
        gaps, lengths = (
            widest[first // _BLOCK : (last - 1) // _BLOCK + 1] for widest in self._widest
        )
        block = np.flatnonzero((gaps >= gap) | (lengths >= length)) + first // _BLOCK
        at = (block[:, None] * _BLOCK + np.arange(_BLOCK)).ravel()
        at = at[np.searchsorted(at, first) : np.searchsorted(at, last)]
        after = at[1:] if len(at) and at[0] == first else at
        start = self.start[at]
        is_long = self.end[at] - start >= length
        is_wide = start[len(at) - len(after) :] - self.stop[after - 1] >= gap
        return after[is_wide], at[is_long]

    def busy_before(self, lane: int, times: Ints) -> Ints:
        """Compute the lane's busy ticks before each time; an interval that runs at that time counts
        up to it.
        """
        starts, ends = self._sums
        base = int(self.offset[lane])
        begun = self.position_begun(lane, times)
        ended = self.position_ended(lane, times)
        before: Ints = (
            (ends[ended] - ends[base]) - (starts[begun] - starts[base]) + (begun - ended) * times
        )
        return before

    def summed_lengths(self, first: Ints, last: Ints) -> Ints:
        """Compute the summed lengths in ticks of the intervals at positions [first, last), an
        element per pair.
        """
        starts, ends = self._sums
        return (ends[last] - ends[first]) - (starts[last] - starts[first])

    def busy_ticks(self, window: tuple[int, int], lanes: npt.ArrayLike | None = None) -> Ints:
        """Compute the busy ticks in the window [begin, end), int64 per requested lane (default
        all), in their order.
        """
        edges = np.array(window, dtype=np.int64)
        return self.busy_bins(edges, lanes)[:, 0]

    def busy_bins(self, edges: npt.ArrayLike, lanes: npt.ArrayLike | None = None) -> Ints:
        """Compute the busy ticks in each bin [edge, next edge) of each requested lane (default
        all), int64 of shape (lanes, len(edges) - 1).
        """
        times = np.asarray(edges, dtype=np.int64)
        rows = [np.diff(self.busy_before(int(lane), times)) for lane in self._chosen_lanes(lanes)]
        return np.array(rows, dtype=np.int64).reshape(len(rows), len(times) - 1)

    def overlap(
        self, starts: npt.ArrayLike, ends: npt.ArrayLike, lanes: npt.ArrayLike | None = None
    ) -> Ints:
        """Compute the busy ticks of each requested lane (default all) inside all of the disjoint
        intervals [starts, ends) together, int64 per lane.
        """
        begins = np.asarray(starts, dtype=np.int64)
        stops = np.asarray(ends, dtype=np.int64)
        sums = [
            int((self.busy_before(int(lane), stops) - self.busy_before(int(lane), begins)).sum())
            for lane in self._chosen_lanes(lanes)
        ]
        return np.array(sums, dtype=np.int64)

    def overview(self, bins: int, lanes: npt.ArrayLike | None = None) -> tuple[Ints, Ints]:
        """Return the edges (ticks) of at most `bins` equal bins over the whole extent, and the busy
        ticks in each of the requested lanes (default all), shape (lanes, bins).

        There are fewer bins if the extent has fewer ticks; without intervals one bin, [0, 1).
        """
        first, last = self.extent
        edges = np.linspace(first, last, min(bins, last - first) + 1).astype(np.int64)
        return edges, self.busy_bins(edges, lanes)

    def _chosen_lanes(self, lanes: npt.ArrayLike | None) -> Ints:
        return np.arange(len(self.lanes)) if lanes is None else np.asarray(lanes, dtype=np.int64)


def _codes(series: pd.Series[Any]) -> tuple[npt.NDArray[np.integer], npt.NDArray[np.object_]]:
    """Return the codes (-1 for null) and the categories of a column of any type."""
    values = series if isinstance(series.dtype, pd.CategoricalDtype) else series.astype("category")
    return np.asarray(values.cat.codes), values.cat.categories.to_numpy(dtype=object)


def _is_grouped(key: Ints, start: Ints) -> bool:
    """Whether the rows of each key are adjacent and sorted by start; True without rows."""
    change = np.diff(key) != 0
    runs = key[np.concatenate([[True], change])] if len(key) else key
    return len(np.unique(runs)) == len(runs) and bool((change | (np.diff(start) >= 0)).all())


def _running(values: Ints) -> Ints:
    sums = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(values, out=sums[1:])
    return sums


def _describe(
    offset: Ints,
    start: Ints,
    end: Ints,
    code: npt.NDArray[np.integer],
    names: npt.NDArray[np.object_],
) -> pd.DataFrame:
    """Compute name (null if a lane has several), first, last, events and busy (ticks) of each lane,
    a row each.
    """
    at = offset[:-1]
    if not len(at):
        return pd.DataFrame(
            {c: pd.Series([], dtype="int64") for c in ("name", "first", "last", "events", "busy")}
        )
    low = np.minimum.reduceat(code, at)
    high = np.maximum.reduceat(code, at)
    name = np.where((low == high) & (low >= 0), names[low], np.array(np.nan, object))
    busy = np.add.reduceat(end, at) - np.add.reduceat(start, at)
    last = np.maximum.reduceat(end, at)
    return pd.DataFrame(
        {"name": name, "first": start[at], "last": last, "events": np.diff(offset), "busy": busy}
    )
