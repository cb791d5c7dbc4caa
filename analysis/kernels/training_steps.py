"""Compute the steps of a profile in which kernels ran, with the kernels' time."""

from __future__ import annotations

import numpy as np
import pandas as pd

from analysis.kernels.step_work import steps_of_executions
from analysis.kernels.steps import find_steps
from schema.frames import Frames, build_frame


def training_steps(frames: Frames) -> pd.DataFrame:
    """Compute frame `training_steps`, a row per step to which a kernel belongs, whether the step
    counts or not; empty without steps.

    `frames` are tracks, kernels, launches, markers and events. Copies, executions without a duration, and
    executions in no step are left out.
    """
    kernels = frames["kernels"]
    windows = find_steps(frames).windows
    step = steps_of_executions(frames, windows)
    works = ~kernels["copy"].to_numpy(bool) & kernels["duration"].notna().to_numpy(bool)
    chosen = works & (step >= 0)
    rows = kernels[chosen]
    steps, place = np.unique(step[chosen], return_inverse=True)
    operations = rows["operations"].to_numpy(np.float64, na_value=np.nan)
    has_operations = np.bincount(place, weights=np.isfinite(operations), minlength=len(steps)) > 0
    summed = np.bincount(place, weights=np.nan_to_num(operations), minlength=len(steps))
    durations = rows["duration"].to_numpy(np.float64)
    own = windows.iloc[steps]
    return build_frame(
        "training_steps",
        {
            "step": steps.astype(np.int64),
            "name": own["name"].astype("str").tolist(),
            "rank": own["rank"].replace("", None).tolist(),
            "start": own["start"].to_numpy(np.int64),
            "end": own["end"].to_numpy(np.int64),
            "kernels": np.bincount(place, minlength=len(steps)).astype(np.int64),
            "kernel_time": np.bincount(place, weights=durations, minlength=len(steps)),
            "operations": np.where(has_operations, summed, np.nan),
        },
    )
