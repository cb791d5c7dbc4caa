"""The steps of a training, the same from the page and from the command line."""

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
    """Frame `step_times` of a run, and its series."""

    steps: pd.DataFrame
    series: list[Series]


def find_steps(repository: Repository, run_id: str) -> StepTimes:
    """Return the steps of a run; none of a profile without markers. Raises RunNotFound.

    Raises ValueError with a sentence for a run that is no profile.
    """
    if not has_named_kernels(repository.frame_names(run_id)):
        raise ValueError("the run is no profile of kernels, of which steps are the windows between markers")
    try:
        frame = find_frame(repository, run_id, "step_times")
    except FrameNotFound:
        return StepTimes(pd.DataFrame(), [])
    return StepTimes(frame, step_series(frame))


def steps_mapping(found: StepTimes) -> dict[str, Any]:
    """Return steps and series as JSON has them, times in ns."""
    return {
        "steps": [
            {
                "name": row["name"],
                "duration": row["duration"],
                "kernels": row["executions"],
                "fill": {part: row[part] for part in FILLS},
                "busy": {part: row[f"{part}_busy"] for part in PARTS},
            }
            for row in found.steps.to_dict("records")
        ],
        "series": [
            {"name": one.name, "steps": one.steps, "median": one.median, "first": one.first} for one in found.series
        ],
    }
