"""Split the steps of a profile by activity, and group them in series of equal names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.kernels.rank_frames import rank_mask
from analysis.kernels.steps import DIGITS, TypicalDuration, alike, median_duration
from analysis.timeline.covered import Covered
from schema.array_types import Bools, Ints
from schema.frames import build_frame
from schema.torch_profiler import ANNOTATION, OVERHEAD, PYTHON, rank_name

PARTS = ("kernels", "copies", "compile", "profiler", "host", "python")
"""Activities of a step; time with several activities counts for the first of them."""
IDLE = "idle"
FILLS = (*PARTS, IDLE)
_ROWS = {"compiler": "compile", "user": "python", "other": "python"}
"""Kind of a row -> activity of its intervals, if they have no category."""
_HOST_KINDS = ("user", "other")
_CATEGORIES = {PYTHON: "python", OVERHEAD: "profiler", ANNOTATION: ""}
"""Category of a host's interval -> its activity; other categories are host. An annotation marks
time, so that it is none.
"""


@dataclass(frozen=True)
class Series:
    """Series of steps: all steps with the same name, digits ignored (`step 1`, `step 2`); times in
    ns.

    `median` is the typical duration of the counted steps, None if the series has only one step or
    no typical step. `first` is the duration of the first step, and `first_counts` whether it is one
    of the `counted` steps that count; `shortest` and `longest` are durations of these. `fill` maps
    each of FILLS to its share of the summed time of the counted steps.
    """

    name: str
    steps: int
    counted: int
    shortest: int
    longest: int
    median: float | None
    first: int
    first_counts: bool
    fill: Mapping[str, float]


def step_times(
    tracks: pd.DataFrame, events: pd.DataFrame, kernels: pd.DataFrame, steps: pd.DataFrame
) -> pd.DataFrame:
    """Compute frame `step_times` of steps (see `analysis.kernels.steps`), even without kernels.

    The steps of a rank of a merged file have the activities of that rank.
    """
    if not (steps["rank"] != "").any():
        return _number_steps([_rank_times(tracks, events, kernels, steps)])
    parts = []
    for rank, own in steps.groupby("rank", sort=False):
        label = str(rank)
        own_tracks, own_events, own_kernels = (
            frame[rank_mask(frame, tracks, label)] for frame in (tracks, events, kernels)
        )
        parts.append(_rank_times(own_tracks, own_events, own_kernels, own.reset_index(drop=True)))
    return _number_steps(parts)


def _number_steps(parts: list[pd.DataFrame]) -> pd.DataFrame:
    joined = pd.concat(parts, ignore_index=True)
    return joined.assign(step=np.arange(len(joined)))


def _rank_times(
    tracks: pd.DataFrame, events: pd.DataFrame, kernels: pd.DataFrame, steps: pd.DataFrame
) -> pd.DataFrame:
    start, end = (steps[name].to_numpy(np.int64) for name in ("start", "end"))
    parts = _covered_parts(tracks, events, kernels)
    columns: dict[str, object] = {
        "step": np.arange(len(start)),
        "executions": _count_begun(kernels, start, end),
    }
    columns |= {name: steps[name] for name in steps}
    columns |= {name: steps[name].replace("", None) for name in ("left_out", "rank")}
    columns |= {f"{part}_busy": parts[part].within(start, end) for part in PARTS}
    so_far = np.zeros(len(start), np.int64)
    reached = Covered.of(start[:0], start[:0])
    for part in PARTS:
        reached = reached.union(parts[part])
        covered = reached.within(start, end)
        columns[part] = covered - so_far
        so_far = covered
    columns[IDLE] = end - start - so_far
    return build_frame("step_times", columns)


def _covered_parts(
    tracks: pd.DataFrame, events: pd.DataFrame, kernels: pd.DataFrame
) -> dict[str, Covered]:
    kinds = dict(zip(tracks["track"].astype("str"), tracks["kind"].astype("str"), strict=True))
    timed = kernels[kernels["start"].notna() & kernels["end"].notna()]
    copies = _is_copy(timed, kinds)
    covered = {"kernels": _covered_time(timed[~copies]), "copies": _covered_time(timed[copies])}
    activity = _activities(events, kinds)
    # Select rows from the columns: a selection from the frame would copy all columns of a million
    # rows.
    start = events["start"].to_numpy(np.int64)
    end = events["end"].to_numpy(np.int64)
    for place, name in enumerate(PARTS):
        if name not in covered:
            own = activity == place
            covered[name] = Covered.of(start[own], end[own])
    return covered


def _activities(events: pd.DataFrame, kinds: Mapping[str, str]) -> Ints:
    """Return the position in PARTS of each event's activity, -1 if it has none."""
    track_kinds = [kinds.get(str(track), "") for track in events["track"].cat.categories]
    codes = events["track"].cat.codes.to_numpy()
    if "category" not in events.columns:
        by_track = [_place(_ROWS.get(kind, "")) for kind in track_kinds]
        return np.asarray(np.array([*by_track, -1], np.int64)[codes])
    is_host = np.array([kind in _HOST_KINDS for kind in track_kinds] + [False])[codes]
    names = [str(category) for category in events["category"].cat.categories]
    by_category = [_place(_CATEGORIES.get(name, "host")) for name in names]
    codes = events["category"].cat.codes.to_numpy()
    activity = np.array([*by_category, -1], np.int64)[codes]
    return np.where(is_host, activity, -1)


