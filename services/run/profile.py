"""What the views of a profile draw from: kernels by program, launches, programs, markers, counters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache

import pandas as pd

from analysis.kernels.counters import counter_table
from analysis.kernels.kernel_table import kernel_table
from analysis.kernels.step_times import step_times
from analysis.memory.buffer_origins import ORIGIN_FRAMES, buffer_origins
from analysis.selection import Selection, select_kernels
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.search import Found, find_events
from schema.frames import empty

_MOST_KEPT = 8
"""Tables and searches that are kept: what a page's parts ask for one after another."""


class ProfileData:
    """A run whose source names its kernels; `kernels` is the whole frame, the others are read on demand.

    `extent` is the time that the views show when nothing is selected.
    """

    def __init__(
        self, stored: Mapping[str, pd.DataFrame], kernels: pd.DataFrame, index: LaneIndex, extent: tuple[int, int]
    ) -> None:
        self._stored = stored
        self._index = index
        self.kernels = kernels
        self.extent = extent
        self.table_of = lru_cache(_MOST_KEPT)(self._table_of)
        self.found = lru_cache(_MOST_KEPT)(self._find_events)

    def frame(self, name: str) -> pd.DataFrame:
        """Return a stored frame, empty where the run has none."""
        return self._stored[name] if name in self._stored else empty(name)

    @cached_property
    def counter_sums(self) -> pd.DataFrame:
        """Return every execution that was counted, with the sums of its counters."""
        return counter_table(self.frame("counters"), self.kernels)

    @cached_property
    def step_times(self) -> pd.DataFrame:
        """Return frame `step_times`: how long the steps are, and what fills them."""
        return step_times(self.frame("tracks"), self.frame("events"), self.kernels, self.frame("markers"))

    @cached_property
    def buffer_origins(self) -> pd.DataFrame:
        """Return frame `buffer_origins`: where each buffer comes from."""
        return buffer_origins({name: self.frame(name) for name in ORIGIN_FRAMES})

    def _table_of(self, selection: Selection) -> pd.DataFrame:
        """Return the selected kernels by program, see `analysis.kernels.kernel_table`."""
        return kernel_table(select_kernels(self.kernels, selection))

    def _find_events(self, words: str) -> Found:
        """Return the events whose names have all of the words."""
        return find_events(self._index, words)
