"""Steps of a training run, the same for page and command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.kernels.step_times import FILLS, PARTS, Series, step_series
from schema.contents import has_named_kernels
from services.run.frames import find_frame
from storage.repository import FrameNotFound, Repository


@dataclass(frozen=True)
class StepTimes:
    """Frame `step_times` of a run, and its series of equal steps."""

    steps: pd.DataFrame
    series: list[Series]


def find_steps(repository: Repository, run_id: str) -> StepTimes:
    """Compute the steps of a run and their series; both empty if the profile has no markers.

    Raises RunNotFound, and ValueError if the run is not a profile of kernels.
    """
    if not has_named_kernels(repository.frame_names(run_id)):
        raise ValueError("the run is not a profile of kernels, so it has no steps between markers")
    try:
        frame = find_frame(repository, run_id, "step_times")
    except FrameNotFound:
        return StepTimes(pd.DataFrame(), [])
    return StepTimes(frame, step_series(frame))


def steps_mapping(times: StepTimes) -> dict[str, Any]:
    """Convert steps and series to JSON types: `steps` (name, duration, kernels, fill, busy) and
    `series` (name, steps, median, first); times are in ns.
    """
    return {
        "steps": [
            {
                "name": row["name"],
                "duration": row["duration"],
                "kernels": row["executions"],
                "fill": {part: row[part] for part in FILLS},
                "busy": {part: row[f"{part}_busy"] for part in PARTS},
            }
            for row in times.steps.to_dict("records")
        ],
        "series": [
            {
                "name": series.name,
                "steps": series.steps,
                "median": series.median,
                "first": series.first,
            }
            for series in times.series
        ],
    }
