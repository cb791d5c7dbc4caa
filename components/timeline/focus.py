"""What stands out on a profile's timeline while the rest fades: a kernel, what a search finds, who uses a block."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.selection import Selection, has_name
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.positions import places_of
from analysis.timeline.rows import TimelineData
from analysis.timeline.search import find_events


@dataclass(frozen=True)
class Focus:
    """What stands out, as indices of their own: what a name asks for, and single executions that are outlined.

    None: nobody asks for any, nothing fades for it.
    """

    named: LaneIndex | None
    lit: LaneIndex | None

    @classmethod
    def of(cls, data: TimelineData, selection: Selection, lit: pd.DataFrame | None, words: str) -> Focus:
        """Take the selected kernel's name, the words of a search and executions (track, start, end) of a profile."""
        if not data.named:
            return cls(None, None)
        events = data.events
        found = None if lit is None else events.only(places_of(events, lit))
        return cls(_named_events(events, selection.kind, words), found)

    def __bool__(self) -> bool:
        """Return whether the rest fades."""
        return self.named is not None or self.lit is not None


def _named_events(events: LaneIndex, kind: str | None, words: str) -> LaneIndex | None:
    """Return the events of a kernel's name and those whose name has the words; None where neither is asked for."""
    if kind is None and not words.split():
        return None
    wanted = has_name(events.names, kind) if kind is not None else np.zeros(len(events.names), bool)
    wanted[find_events(events, words).codes] = True
    return events.only(np.flatnonzero(wanted[events.code]))
