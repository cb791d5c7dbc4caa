"""Select the intervals of each core by event name, or by the label in the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pandas as pd

from schema.array_types import Bools, Ints

START_MARKER, END_MARKER = "INSTR_EVENT_0", "INSTR_EVENT_1"
LOCK_STALL = "LOCK_STALL"


@dataclass(frozen=True)
class Spans:
    """Intervals: `start`, `end` int64 ticks, `opened`, `closed` bool.

    `opened` and `closed` are False when the capture lost the begin or the end. The intervals of an
    event are sorted by start.
    """

    start: Ints
    end: Ints
    opened: Bools
    closed: Bools

    def part(self, rows: slice | Bools | Ints) -> Spans:
        """Return new Spans with the intervals at these rows (positions, a slice or a mask)."""
        return Spans(self.start[rows], self.end[rows], self.opened[rows], self.closed[rows])

    @classmethod
    def of(cls, events: pd.DataFrame) -> Spans:
        """Read the intervals of frame `events`, an interval per row in its order; without rows the
        arrays are empty.
        """
        return cls(*(events[column].to_numpy() for column in ("start", "end", "opened", "closed")))


@dataclass(frozen=True)
class Codes:
    """A categorical column of events: the code of each interval, and the word of each code."""

    code: npt.NDArray[np.integer]
    words: list[str]

    @classmethod
    def of(cls, column: pd.Series) -> Codes:
        """Read a categorical column: its codes (-1 for null) and its categories."""
        return cls(column.array.codes, column.array.categories.tolist())

    def part(self, rows: slice) -> Codes:
        """Return new Codes with the rows of a slice and the same words."""
        return Codes(self.code[rows], self.words)


@dataclass(frozen=True)
class CoreEvents:
    """Track and events of a core, in the order of frame `events`.

    `first` and `last` are the core's first and last time stamp.
    """

    track: str
    process: str
    pid: str
    first: int
    last: int
    spans: Spans
    _names: Codes
    _lanes: Codes
    _found: dict[tuple[int, ...], Spans] = field(default_factory=dict, compare=False)

    def spans_of_event(self, name: str) -> Spans:
        """Return the core's intervals of an event by its current name, sorted by start; without
        rows if the core has no such event.
        """
        codes = (self._names.words.index(name),) if name in self._names.words else ()
        return self._spans_of_codes(self._names, codes, -1)

    def spans_of_label(self, label: str) -> Spans:
        """Return the core's intervals on the lanes `label` and `label@...`, by the label in the
        file, sorted by start; without rows if there are no such lanes.
        """
        lanes = enumerate(self._lanes.words)
        codes = tuple(i for i, lane in lanes if lane == label or lane.startswith(f"{label}@"))
        return self._spans_of_codes(self._lanes, codes, -2)

    def _spans_of_codes(self, column: Codes, codes: tuple[int, ...], which: int) -> Spans:
        """Return the intervals with any of the codes in `column`, sorted by start, from a cache;
        without rows if there are no codes.

        `which` is a number for the column that is part of the cache's key.
        """
        key = (which, *codes)
        if key not in self._found:
            mask = column.code == codes[0] if len(codes) == 1 else np.isin(column.code, codes)
            matches = self.spans.part(mask)
            self._found[key] = matches.part(np.argsort(matches.start, kind="stable"))
        return self._found[key]


def core_events(tracks: pd.DataFrame, events: pd.DataFrame) -> list[CoreEvents]:
    """Return the cores of the capture with their events, in the order of their first entry in the
    file; other tracks are dropped.

    A track is a core if its kind is `core`, or if it has no process name and has kernel markers (no
    other kind of unit has them). [] if there are no cores.
    """
    of_track, names, lanes = (Codes.of(events[column]) for column in ("track", "name", "lane"))
    spans = Spans.of(events)
    limits = np.searchsorted(of_track.code, np.arange(len(of_track.words) + 1)).tolist()
    rank = {name: i for i, name in enumerate(of_track.words)}
    markers = [code for code, name in enumerate(names.words) if name in (START_MARKER, END_MARKER)]
    columns = {
        column: tracks[column].tolist()
        for column in ("track", "kind", "process", "pid", "first", "last")
    }
    cores = []
    for row in np.argsort(tracks["order"].to_numpy(), kind="stable").tolist():
        track, kind, process, pid, first, last = (values[row] for values in columns.values())
        own = slice(*_limits(limits, rank.get(track)))
        if kind == "core" or (not process and np.isin(names.code[own], markers).any()):
            cores.append(
                CoreEvents(
                    str(track),
                    process,
                    pid,
                    first,
                    last,
                    spans.part(own),
                    names.part(own),
                    lanes.part(own),
                )
            )
    return cores


def _limits(limits: Sequence[int], code: int | None) -> tuple[int, int]:
    return (0, 0) if code is None else (limits[code], limits[code + 1])
