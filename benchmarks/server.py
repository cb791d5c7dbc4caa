"""Times of a large run in a server: the analysis, and the timeline at every zoom."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd

from analysis.derive import derive
from analysis.headline import headline
from app.config.settings import load_settings
from app.views.registry import RUN, parse
from benchmarks.measure import times
from benchmarks.report import check, note, spread_text
from schema.runs import RUN as RUN_COLUMNS
from services.run.data import RunData
from services.run.data_cache import RunDataCache
from storage.repository import Repository
from storage.stored_run import StoredRun

_ZOOMS = 10
"""Number of windows."""
_CLOSEST = 1_000
"""Width of the smallest window in cycles."""
_PAUSE = 18_000
"""Cycles between two repetitions of a run."""


class FramesInMemory(Repository):
    """A repository with a single run, whose frames are in memory instead of a store."""

    def __init__(self, frames: Mapping[str, pd.DataFrame]) -> None:
        super().__init__("sqlite://", "memory://", cache_bytes=4 * 2**30)
        self.catalogue.create()  # the cache of run data looks for stored results
        self.frames = frames

    def find_run(self, run_id: str) -> StoredRun:
        rows = {name: len(frame) for name, frame in self.frames.items() if name != "run"}
        run = dict.fromkeys(RUN_COLUMNS.names) | {"run_id": run_id}
        return StoredRun("in memory", run, {}, {}, rows, {}, [], 0, 0)

    def frame_of(self, _stored: StoredRun, name: str) -> pd.DataFrame:
        return self.frames[name]


def run(store: Path, reference_s: float | None, tiles: int) -> None:
    """Print the times of analysis and timeline.

    The timeline is also measured for a run that repeats the given run `tiles` times.
    """
    begin = time.perf_counter()
    frames = stored_frames(store)
    note(
        f"reading the stored frames: {time.perf_counter() - begin:.2f} s, {len(frames['events'])} events"
    )
    _analysis(frames, reference_s)
    _timeline("1.1 M entries", frames, {"auto": 60.0, "all": 100.0})
    if tiles > 1:
        longer = repeat_run(frames, tiles)
        _timeline(
            f"{2 * len(longer['events']) / 1e6:.1f} M entries", longer, {"auto": 60.0, "all": 200.0}
        )


def stored_frames(store: Path) -> dict[str, pd.DataFrame]:
    """Return the frames of the only run of a store."""
    repository = load_settings(data=store).repository()
    run_id = str(repository.runs()["run_id"].iloc[0])
    return {name: repository.frame(run_id, name) for name in repository.frame_names(run_id)}


def repeat_run(frames: Mapping[str, pd.DataFrame], times: int) -> dict[str, pd.DataFrame]:
    """Return the frames of a run that repeats the given run `times` times."""
    tracks = frames["tracks"]
    events = frames["events"]
    period = int(tracks["last"].max()) + _PAUSE
    shifts = np.repeat(np.arange(times) * period, len(events))
    longer = pd.concat([events] * times, ignore_index=True)
    longer = longer.assign(start=longer["start"] + shifts, end=longer["end"] + shifts)
    order = np.lexsort((longer["start"], longer["lane"].cat.codes, longer["track"].cat.codes))
    longer = longer.take(order).reset_index(drop=True)
    more = (times - 1) * period
    tracks = tracks.assign(last=tracks["last"] + more, entries=tracks["entries"] * times)
    run = frames["run"]
    # Only the first repetition has a warm-up, as that of later ones is in the middle of the run.
    measured = times * (run["warmup"] + run["iterations"]) - run["warmup"]
    return {**frames, "tracks": tracks, "events": longer, "run": run.assign(iterations=measured)}


def _analysis(frames: Mapping[str, pd.DataFrame], reference_s: float | None) -> None:
    for method in ("robust", "reference"):
        took = times(partial(_analyse, frames, method), 3)
        note(f"analysis by method {method}: {spread_text(took, 's')}")
        if reference_s:
            check(
                f"analysis by method {method}, time against the script's",
                median(took) / reference_s,
                0.25,
                "x",
            )


def _analyse(frames: Mapping[str, pd.DataFrame], method: str) -> None:
    headline({**frames, **derive(frames, method)}, method)


def _timeline(
    what: str, frames: Mapping[str, pd.DataFrame], limits_ms: Mapping[str, float]
) -> None:
    """Draw windows of a run with the default lanes and with all lanes; check the slowest."""
    begin = time.perf_counter()
    data = RunDataCache(FramesInMemory(frames)).get("run", "robust", {})
    note(f"{what}: first analysis and lane index {time.perf_counter() - begin:.2f} s")
    for lanes, limit_ms in limits_ms.items():
        took = {
            window: median(times(partial(_draw, data, window, lanes), 3))
            for window in _windows(data)
        }
        note(
            f"{what}, lanes {lanes}: "
            + ", ".join(f"{w[1] - w[0]}: {s * 1e3:.0f} ms" for w, s in took.items())
        )
        check(f"{what}, slowest timeline, lanes {lanes}", max(took.values()) * 1e3, limit_ms, "ms")


def _windows(data: RunData) -> list[tuple[int, int]]:
    """Return windows from the whole run to a few kernels, each around the same time."""
    first = int(data.tracks["first"].min())
    last = int(data.tracks["last"].max())
    middle = first + int(0.37 * (last - first))
    # Each window is narrower by the same factor, as successive zooms are.
    widths = np.geomspace(last - first, _CLOSEST, _ZOOMS).astype(np.int64)
    return [
        (max(first, middle - int(w) // 2), max(first, middle - int(w) // 2) + int(w))
        for w in widths
    ]


def _draw(data: RunData, window: tuple[int, int], lanes: str) -> None:
    state = parse(f"window={window[0]}-{window[1]}&lanes={lanes}")
    timeline = next(view for view in RUN.available_plots(data) if view.id == "timeline")
    timeline.draw(data, state, "light").figure.to_json()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("store", type=Path)
    parser.add_argument("--reference-seconds", type=float)
    parser.add_argument("--tiles", type=int, default=10)
    options = parser.parse_args()
    run(options.store, options.reference_seconds, options.tiles)
