"""Highlighted events of a profile's timeline: a kernel, the hits of a search, the users of a
block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.selection import Selection, has_name
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.positions import places_of
from analysis.timeline.rows import TimelineData
from analysis.timeline.search import find_events
from schema.array_types import Bools


@dataclass(frozen=True)
class Focus:
    """Indices of highlighted events: `named` by kernel or search, `lit` single executions that are
    outlined.

    `names` has a flag for each name of the events: whether `named` has its events. An index is None
    if no such highlight was requested, and empty if the highlight matches no event.
    """

    named: LaneIndex | None
    lit: LaneIndex | None
    names: Bools | None = None

    @classmethod
    def of(
        cls, data: TimelineData, selection: Selection, lit: pd.DataFrame | None, words: str
    ) -> Focus:
        """Create the highlights from the selected kernel, operator and Python function, the words
        of a search and executions (`lit`, with track, start and end).

        Captures have no highlights: both indices are None.
        """
        if not data.named:
            return cls(None, None)
        events = data.events
        outlined = None if lit is None else events.only(places_of(events, lit))
        keys = (selection.kind, selection.op, selection.python)
        names = _wanted_names(events, [key for key in keys if key is not None], words)
        if names is None:
            return cls(None, outlined)
        return cls(events.only(np.flatnonzero(names[events.code])), outlined, names)

    def __bool__(self) -> bool:
        """Whether any highlight was requested, even if it matches no event: all other events are
        then faded.
        """
        return self.named is not None or self.lit is not None


def _wanted_names(events: LaneIndex, keys: Sequence[str], words: str) -> Bools | None:
    """Flag the names of an index that have one of these keys or contain the words.

    Returns None if there are neither keys nor words.
    """
    if not keys and not words.split():
        return None
    wanted = np.zeros(len(events.names), bool)
    for key in keys:
        wanted |= has_name(events.names, key)
    wanted[find_events(events, words).codes] = True
    return wanted
