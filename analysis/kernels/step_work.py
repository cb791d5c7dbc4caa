"""Executions of a profile by the counted step to which they belong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.kernels.rank_frames import rank_mask, tracks_of
from analysis.kernels.steps import find_steps
from schema.array_types import Bools, Floats, Ints
from schema.frames import Frames, empty


@dataclass(frozen=True)
class StepWork:
    """The counted steps of a profile, and the executions in them.

    `numbers` are the ranks of the counted steps among all steps. `place` has for each row of frame
    `kernels` the position of its step in `numbers`, -1 if it is in no counted step.
    """

    numbers: Ints
    place: Ints

    def __len__(self) -> int:
        return len(self.numbers)

    def sums(self, values: Floats, chosen: Bools) -> Floats:
        """Sum the values (an element per row of `kernels`) of the chosen rows by counted step."""
        rows = chosen & (self.place >= 0)
        sums = np.bincount(self.place[rows], weights=values[rows], minlength=len(self.numbers))
        return np.asarray(sums, np.float64)

    def grouped_time(self, column: str, kernels: pd.DataFrame, chosen: Bools) -> dict[str, float]:
        """Compute the time of the chosen executions in a counted step for each value of a column of
        texts ("" for null), ns: their sum divided by the number of steps.

        Without counted steps the whole capture counts as a step. A value without an execution in it
        is missing.
        """
        rows = chosen & (self.place >= 0) if len(self) else chosen
        own = kernels[rows & kernels["duration"].notna().to_numpy(bool)]
        values = own[column].astype("object").fillna("").astype("str")
        sums = own["duration"].astype("int64").groupby(values).sum()
        steps = max(1, len(self))
        return {str(value): int(total) / steps for value, total in sums.items()}


def find_step_work(frames: Frames) -> StepWork:
    """Assign the executions of a profile to its counted steps.

    `frames` are tracks, kernels, launches, markers and events. A window between two markers counts only if
    a kernel belongs to it, as the markers of some sources divide more than steps.
    """
    kernels = frames["kernels"]
    windows = find_steps(frames).windows
    step = steps_of_executions(frames, windows)
    counted = windows["counted"].to_numpy(bool)
    if not frames["markers"]["end"].notna().any():
        works = ~kernels["copy"].to_numpy(bool) & kernels["duration"].notna().to_numpy(bool)
        own = step[works & (step >= 0)]
        counted = counted & (np.bincount(own, minlength=len(windows)) > 0)
    numbers = np.flatnonzero(counted)
    # The last element is for executions in no step, whose step is -1.
    rank = np.full(len(windows) + 1, -1)
    rank[numbers] = np.arange(len(numbers))
    return StepWork(numbers, rank[step])


def steps_of_executions(frames: Frames, windows: pd.DataFrame) -> Ints:
    """Return for each row of frame `kernels` the position of its step in `windows`, -1 if none.

    An execution belongs to the step of its rank that launched it; if that is not known, to the step
    in which it begins. `windows` is a result of `find_steps`.
    """
    kernels = frames["kernels"]
    moments, is_known = _moments(kernels, frames.get("launches", empty("launches")))
    step = np.full(len(kernels), -1)
    tracks = tracks_of(frames)
    for rank, own in windows.groupby("rank", sort=False):
        rows = is_known & rank_mask(kernels, tracks, str(rank))
        place = np.searchsorted(own["start"].to_numpy(np.int64), moments[rows], side="right") - 1
        end = own["end"].to_numpy(np.int64)[np.maximum(place, 0)]
        is_inside = (place >= 0) & (moments[rows] < end)
        step[rows] = np.where(is_inside, own.index.to_numpy(np.int64)[place], -1)
    return step


def _moments(kernels: pd.DataFrame, launches: pd.DataFrame) -> tuple[Ints, Bools]:
    """Compute the moment that assigns each execution to a step, ns, and whether it is known."""
    moments = kernels["start"].to_numpy(np.int64, na_value=0)
    is_known = kernels["start"].notna().to_numpy(bool)
    # Other sources name the launch from which a graph of kernels was recorded, in an earlier step.
    if not kernels["class"].notna().any():
        return moments, is_known
    launch = kernels["launch"].to_numpy(np.int64, na_value=-1)
    is_launched = launch >= 0
    moments = moments.copy()
    moments[is_launched] = launches["start"].to_numpy(np.int64)[launch[is_launched]]
    return moments, is_known | is_launched
