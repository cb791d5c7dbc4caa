"""Steps of a profile, the same for page and command line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.kernels.step_times import FILLS, PARTS, Series, step_series, step_times
from analysis.kernels.steps import find_steps
from schema.contents import has_named_kernels
from services.run.stored_frames import StoredFrames
from storage.repository import Repository


@dataclass(frozen=True)
class StepTimes:
    """Frame `step_times` of a run, its series of equal steps, and their typical time in ns."""

    steps: pd.DataFrame
    series: list[Series]
    typical_ns: float | None


def find_step_times(repository: Repository, run_id: str, prefix: str = "") -> StepTimes:
    """Compute the steps of a run; empty if the profile has no markers.

    `prefix` takes the annotations whose names begin with it as steps. Raises RunNotFound, and
    ValueError if the run is not a profile of kernels.
    """
    frames = StoredFrames(repository, run_id)
    if not has_named_kernels(frames):
        raise ValueError("the run is not a profile of kernels, so it has no steps")
    steps = find_steps(frames, prefix)
    times = step_times(frames["tracks"], frames["events"], frames["kernels"], steps.windows)
    return StepTimes(times, step_series(times, steps.typical), steps.typical_ns)


def steps_mapping(times: StepTimes) -> dict[str, Any]:
    """Convert steps and series to JSON types; times are in ns.

    `steps` has name, rank, duration, counted, left_out (the reason or None), kernels, fill and busy
    of each step, `step_ns` the typical duration, and `series` name, steps, counted, median and
    first of each series.
    """
    return {
        "steps": [
            {
                "name": row["name"],
                "rank": row["rank"] if isinstance(row["rank"], str) else None,
                "duration": row["duration"],
                "counted": row["counted"],
                "left_out": row["left_out"] if isinstance(row["left_out"], str) else None,
                "kernels": row["executions"],
                "fill": {part: row[part] for part in FILLS},
                "busy": {part: row[f"{part}_busy"] for part in PARTS},
            }
            for row in times.steps.to_dict("records")
        ],
        "step_ns": times.typical_ns,
        "series": [
            {
                "name": series.name,
                "steps": series.steps,
                "counted": series.counted,
                "median": series.median,
                "first": series.first,
            }
            for series in times.series
        ],
    }