def _place(part: str) -> int:
    return PARTS.index(part) if part else -1


def _is_copy(kernels: pd.DataFrame, kinds: Mapping[str, str]) -> Bools:
    """Mask of the executions that move bytes: copies, and all executions on tracks of kind `copy`
    or `disk`.
    """
    files = [track for track, kind in kinds.items() if kind in ("copy", "disk")]
    return np.asarray(
        kernels["copy"].to_numpy(bool) | kernels["track"].astype("str").isin(files).to_numpy(bool)
    )


def _covered_time(rows: pd.DataFrame) -> Covered:
    return Covered.of(*(rows[name].to_numpy(np.int64) for name in ("start", "end")))


def _count_begun(kernels: pd.DataFrame, start: Ints, end: Ints) -> Ints:
    """Count for each window [start, end) the executions, except copies, that begin in it and have a
    duration.
    """
    timed = kernels[~kernels["copy"].to_numpy(bool) & kernels["duration"].notna().to_numpy(bool)]
    begins = np.sort(timed["start"].to_numpy(np.int64))
    return np.searchsorted(begins, end) - np.searchsorted(begins, start)


def step_series(steps: pd.DataFrame, typical: TypicalDuration = median_duration) -> list[Series]:
    """Compute the series of frame `step_times`, by rank, and in the order in which they begin.

    `typical` computes the typical duration of the counted steps of a series.
    """
    ranks = steps["rank"].astype("object").fillna("").astype("str")
    return [
        _series(own.iloc[places], typical, str(rank))
        for rank, own in steps.groupby(ranks, sort=False)
        for places in alike(own["name"])
    ]


def _series(steps: pd.DataFrame, typical: TypicalDuration, rank: str) -> Series:
    counted = steps[steps["counted"].to_numpy(bool)]
    sums = counted[list(FILLS)].to_numpy(np.float64).sum(axis=0)
    has_several = len(steps) > 1
    name = str(steps["name"].iloc[0])
    # Digits of the rank stay: each rank has series of its own.
    own_name = name.removeprefix(rank_name(rank, ""))
    return Series(
        name=rank_name(rank, DIGITS.sub("#", own_name)) if has_several else name,
        steps=len(steps),
        counted=len(counted),
        shortest=int(counted["duration"].min()),
        longest=int(counted["duration"].max()),
        median=typical(counted["duration"].to_numpy(np.int64)) if has_several else None,
        first=int(steps["duration"].iloc[0]),
        first_counts=bool(steps["counted"].iloc[0]),
        fill=dict(zip(FILLS, (sums / (sums.sum() or 1.0)).tolist(), strict=True)),
    )


def main_series(series: list[Series]) -> Series | None:
    """Return the series with the most steps, the first of equals; None if no series has
    two steps.
    """
    several = [candidate for candidate in series if candidate.median is not None]
    return max(several, key=lambda candidate: candidate.steps) if several else None
