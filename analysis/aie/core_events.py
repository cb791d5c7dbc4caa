"""The intervals of each core, by event name or by the label in the file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

START_MARKER, END_MARKER = "INSTR_EVENT_0", "INSTR_EVENT_1"
LOCK_STALL = "LOCK_STALL"


@dataclass(frozen=True)
class Spans:
    """Intervals sorted by start: `start`, `end` int64 ticks, `opened`, `closed` bool."""

    start: Ints
    end: Ints
    opened: Flags
    closed: Flags


@dataclass(frozen=True)
class CoreEvents:
    """One core's track and events."""

    track: str
    process: str
    pid: str
    first: int
    last: int
    events: pd.DataFrame

    def named(self, name: str) -> Spans:
        """Return the intervals of an event in today's spelling."""
        return self._picked("name", name)

    def labelled(self, label: str) -> Spans:
        """Return the intervals of the slots that the file itself labels so."""
        lanes = self.events["lane"].cat.categories
        codes = [i for i, lane in enumerate(lanes) if lane == label or lane.startswith(f"{label}@")]
        return self._spans(np.isin(self.events["lane"].cat.codes.to_numpy(), codes))

    def _picked(self, column: str, value: str) -> Spans:
        values = self.events[column]
        code = values.cat.categories.get_indexer([value])[0]
        return self._spans(values.cat.codes.to_numpy() == code)

    def _spans(self, mask: Flags) -> Spans:
        columns = [self.events[c].to_numpy()[mask] for c in ("start", "end", "opened", "closed")]
        order = np.argsort(columns[0], kind="stable")
        return Spans(*(column[order] for column in columns))


def core_events(tracks: pd.DataFrame, events: pd.DataFrame) -> list[CoreEvents]:
    """Return the cores in the order of their first entry in the file.

    A unit without a process name counts as a core when it has kernel markers, for no other unit has them.
    """
    codes = events["track"].cat.codes.to_numpy()
    names = events["track"].cat.categories
    limits = np.searchsorted(codes, np.arange(len(names) + 1))
    rank = {name: i for i, name in enumerate(names)}
    cores = []
    for row in tracks.sort_values("order").itertuples(index=False):
        code = rank.get(row.track)
        own = events.iloc[limits[code] : limits[code + 1]] if code is not None else events.iloc[:0]
        if row.kind == "core" or (not row.process and own["name"].isin([START_MARKER, END_MARKER]).any()):
            cores.append(CoreEvents(str(row.track), row.process, row.pid, int(row.first), int(row.last), own))
    return cores
