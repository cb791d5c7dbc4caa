"""Compute frame `activity`: how busy each lane is, inside and outside of kernels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.aie.core_events import Codes, Spans
from schema.array_types import Floats, Ints
from schema.arrays import Columns, repeat_texts, text_category
from schema.frames import build_frame, empty
from schema.timeline import ACTIVITY

_COLUMNS = [name for name in ACTIVITY.names if name != "track"]

_MAX_TICKS = 2.0**62
"""Upper limit of summed times, so that they fit int64.

Only a broken capture has intervals that overlap so much.
"""


@dataclass(frozen=True)
class Coverage:
    """Disjoint, sorted intervals of a track (int64 ticks).

    `before` has the covered time before each interval, and after the last one.
    """

    start: Ints
    end: Ints
    before: Ints

    @classmethod
    def of(cls, start: Ints, end: Ints) -> Coverage:
        """Build the coverage of intervals [start, end) in any order; overlapping and touching
        intervals are joined. O(n log n).
        """
        order = np.argsort(start, kind="stable")
        start = start[order]
        end = np.maximum.accumulate(end[order]) if len(end) else end
        head = np.ones(len(start), bool)
        head[1:] = start[1:] > end[:-1]
        tail = np.append(head[1:], True)[: len(end)]
        start = start[head]
        end = end[tail]
        return cls(start, end, np.concatenate(([0], np.cumsum(end - start))))

    def until(self, ticks: Ints) -> Ints:
        """Compute for each tick how many ticks before it the intervals cover; 0 before the first
        interval. O(len(ticks) log n).
        """
        if not len(self.start):
            return np.zeros_like(ticks)
        rank = np.searchsorted(self.start, ticks, side="right") - 1
        inside = np.minimum(ticks, self.end[rank]) - self.start[rank]
        return np.where(rank < 0, 0, self.before[np.maximum(rank, 0)] + inside)

    def within(self, begin: Ints, end: Ints) -> Ints:
        """Compute for each window [begin, end) how many of its ticks the intervals cover."""
        return self.until(end) - self.until(begin)

    def common(self, other: Coverage) -> Coverage:
        """Return the coverage of the ticks that both this coverage and `other` cover.

        O((n + m) log n).
        """
        first = np.searchsorted(self.end, other.start, side="right")
        count = np.maximum(np.searchsorted(self.start, other.end, side="left") - first, 0)
        theirs = np.repeat(np.arange(len(count)), count)
        own = np.arange(len(theirs)) - np.repeat(np.cumsum(count) - count, count) + first[theirs]
        return Coverage.of(
            np.maximum(self.start[own], other.start[theirs]),
            np.minimum(self.end[own], other.end[theirs]),
        )

    def outside(self, other: Coverage) -> Coverage:
        """Return the coverage of the ticks that this coverage covers and `other` does not.

        O((n + m) log n).
        """
        if not len(self.start):
            return self
        limits = [
            np.concatenate(([self.start[0]], other.end)),
            np.concatenate((other.start, [self.end[-1]])),
        ]
        begin = np.maximum(limits[0], self.start[0])
        end = np.minimum(limits[1], self.end[-1])
        is_gap = end > begin
        return self.common(Coverage.of(begin[is_gap], end[is_gap]))


def activity(tracks: pd.DataFrame, events: pd.DataFrame, kernels: pd.DataFrame) -> pd.DataFrame:
    """Compute frame `activity`: the busy time (ticks) of each lane of every track; empty without
    events.

    `share` (0 to 1) is relative to the track's own time, from its first to its last time stamp. An
    interval that is open at the end of the capture counts up to the track's last time stamp.
    `inside` and `outside` are busy shares of the time inside and outside of the kernels that were
    not left out, NaN if there is no such time.
    """
    if not len(events):
        return empty("activity")
    track, lane, name = (Codes.of(events[column]) for column in ("track", "lane", "name"))
    spans = Spans.of(events)
    ran = _coverage_of_tracks(kernels)
    limits = np.searchsorted(track.code, np.arange(len(track.words) + 1)).tolist()
    parts: dict[str, Columns] = {}
    for unit, first, last in zip(
        *(tracks[column].tolist() for column in ("track", "first", "last")), strict=True
    ):
        rank = track.words.index(unit)
        own = slice(limits[rank], limits[rank + 1])
        if own.stop > own.start:
            covered = ran.get(unit, _NOTHING)
            parts[unit] = _track_activity(
                lane.part(own), name.code[own], spans.part(own), covered, last - first
            )
    joined = {
        column: np.concatenate([part[column] for part in parts.values()]) for column in _COLUMNS
    }
    texts = {
        "track": repeat_texts(list(parts), [len(part["lane"]) for part in parts.values()]),
        "lane": text_category([lane.words[code] for code in joined["lane"].tolist()]),
        "name": text_category([name.words[code] for code in joined["name"].tolist()]),
    }
    return build_frame("activity", joined | texts)


def _coverage_of_tracks(kernels: pd.DataFrame) -> dict[str, Coverage]:
    """Map each track that has kernels with `kept` True to the coverage of these kernels; other
    tracks are missing.
    """
    kept = kernels["kept"].to_numpy(bool)
    tracks = Codes.of(kernels["track"])
    codes = tracks.code[kept]
    start, end = (kernels[name].array[kept].to_numpy(np.int64) for name in ("start", "end"))
    return {
        tracks.words[code]: Coverage.of(start[codes == code], end[codes == code])
        for code in np.unique(codes).tolist()
    }


_NOTHING = Coverage.of(np.empty(0, np.int64), np.empty(0, np.int64))


def _track_activity(
    lane: Codes, name: npt.NDArray[np.integer], spans: Spans, covered: Coverage, window: int
) -> Columns:
    """Compute the columns of frame `activity` for the lanes of one track, one row per lane with
    events.

    `lane` and `name` are codes per event, and columns lane and name hold codes too; `window` is the
    length of the track's time, in ticks. Shares are NaN if their time is 0.
    """
    size = len(lane.words)
    lanes, first = np.unique(lane.code, return_index=True)

    def sum_weights(weights: npt.NDArray[np.generic]) -> Floats:
        totals = np.bincount(lane.code, weights=weights, minlength=size)[lanes]
        return totals.astype(np.float64, copy=False)

    duration = spans.end - spans.start
    # An end without a begin has length 0 and does not add busy time.
    busy = sum_weights(duration)
    inside = sum_weights(covered.within(spans.start, spans.end))
    longest = np.zeros(size, np.int64)
    np.maximum.at(longest, lane.code, duration)
    ran = int(covered.before[-1])
    return {
        "lane": lanes,
        "name": name[first],
        "count": sum_weights(spans.opened).astype(np.int64),
        "busy": np.minimum(busy, _MAX_TICKS).astype(np.int64),
        "longest": longest[lanes],
        "orphan_ends": sum_weights(~spans.opened).astype(np.int64),
        "open": sum_weights(~spans.closed) > 0,
        "window": np.full(len(lanes), window),
        "share": _ratio(busy, window),
        "inside": _ratio(inside, ran),
        "outside": _ratio(busy - inside, window - ran),
    }


def _ratio(part: Floats, whole: int) -> Floats:
    return part / whole if whole > 0 else np.full(len(part), np.nan)
