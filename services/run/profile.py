"""Data of the views of a profile: kernels by program, launches, programs, markers, counters."""

from __future__ import annotations

from collections import ChainMap
from functools import cached_property, lru_cache

import pandas as pd

from analysis.kernels.breakdown import DeviceBreakdown, busiest, device_breakdown
from analysis.kernels.counters import counter_table
from analysis.kernels.device_spans import device_spans
from analysis.kernels.host_threads import HostThreads
from analysis.kernels.kernel_table import kernel_table
from analysis.kernels.step_times import Series, step_series, step_times
from analysis.kernels.steps import Steps, find_steps
from analysis.kernels.training_steps import training_steps
from analysis.memory.buffer_origins import ORIGIN_FRAMES, buffer_origins
from analysis.selection import Selection, select_kernels
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.search import Found, find_events
from schema.frames import Frames, empty
from services.run.breakdown import Breakdown, breakdown
from services.run.device_frames import device_times, idle_gaps, idle_times
from services.run.operators import Operators, operators

_STEP_FRAMES = ("tracks", "events", "launches", "markers")
_MAX_CACHED = 8
"""Number of kernel tables and searches that are cached, for the parts of a page that request them
one after another."""


class ProfileData:
    """A run whose source names its kernels.

    `kernels` is the whole frame; other frames are read on demand. `extent` is the time [start, end)
    in ns that views show if no time is selected. `table_of` returns the kernel table of a selection
    and `found` the events whose names contain some words; both cache their last results.
    """

    def __init__(
        self,
        stored: Frames,
        kernels: pd.DataFrame,
        index: LaneIndex,
        extent: tuple[int, int],
    ) -> None:
        self._stored = stored
        self._index = index
        self.kernels = kernels
        self.extent = extent
        self.table_of = lru_cache(_MAX_CACHED)(self._make_table)
        self.found = lru_cache(_MAX_CACHED)(self._find_events)

    def frame(self, name: str) -> pd.DataFrame:
        """Return a stored frame of the run; if the run does not have it, an empty frame with its
        columns.
        """
        return self._stored[name] if name in self._stored else empty(name)

    @cached_property
    def counter_sums(self) -> pd.DataFrame:
        """Frame of the executions of the run that have hardware counters, a row for each, with the
        sums of their counters; empty if there are none.
        """
        return counter_table(self.frame("counters"), self.kernels)

    @property
    def _step_frames(self) -> dict[str, pd.DataFrame]:
        frames = {name: self.frame(name) for name in _STEP_FRAMES}
        return frames | {"kernels": self.kernels}

    @cached_property
    def steps(self) -> Steps:
        """Windows of the steps, and which of them count."""
        return find_steps(self._step_frames)

    @cached_property
    def training_steps(self) -> pd.DataFrame:
        """Frame `training_steps` of the run: a row for each step with its kernels' time."""
        return training_steps(self._step_frames)

    @cached_property
    def busiest(self) -> DeviceBreakdown | None:
        """Times of the device with the most busy time; None if the source does not tell the class
        of executions, or has no devices.
        """
        if not self.kernels["class"].notna().any():
            return None
        spans = device_spans(self.kernels, self.frame("tracks"))
        return busiest([device_breakdown(own, self.steps.windows) for own in spans])

    @cached_property
    def step_times(self) -> pd.DataFrame:
        """Frame `step_times` of the run: a row for each step with its duration in ns, and how it is
        filled.
        """
        return step_times(
            self.frame("tracks"), self.frame("events"), self.kernels, self.steps.windows
        )

    @cached_property
    def step_series(self) -> list[Series]:
        """Series of steps with equal names."""
        return step_series(self.step_times, self.steps.typical)

    @cached_property
    def breakdown(self) -> Breakdown:
        """Times of the devices and of their steps, and why the devices idle."""
        return breakdown(ChainMap({"kernels": self.kernels}, self._stored))  # type: ignore[arg-type]

    @cached_property
    def threads(self) -> HostThreads:
        """Events of the threads of the host."""
        return HostThreads.of(self.frame("events"), self.frame("tracks"))

    @cached_property
    def device_times(self) -> pd.DataFrame:
        """Frame `device_times`: time of each device and step by class of work."""
        return device_times(self.breakdown)

    @cached_property
    def idle_times(self) -> pd.DataFrame:
        """Frame `idle_times`: idle time of each device by reason."""
        return idle_times(self.breakdown)

    @cached_property
    def idle_gaps(self) -> pd.DataFrame:
        """Frame `idle_gaps`: the longest gaps of each device."""
        return idle_gaps(self.breakdown)

    @cached_property
    def operators(self) -> Operators:
        """Operators with their shapes, and what the file does not tell of them."""
        return operators(ChainMap({"kernels": self.kernels}, self._stored))  # type: ignore[arg-type]

    @cached_property
    def buffer_origins(self) -> pd.DataFrame:
        """Frame `buffer_origins` of the run: a row for each buffer with its origin."""
        return buffer_origins({name: self.frame(name) for name in ORIGIN_FRAMES})

    def _make_table(self, selection: Selection) -> pd.DataFrame:
        """Return the table of the selected kernels (see `kernel_table`): a row for each kernel name
        and program, with count, total time and share.
        """
        return kernel_table(select_kernels(self.kernels, selection))

    def _find_events(self, words: str) -> Found:
        """Find the events with names that contain all of the words, which spaces separate."""
        return find_events(self._index, words)
