"""Steps of a profile: their windows, which of them count, and how long a typical step is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.kernels.marked_steps import (
    annotated_spans,
    lower_median,
    lower_median_duration,
    marked_steps,
)
from analysis.kernels.rank_frames import split_ranks
from schema.array_types import Ints
from schema.frames import Frames, empty
from schema.torch_profiler import OPERATOR, rank_name

DIGITS = re.compile(r"[0-9]+")
"""Parts of names that do not tell series of steps apart."""
TypicalDuration = Callable[[Ints], float | None]
"""Function that computes the typical duration of counted steps, ns; None if there is none."""


@dataclass(frozen=True)
class Steps:
    """Steps of a profile, by time.

    `windows` has a row per step: name, start, end, duration (ns), counted, left_out ("warm_up",
    "tail" or ""), and the rank of the step in a merged file (else ""), sorted by rank and start.
    `durations` are those of the counted steps of the main series, of which `typical` computes the
    typical duration. In a merged file they are those of `rank`, whose median step is the longest.
    """

    windows: pd.DataFrame
    durations: Ints
    typical: TypicalDuration
    rank: str = ""

    @property
    def typical_ns(self) -> float | None:
        """Typical duration of the main series, ns; None if it has none."""
        return self.typical(self.durations)


def find_steps(frames: Frames, prefix: str = "") -> Steps:
    """Find the steps of a profile in its frames tracks, kernels, launches, events and markers.

    They are the spans that the profiler marked as steps, else the windows between neighbouring
    markers, of which the first of each series does not count, as it compiles. `prefix` takes the
    annotations whose names begin with it. Each rank of a merged file has its own steps, and which
    of them count is decided among them.
    """
    ranks = split_ranks(frames)
    found = [(rank, _rank_steps(own, prefix, rank)) for rank, own in ranks]
    windows = [steps.windows.assign(rank=rank) for rank, steps in found]
    if len(found) == 1:
        only = found[0][1]
        return Steps(windows[0], only.durations, only.typical, found[0][0])
    # Ranks wait for each other, so that the slowest one sets the pace of the job.
    rank, slowest = max(found, key=lambda one: _middle_ns(one[1].durations))
    # The types of columns of frames without rows would be those of the result.
    filled = [frame for frame in windows if len(frame)] or windows[:1]
    joined = pd.concat(filled, ignore_index=True)
    return Steps(joined, slowest.durations, slowest.typical, rank)


def _middle_ns(durations: Ints) -> int:
    return lower_median(durations) if len(durations) else -1


def _rank_steps(frames: Frames, prefix: str, rank: str) -> Steps:
    markers = frames["markers"] if "markers" in frames else empty("markers")
    spans = markers[markers["end"].notna().to_numpy(bool)]
    if prefix:
        spans = annotated_spans(frames["events"], prefix)
        spans = spans.assign(name=[rank_name(rank, str(name)) for name in spans["name"]])
    # A rank without markers is no reason to take the windows between markers.
    if prefix or rank or len(spans):
        steps = marked_steps(spans, _work_starts(frames))
        return Steps(steps, _counted_durations(steps), lower_median_duration)
    windows = _windows(markers)
    main = max(alike(windows["name"]), key=len, default=[])
    # A name with a single step is no series.
    series = windows.iloc[main if len(main) > 1 else []]
    return Steps(windows, _counted_durations(series), median_duration)


def _counted_durations(steps: pd.DataFrame) -> Ints:
    counted = steps["counted"].to_numpy(bool)
    return np.asarray(steps["duration"].to_numpy(np.int64)[counted])


def median_duration(counted: Ints) -> float | None:
    """Compute the median of durations; None without durations."""
    return float(np.median(counted)) if len(counted) else None


def alike(names: pd.Series) -> list[list[int]]:
    """Group the positions of names that are equal if digits are ignored."""
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names.astype("str")):
        places.setdefault(DIGITS.sub("", name), []).append(place)
    return list(places.values())


def _windows(markers: pd.DataFrame) -> pd.DataFrame:
    """Compute the windows between neighbouring markers.

    Of several markers at the same time the last names the step.
    """
    last = markers.sort_values("start", kind="stable").drop_duplicates("start", keep="last")
    edges = last["start"].to_numpy(np.int64)
    names = last["name"].astype("str").reset_index(drop=True)[:-1]
    counted = np.ones(len(names), np.bool_)
    counted[[places[0] for places in alike(names) if len(places) > 1]] = False
    return pd.DataFrame(
        {
            "name": names,
            "start": edges[:-1],
            "end": edges[1:],
            "duration": np.diff(edges),
            "counted": counted,
            "left_out": np.where(counted, "", "warm_up"),
        }
    )


def _work_starts(frames: Frames) -> Ints:
    """Return when each execution was launched; of a file without devices when operators began."""
    kernels = frames["kernels"]
    if len(kernels):
        launches = frames["launches"] if "launches" in frames else empty("launches")
        start = launches["start"].to_numpy(np.int64)
        return np.asarray(start[kernels["launch"].dropna().to_numpy(np.int64)])
    events = frames["events"]
    if "category" not in events.columns:
        return np.zeros(0, np.int64)
    is_operator = (events["category"] == OPERATOR).to_numpy(bool)
    return np.asarray(events["start"].to_numpy(np.int64)[is_operator])
