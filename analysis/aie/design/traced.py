"""Events of a capture by unit and name, as the joins with a design need them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from schema.array_types import Bools, Ints

_NO_INTS = np.empty(0, np.int64)


@dataclass(frozen=True)
class Intervals:
    """Intervals of an event of a unit, sorted by start, in cycles.

    `cut` marks intervals with begin or end outside of the capture.
    """

    start: Ints
    end: Ints
    cut: Bools

    @property
    def cycles(self) -> int:
        """Sum of the lengths."""
        return int((self.end - self.start).sum())

    def count_within(self, window: tuple[int, int] | None) -> int:
        """Return the cycles within a window [begin, end); all cycles without a window."""
        if window is None:
            return self.cycles
        begin, end = window
        lengths = np.minimum(self.end, end) - np.maximum(self.start, begin)
        return int(np.maximum(lengths, 0).sum())

    def count_covered(self, starts: Ints, ends: Ints) -> int:
        """Return how many cycles of the sorted, disjoint intervals [starts, ends) the intervals of
        the event cover.
        """
        begins, stops = overlap(starts, ends, self)
        return int((stops - begins).sum())


def overlap(starts: Ints, ends: Ints, other: Intervals) -> tuple[Ints, Ints]:
    """Return begin and end of the parts of sorted, disjoint intervals that others cover."""
    points = np.unique(np.concatenate([starts, ends, other.start, other.end]))
    begin = points[:-1]
    ends_of_other = np.sort(other.end)
    inside = np.searchsorted(starts, begin, "right") > np.searchsorted(ends, begin, "right")
    covered = np.searchsorted(other.start, begin, "right") > np.searchsorted(
        ends_of_other, begin, "right"
    )
    both = inside & covered
    return begin[both], points[1:][both]


_NONE = Intervals(_NO_INTS, _NO_INTS, np.empty(0, np.bool_))


class TracedUnits:
    """Units of a capture with their events; names of units are names of tracks.

    `slices` maps each unit to the slice of the trace buffer that has it, "" without slices.
    """

    def __init__(self, tracks: pd.DataFrame, events: pd.DataFrame) -> None:
        names = tracks["track"].astype(str).tolist()
        has_traced = "traced" in tracks
        texts = tracks["traced"].tolist() if has_traced else [""] * len(names)
        self._traced = {
            name: set() if pd.isna(text) else set(str(text).split())
            for name, text in zip(names, texts, strict=True)
        }
        slices = tracks["slice"].tolist() if "slice" in tracks else [""] * len(names)
        self.slices = {
            name: "" if pd.isna(label) else str(label)
            for name, label in zip(names, slices, strict=True)
        }
        kinds = tracks["kind"].astype(str).tolist()
        self.cores = [name for name, kind in zip(names, kinds, strict=True) if kind == "core"]
        self._events: Mapping[tuple[str, str], Intervals] = {
            (str(track), str(name)): _intervals(rows)
            for (track, name), rows in events.groupby(["track", "name"], observed=True, sort=False)
        }

    def __contains__(self, unit: str) -> bool:
        return unit in self._traced

    def traces(self, unit: str, event: str) -> bool:
        """Whether the unit traced the event, even if it never occurred."""
        return event in self._traced.get(unit, ()) or (unit, event) in self._events

    def intervals(self, unit: str, event: str) -> Intervals:
        """Return the intervals of an event of a unit; without any they are empty."""
        return self._events.get((unit, event), _NONE)

    def traced_cycles(self, unit: str) -> int:
        """Return the cycles from the first to the last event of a unit; 0 without events."""
        own = [spans for (track, _), spans in self._events.items() if track == unit]
        ends = [int(spans.end.max()) for spans in own if len(spans.end)]
        starts = [int(spans.start.min()) for spans in own if len(spans.start)]
        return max(ends, default=0) - min(starts, default=0)

    def seen_events(self, unit: str) -> list[str]:
        """List the events of a unit that occurred, by name."""
        return sorted(event for track, event in self._events if track == unit)

    def kernels(self, core: str) -> Intervals:
        """Return the time in kernels: from each INSTR_EVENT_0 to the next INSTR_EVENT_1."""
        begins = self.intervals(core, "INSTR_EVENT_0").start
        ends = self.intervals(core, "INSTR_EVENT_1").start
        following = np.searchsorted(ends, begins, "right")
        paired = following < len(ends)
        begins = begins[paired]
        ends = ends[following[paired]]
        # Of several begins before one end the last counts.
        last = np.append(ends[1:] != ends[:-1], True) if len(ends) else np.empty(0, np.bool_)
        return Intervals(begins[last], ends[last], np.zeros(int(last.sum()), np.bool_))


def memory_unit(tile: str) -> str:
    """Return the unit that traces a tile's memory: `mem 2,1` for `core 2,1`."""
    kind, _, place = tile.partition(" ")
    return f"mem {place}" if kind == "core" else tile


def _intervals(rows: pd.DataFrame) -> Intervals:
    start = rows["start"].to_numpy(np.int64)
    order = np.argsort(start, kind="stable")
    cut = ~(rows["opened"].to_numpy(bool) & rows["closed"].to_numpy(bool))
    return Intervals(start[order], rows["end"].to_numpy(np.int64)[order], cut[order])
