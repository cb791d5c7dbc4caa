"""Results of the analysis of a capture that live as long as its data are in memory."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import pandas as pd

from analysis.aie.iteration_parts import IterationTimes, iteration_times, parts_with_waiting
from analysis.aie.pace.pace import Pace, compute_pace
from analysis.aie.pace.record import PACE_RESULT, PACE_VERSION, StoredPace, read_pace
from analysis.aie.window_activity import window_activity
from analysis.timeline.lanes import LaneIndex
from schema.frames import empty
from services.run.capabilities import Capability
from services.run.run_frames import RunFrames
from storage.catalogue import Catalogue
from storage.run_results import RunResults

_LOG = logging.getLogger(__name__)
_WINDOWS = 4
"""Number of time windows whose activity is cached per capture."""


@dataclass(frozen=True)
class IterationResults:
    """Frame `iteration_parts` of a run, and its pace or the times to compute it from.

    The frame is empty, and both others are None, if kernels are not grouped into iterations.
    """

    parts: pd.DataFrame
    times: IterationTimes | None = None
    pace: Pace | None = None

    @classmethod
    def of(
        cls, frames: RunFrames, events: LaneIndex, stored: StoredPace | None
    ) -> IterationResults:
        """Return the results of a run, computed from its `frames` and the index of its events
        unless its ingest stored them.
        """
        if Capability.ITERATIONS not in frames.capabilities:
            return cls(empty("iteration_parts"))
        rows = frames.frame_by_name["iterations"]
        kernels = frames.frame_by_name["kernels"]
        # The fit of the waiting times takes most of the time of a capture's first page.
        if stored is not None:
            parts = parts_with_waiting(rows, kernels, events, stored.waiting)
            if parts is not None:
                return cls(parts, pace=stored.pace)
        times = iteration_times(rows, kernels, events)
        return cls(times.parts, times)


@dataclass(frozen=True)
class CaptureResults:
    """Activity and pace of a capture, computed when first used and cached as long as the capture is
    in memory.
    """

    activity: pd.DataFrame
    events: LaneIndex
    tracks: pd.DataFrame
    kernels: pd.DataFrame
    iterations: pd.DataFrame
    by_iteration: IterationResults

    @cached_property
    def activity_by_window(self) -> Callable[[tuple[int, int]], pd.DataFrame]:
        """Function that computes frame `activity` over a window [start, end) of ticks, for all
        views of a page.

        The results of the last _WINDOWS (4) windows are cached.
        """
        return lru_cache(_WINDOWS)(
            lambda window: window_activity(
                self.activity, self.events, self.tracks, self.kernels, window
            )
        )

    @cached_property
    def pace(self) -> Pace | None:
        """The limits of the capture's rate; `None` if kernels are not grouped into iterations."""
        # A pace that was read from the catalogue comes without the times behind it.
        if self.by_iteration.times is None:
            return self.by_iteration.pace
        return compute_pace(self.by_iteration.times, self.iterations)


def find_stored_pace(catalogue: Catalogue, run_id: str, prefix: str) -> StoredPace | None:
    """Read the pace that the ingest stored of the content with this prefix; `None` if there is
    none, as of older runs, or if it is not valid.
    """
    record = RunResults(catalogue, PACE_RESULT, PACE_VERSION).find(run_id, prefix)
    try:
        return None if record is None else read_pace(record)
    except (KeyError, TypeError, ValueError) as error:
        _LOG.warning("the stored pace of run %s is not valid: %s", run_id, error)
        return None
