"""The steps of a training: windows between neighbouring markers, and what fills their time."""

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
"""What a step's time is spent on, the first that is busy at a moment before the others."""
IDLE = "idle"
FILLS = (*PARTS, IDLE)
BUSY = tuple(f"{part}_busy" for part in PARTS)
_DIGITS = re.compile(r"[0-9]+")
_ROWS = {"compiler": "compile", "user": "python", "other": "python"}
"""Kind of a row -> what its intervals are."""


@dataclass(frozen=True)
class Series:
    """Steps whose names differ in digits alone: `first` is the time of the first one, which compiles; ns.

    `median` is that of all others, None of one step alone. `fill` maps each of FILLS to its median share of the time of
    the others, or of the only one; the shares are scaled so that they sum to 1.
    """

    name: str
    steps: int
    median: float | None
    first: int
    fill: Mapping[str, float]


def step_times(
    tracks: pd.DataFrame, events: pd.DataFrame, kernels: pd.DataFrame, markers: pd.DataFrame
) -> pd.DataFrame:
    """Return frame `step_times` of these frames; empty without two markers at different moments.

    A step is a window between two neighbouring markers, whether kernels ran in it or not; of several markers at one
    moment the last one names it.
    """
    windows = _windows(markers)
    start, end = (windows[name].to_numpy(np.int64) for name in ("start", "end"))
    parts = _covered_parts(tracks, events, kernels)
    columns: dict[str, object] = {"step": np.arange(len(start)), "executions": _count_begun(kernels, start, end)}
    columns |= {name: windows[name] for name in windows}
    columns |= {f"{part}_busy": parts[part].within(start, end) for part in PARTS}
    so_far, reached = np.zeros(len(start), np.int64), Covered.of(start[:0], start[:0])
    for part in PARTS:
        reached = reached.union(parts[part])
        covered = reached.within(start, end)
        columns[part] = covered - so_far
        so_far = covered
    columns[IDLE] = end - start - so_far
    return build_frame("step_times", columns)


def _windows(markers: pd.DataFrame) -> pd.DataFrame:
    """Return name, start, end and duration of the windows between markers."""
    last = markers.sort_values("start", kind="stable").drop_duplicates("start", keep="last")
    edges = last["start"].to_numpy(np.int64)
    names = last["name"].astype("str").tolist()[:-1]
    return pd.DataFrame({"name": names, "start": edges[:-1], "end": edges[1:], "duration": np.diff(edges)})


def typical_step(markers: pd.DataFrame) -> float | None:
    """Return the median time of the steps of the main series, ns; None without two steps of one name."""
    times = series_durations(markers)
    return float(np.median(times[1:])) if len(times) > 1 else None


def series_durations(markers: pd.DataFrame) -> Ints:
    """Return the times of all steps of the main series, ns, in order; none without two steps of one name."""
    windows = _windows(markers)
    alike = max(_alike(windows["name"]), key=len, default=[])
    return np.asarray(windows["duration"].to_numpy(np.int64)[alike if len(alike) > 1 else []], np.int64)


def _alike(names: pd.Series) -> list[list[int]]:
    """Return the places of names that differ in digits alone."""
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names.astype("str")):
        places.setdefault(_DIGITS.sub("", name), []).append(place)
    return list(places.values())


def _covered_parts(tracks: pd.DataFrame, events: pd.DataFrame, kernels: pd.DataFrame) -> dict[str, Covered]:
    kinds = dict(zip(tracks["track"].astype("str"), tracks["kind"].astype("str"), strict=True))
    timed = kernels[kernels["start"].notna() & kernels["end"].notna()]
    copies = _is_copy(timed, kinds)
    found = {"kernels": _covered_time(timed[~copies]), "copies": _covered_time(timed[copies])}
    parts = [_ROWS.get(kinds.get(str(track), ""), "") for track in events["track"].cat.categories]
    track = events["track"].cat.codes.to_numpy()
    rows = {name: np.array([part == name for part in [*parts, ""]], bool)[track] for name in ("compile", "python")}
    # of columns and not of the frame, which would copy the others of a million rows as well
    start, end = (events[name].to_numpy(np.int64) for name in ("start", "end"))
    return found | {name: Covered.of(start[own], end[own]) for name, own in rows.items()}


def _is_copy(kernels: pd.DataFrame, kinds: Mapping[str, str]) -> npt.NDArray[np.bool_]:
    """Return which executions move bytes: copies, and all of a file's row."""
    files = [track for track, kind in kinds.items() if kind in ("copy", "disk")]
    return np.asarray(kernels["copy"].to_numpy(bool) | kernels["track"].astype("str").isin(files).to_numpy(bool))


def _covered_time(rows: pd.DataFrame) -> Covered:
    return Covered.of(*(rows[name].to_numpy(np.int64) for name in ("start", "end")))


def _count_begun(kernels: pd.DataFrame, start: Ints, end: Ints) -> Ints:
    """Return how many executions, copies aside, begin in each window; those without a duration are left out."""
    timed = kernels[~kernels["copy"].to_numpy(bool) & kernels["duration"].notna().to_numpy(bool)]
    begins = np.sort(timed["start"].to_numpy(np.int64))
    return np.searchsorted(begins, end) - np.searchsorted(begins, start)


def step_series(steps: pd.DataFrame) -> list[Series]:
    """Return the series of frame `step_times`, in the order in which they begin."""
    return [_series(steps.iloc[places]) for places in _alike(steps["name"])]


def _series(steps: pd.DataFrame) -> Series:
    durations = steps["duration"].to_numpy(np.float64)
    later = steps.iloc[1:] if len(steps) > 1 else steps
    shares = np.median(later[list(FILLS)].to_numpy(np.float64) / later[["duration"]].to_numpy(np.float64), axis=0)
    return Series(
        name=_DIGITS.sub("#", str(steps["name"].iloc[0])) if len(steps) > 1 else str(steps["name"].iloc[0]),
        steps=len(steps),
        median=float(np.median(durations[1:])) if len(steps) > 1 else None,
        first=int(durations[0]),
        fill=dict(zip(FILLS, (shares / (shares.sum() or 1.0)).tolist(), strict=True)),
    )


def main_series(series: list[Series]) -> Series | None:
    """Return the series with the most steps, of several the first; None where no name is there twice."""
    several = [one for one in series if one.median is not None]
    return max(several, key=lambda one: one.steps) if several else None
