"""Split the steps of a training, the windows between neighbouring markers, by activity."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.timeline.covered import Covered
from schema.array_types import Ints
from schema.frames import build_frame

PARTS = ("kernels", "copies", "compile", "python")
"""Activities of a step; time with several activities counts for the first of them."""
IDLE = "idle"
FILLS = (*PARTS, IDLE)
BUSY = tuple(f"{part}_busy" for part in PARTS)
_DIGITS = re.compile(r"[0-9]+")
_ROWS = {"compiler": "compile", "user": "python", "other": "python"}
"""Kind of a row -> activity of its intervals."""


@dataclass(frozen=True)
class Series:
    """Series of steps: all steps with the same name, digits ignored (`step 1`, `step 2`); times in
    ns.

    `first` is the time of the first step, which compiles. `median` is the median of all other
    steps, None if there is only one step. `fill` maps each of FILLS to its median share of the time
    of the other steps, or of the only step; the shares are scaled so that their sum is 1.
    """

    name: str
    steps: int
    median: float | None
    first: int
    fill: Mapping[str, float]


def step_times(
    tracks: pd.DataFrame, events: pd.DataFrame, kernels: pd.DataFrame, markers: pd.DataFrame
) -> pd.DataFrame:
    """Compute frame `step_times`, a row per step with its times in ns; empty without two markers at
    different times.

    A step is a window between two neighbouring markers, even without kernels in it. Of several
    markers at the same time the last names the step.
    """
    windows = _windows(markers)
    start, end = (windows[name].to_numpy(np.int64) for name in ("start", "end"))
    parts = _covered_parts(tracks, events, kernels)
    columns: dict[str, object] = {
        "step": np.arange(len(start)),
        "executions": _count_begun(kernels, start, end),
    }
    columns |= {name: windows[name] for name in windows}
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


def _windows(markers: pd.DataFrame) -> pd.DataFrame:
    """Compute name, start, end and duration (ns) of the windows between neighbouring markers, a row
    each in order of time; no rows with fewer than two markers. The marker at the begin names the
    window.
    """
    last = markers.sort_values("start", kind="stable").drop_duplicates("start", keep="last")
    edges = last["start"].to_numpy(np.int64)
    names = last["name"].astype("str").tolist()[:-1]
    return pd.DataFrame(
        {"name": names, "start": edges[:-1], "end": edges[1:], "duration": np.diff(edges)}
    )


def typical_step(markers: pd.DataFrame) -> float | None:
    """Compute the median time (ns) of the steps of the main series, the name with the most steps
    (digits ignored), without its first step. None if no name has two steps.
    """
    times = series_durations(markers)
    # The first step compiles.
    return float(np.median(times[1:])) if len(times) > 1 else None


def series_durations(markers: pd.DataFrame) -> Ints:
    """Return the times (ns) of all steps of the main series, the name (digits ignored) with the
    most steps, in order. Empty if no name has two steps.
    """
    windows = _windows(markers)
    alike = max(_alike(windows["name"]), key=len, default=[])
    return np.asarray(
        windows["duration"].to_numpy(np.int64)[alike if len(alike) > 1 else []], np.int64
    )


def _alike(names: pd.Series) -> list[list[int]]:
    """Group the positions of names that are equal if digits are ignored, in the order in which the
    names first occur.
    """
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names.astype("str")):
        places.setdefault(_DIGITS.sub("", name), []).append(place)
    return list(places.values())


def _covered_parts(
    tracks: pd.DataFrame, events: pd.DataFrame, kernels: pd.DataFrame
) -> dict[str, Covered]:
    kinds = dict(zip(tracks["track"].astype("str"), tracks["kind"].astype("str"), strict=True))
    timed = kernels[kernels["start"].notna() & kernels["end"].notna()]
    copies = _is_copy(timed, kinds)
    covered = {"kernels": _covered_time(timed[~copies]), "copies": _covered_time(timed[copies])}
    parts = [_ROWS.get(kinds.get(str(track), ""), "") for track in events["track"].cat.categories]
    track = events["track"].cat.codes.to_numpy()
    rows = {
        name: np.array([part == name for part in [*parts, ""]], bool)[track]
        for name in ("compile", "python")
    }
    # Select rows from the columns: a selection from the frame would copy all columns of a million
    # rows.
    start, end = (events[name].to_numpy(np.int64) for name in ("start", "end"))
    return covered | {name: Covered.of(start[own], end[own]) for name, own in rows.items()}


def _is_copy(kernels: pd.DataFrame, kinds: Mapping[str, str]) -> npt.NDArray[np.bool_]:
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


def step_series(steps: pd.DataFrame) -> list[Series]:
    """Group frame `step_times` into series of equal names (digits ignored), in the order in which
    they begin; [] without steps.
    """
    return [_series(steps.iloc[places]) for places in _alike(steps["name"])]


def _series(steps: pd.DataFrame) -> Series:
    durations = steps["duration"].to_numpy(np.float64)
    # The first step of a series compiles and would distort the shares.
    later = steps.iloc[1:] if len(steps) > 1 else steps
    shares = np.median(
        later[list(FILLS)].to_numpy(np.float64) / later[["duration"]].to_numpy(np.float64), axis=0
    )
    return Series(
        name=_DIGITS.sub("#", str(steps["name"].iloc[0]))
        if len(steps) > 1
        else str(steps["name"].iloc[0]),
        steps=len(steps),
        median=float(np.median(durations[1:])) if len(steps) > 1 else None,
        first=int(durations[0]),
        fill=dict(zip(FILLS, (shares / (shares.sum() or 1.0)).tolist(), strict=True)),
    )


def main_series(series: list[Series]) -> Series | None:
    """Return the series with the most steps, the first of equals; None if no series has
    two steps.
    """
    several = [candidate for candidate in series if candidate.median is not None]
    return max(several, key=lambda candidate: candidate.steps) if several else None
