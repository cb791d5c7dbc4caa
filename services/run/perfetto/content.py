"""Content of a run's trace, from the frames that pages and exports use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from analysis.derive import derive
from analysis.timeline.executed import with_executions
from analysis.timeline.open_levels import hold_open_levels
from schema.array_types import Ints
from schema.frames import Frames
from schema.plurals import plural
from services.run.capabilities import Capability
from services.run.perfetto.clock import Clock
from services.run.perfetto.counters import MAX_ATTEMPTS, live_byte_counters, shown_attempts
from services.run.perfetto.nesting import nested_order, split_crossing
from services.run.perfetto.trace import Instants, Slices, Trace
from services.run.run_frames import RunFrames
from services.run.stored_frames import StoredFrames
from storage.repository import Repository

_ABOUT, _MARKERS, _KERNELS, _ITERATIONS = "about", "markers", "kernels", "iterations"


def build_trace(repository: Repository, run_id: str) -> Trace:
    """Build the trace of a run; derived frames use the default method.

    Raises RunNotFound, and ValueError if times are too large.
    """
    stored = StoredFrames(repository, run_id)
    derived = derive(stored)
    frames = RunFrames(stored, derived)
    frame_by_name = frames.frame_by_name
    run = derived["run"].iloc[0].to_dict()
    clock = Clock.of(run)
    events = hold_open_levels(frame_by_name["events"], frame_by_name["tracks"])
    # in a profile, executions on devices are only in frame `kernels`
    if frames.has_named_kernels:
        events = with_executions(events, frame_by_name["kernels"])
    slices: list[Slices] = []
    if Capability.ITERATIONS in frames.capabilities:
        # Perfetto orders threads by their numbers: they are above the events, as in the timeline
        slices += _iterations(frame_by_name["iterations"], clock)
        slices += _kernels(frame_by_name["kernels"], clock)
    slices += lane_slices(events, events["lane"], clock)
    home = f"run {run['name']}"
    markers = frame_by_name["markers"]
    instants = [
        Instants(
            home, _MARKERS, clock.nanoseconds(_whole(markers["start"])), markers["name"].tolist()
        )
    ]
    counters = live_byte_counters(frame_by_name, clock)
    extent = _extent(
        [
            *(s.begin for s in slices),
            *(s.end for s in slices),
            *(c.at for c in counters),
            instants[0].at,
        ]
    )
    slices.append(_about(home, extent, f"{clock.words()}; {_words(run, frame_by_name)}"))
    return Trace(
        _processes(home, frame_by_name["tracks"], slices, [c.process for c in counters]),
        slices,
        instants,
        counters,
    )


def lane_slices(frame: pd.DataFrame, lane: pd.Series, clock: Clock) -> Iterator[Slices]:
    """Yield the threads of intervals: a thread per track and lane (a value of `lane` per row), and
    further threads, titled `LANE (2)` and so on, for intervals that cross earlier intervals.
    """
    names = frame["name"].astype("category")
    begin = _whole(frame["start"])
    end = _whole(frame["end"])
    name = names.cat.codes.to_numpy(np.int64)
    words = [str(category) for category in names.cat.categories]
    for (track, thread), rows in frame.groupby(
        [frame["track"], lane], observed=True, sort=False
    ).indices.items():
        order = rows[nested_order(begin[rows], end[rows])]
        part = split_crossing(begin[order], end[order])
        for number in range(int(part.max()) + 1):
            mine = order[part == number]
            # Perfetto draws slices of a thread correctly only if they nest
            title = str(thread) if number == 0 else f"{thread} ({number + 1})"
            times = clock.nanoseconds(begin[mine]), clock.nanoseconds(end[mine])
            yield Slices(str(track), title, *times, name[mine], words)


def _kernels(kernels: pd.DataFrame, clock: Clock) -> Iterator[Slices]:
    timed = kernels[kernels["start"].notna() & kernels["end"].notna()]
    return lane_slices(timed, _lane(timed, _KERNELS), clock)


def _iterations(iterations: pd.DataFrame, clock: Clock) -> Iterator[Slices]:
    timed = iterations[iterations["first_start"].notna() & iterations["last_end"].notna()]
    names = [
        f"iteration {row} ({phase})"
        for row, phase in zip(timed["iteration"], timed["phase"], strict=True)
    ]
    name = pd.Series(names, timed.index, dtype="str")
    named = timed.assign(start=timed["first_start"], end=timed["last_end"], name=name)
    return lane_slices(named, _lane(named, _ITERATIONS), clock)


def _lane(frame: pd.DataFrame, name: str) -> pd.Series:
    return pd.Series(name, frame.index, name="lane", dtype="str")


def _about(home: str, extent: tuple[int, int], words: str) -> Slices:
    begin, end = (np.array([at], np.int64) for at in extent)
    return Slices(home, _ABOUT, begin, end, np.zeros(1, np.int64), [words])


def _words(run: Mapping[str, object], frame_by_name: Frames) -> str:
    """Describe the run by source, name and id, and the number of attempts that are left out, if
    there are any.
    """
    attempts = len(shown_attempts(frame_by_name["attempts"]))
    left_out = (
        f"; counters of the first {MAX_ATTEMPTS} of {plural(attempts, 'attempt')}"
        if attempts > MAX_ATTEMPTS
        else ""
    )
    return f"{run['source']} {run['name']}, run {run['run_id']}{left_out}"


def _processes(
    home: str, tracks: pd.DataFrame, slices: list[Slices], counted: list[str]
) -> list[str]:
    """Return the names of the processes in use, each once: `home` (the run's), the tracks in their
    order, then the rest.
    """
    used = dict.fromkeys([*(piece.process for piece in slices), *counted])
    ordered = [str(track) for track in tracks["track"] if str(track) in used]
    return list(dict.fromkeys([home, *ordered, *used]))


def _extent(times: list[Ints]) -> tuple[int, int]:
    ends = [(int(values.min()), int(values.max())) for values in times if len(values)]
    return (min(low for low, _ in ends), max(high for _, high in ends)) if ends else (0, 0)


def _whole(values: pd.Series) -> Ints:
    return np.asarray(values, np.int64)
