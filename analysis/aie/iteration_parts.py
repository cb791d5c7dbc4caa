"""Split the time of each iteration on each core: kernels, stalls, pauses, waiting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.aie.activity import Coverage
from analysis.aie.core_coverage import STALLS, KernelCoverage, StallCoverage
from analysis.aie.iterations import measured_iterations, system_mask
from analysis.aie.pace.kernel_grid import fill_lost_times
from analysis.aie.pace.waiting import (
    SharedIterations,
    find_shared_iterations,
    find_waiting,
    move_waiting,
)
from analysis.timeline.lanes import LaneIndex
from schema.array_types import Floats, Ints

INSIDE = tuple(f"{stall}_inside" for stall in STALLS)
BETWEEN = (*(f"{stall}_between" for stall in STALLS), "idle")
PARTS = ("start_skew", "compute", *INSIDE, "other_kernels", *BETWEEN, "waiting", "end_skew")
"""Columns of `iteration_parts` that together make up an iteration: in each row they sum to
`elapsed`.
"""
OWN_STALLS = {f"{stall}_stall": (f"{stall}_inside", f"{stall}_between") for stall in STALLS}
"""Stall -> its columns of `iteration_parts`, without the time of waiting for other cores."""
SLACK = ("waiting", "end_skew")
"""Columns of `iteration_parts` in which a core has no work because another core is slower."""


@dataclass(frozen=True)
class IterationTimes:
    """Frame `iteration_parts` of a capture, and the iterations for its pace, if any."""

    parts: pd.DataFrame
    shared: SharedIterations | None


def iteration_times(
    iterations: pd.DataFrame, kernels: pd.DataFrame, events: LaneIndex
) -> IterationTimes:
    """Split the time of the complete iterations of a capture into exclusive parts.

    The result has a row per core and iteration. Columns of `parts`: track (str), iteration,
    work_macs (float64), elapsed (of the system's iteration) and PARTS (int64, ticks).
    `start_skew` and `end_skew` are the time before the core's first and after its last kernel.
    `compute` is time in main kernels without a stall, `other_kernels` time in kernels of other
    kinds. `*_inside` are stalls in main kernels, `*_between` stalls outside of any kernel; each
    tick counts for the first stall of STALLS that covers it. `waiting` is the time in lock stalls
    outside of kernels for blocks that another core holds up. `idle` is the rest.

    The cores of an iteration are the cores that its system row is computed from. O((kernels +
    iterations) log events).
    """
    # A kernel that lost a marker would otherwise count as a gap.
    kernels = fill_lost_times(kernels)
    stalls = StallCoverage(events)
    parts = _exclusive_parts(iterations, kernels, stalls)
    measured = iterations.loc[measured_iterations(iterations), "iteration"].to_numpy(np.int64)
    shared = find_shared_iterations(measured, parts, iterations, kernels, stalls)
    return IterationTimes(move_waiting(parts, find_waiting(parts, shared)), shared)


def parts_with_waiting(
    iterations: pd.DataFrame, kernels: pd.DataFrame, events: LaneIndex, waiting: Ints
) -> pd.DataFrame | None:
    """Compute frame `iteration_parts` from its known column `waiting` (ticks), without the fit of
    `iteration_times`, which takes most of its time.

    None if `waiting` does not have a time for each row, of at most the row's lock stalls.
    """
    parts = _exclusive_parts(iterations, fill_lost_times(kernels), StallCoverage(events))
    stalled = parts["lock_between"].to_numpy(np.int64)
    # Times of another capture, or from a damaged record, would make up stalls that never were.
    if len(waiting) != len(stalled) or (waiting < 0).any() or (waiting > stalled).any():
        return None
    return move_waiting(parts, waiting)


def parts_by_events(
    iterations: pd.DataFrame, kernels: pd.DataFrame, events: pd.DataFrame
) -> pd.DataFrame:
    """Compute frame `iteration_parts` (a row per core and complete iteration with exclusive times
    in ticks, see `iteration_times`) from frames, when there is no index of the events.
    """
    return times_by_events(iterations, kernels, events).parts


def times_by_events(
    iterations: pd.DataFrame, kernels: pd.DataFrame, events: pd.DataFrame
) -> IterationTimes:
    """Compute `iteration_times` from frames, if there is no index of the events."""
    return iteration_times(iterations, kernels, stall_index(events))


def stall_index(events: pd.DataFrame) -> LaneIndex:
    """Index the stalls among the events, which is quicker than to index all."""
    return LaneIndex.of_events(events[events["name"].isin(list(STALLS.values()))])


def time_share(parts: pd.DataFrame, columns: Sequence[str]) -> float | None:
    """Compute the share (0 to 1) of the summed `columns` of `iteration_parts` in the summed
    `elapsed`. None without rows, or if no time elapsed.
    """
    elapsed = float(parts["elapsed"].sum())
    # Column by column: pandas takes longer to select several columns than to sum them.
    time = sum(float(parts[name].sum()) for name in columns)
    return time / elapsed if elapsed > 0 else None


def _exclusive_parts(
    iterations: pd.DataFrame, kernels: pd.DataFrame, stalls: StallCoverage
) -> pd.DataFrame:
    """Compute frame `iteration_parts` with `waiting` 0: all lock stalls outside of kernels count as
    the core's own. A row per core and complete iteration, sorted by both.
    """
    rows = _CoreRows.of(iterations)
    ran = KernelCoverage.of(kernels)
    columns = {name: np.zeros(len(rows.track), np.int64) for name in ("elapsed", *PARTS)}
    for track, own in adjacent_rows(rows.track.tolist()):
        main, every = ran.track_coverage(track)
        own_times = [time[own] for time in rows.times]
        track_parts = _track_parts(own_times, main, every, stalls.track_coverage(track))
        for name, values in track_parts.items():
            columns[name][own] = values
    track = pd.array(rows.track, dtype="str")
    return pd.DataFrame(
        {"track": track, "iteration": rows.iteration, "work_macs": rows.work_macs} | columns
    )


class _CoreRows(NamedTuple):
    """Complete iterations of cores, sorted by track and iteration.

    `times` are begin and stop of the system's iteration, then the first start and last end of the
    core's (ticks).
    """

    track: npt.NDArray[np.object_]
    iteration: Ints
    work_macs: Floats
    times: list[Ints]

    @classmethod
    def of(cls, iterations: pd.DataFrame) -> _CoreRows:
        """Select the rows of a frame `iterations`. An iteration that the system does not complete,
        or without times, is left out.
        """
        # Arrays, since each frame in between costs as much as all rows of a small capture.
        begin, end = (iterations[name] for name in ("first_start", "last_end"))
        usable = iterations["complete"].to_numpy(bool) & ~(begin.isna() | end.isna()).to_numpy(bool)
        number = iterations["iteration"].to_numpy(np.int64)
        first, last = (time.to_numpy(np.int64, na_value=0) for time in (begin, end))
        is_system = system_mask(iterations)
        system = np.flatnonzero(usable & is_system)
        system = system[np.argsort(number[system], kind="stable")]
        cores = np.flatnonzero(usable & ~is_system & np.isin(number, number[system]))
        tracks = iterations["track"].to_numpy(object)
        rank = {track: at for at, track in enumerate(sorted(set(tracks[cores].tolist())))}
        ranks = np.array([rank[track] for track in tracks[cores].tolist()], np.int64)
        cores = cores[np.lexsort((number[cores], ranks))]
        whole = system[np.searchsorted(number[system], number[cores])]
        times = [first[whole], last[whole], first[cores], last[cores]]
        work = iterations["work_macs"].to_numpy(np.float64)[cores]
        return cls(tracks[cores], number[cores], work, times)


def adjacent_rows(tracks: list[str]) -> Iterator[tuple[str, slice]]:
    """Yield each track and the slice of its rows, in order; rows of a track must be adjacent."""
    first = 0
    for track, rows in groupby(tracks):
        last = first + len(list(rows))
        yield track, slice(first, last)
        first = last


def _track_parts(
    times: list[Ints], main: Coverage, every: Coverage, stalls: list[Coverage]
) -> dict[str, Ints]:
    """Compute the columns of `iteration_parts` for a track's rows (ticks), by name; `waiting` is
    missing.

    `times` holds begin and end of the system's iteration, then first start and last end of the
    core's kernels. `stalls` is cumulative, as from `StallCoverage`.
    """
    begin, end, first, last = times
    in_main = main.within(first, last)
    in_any = every.within(first, last)
    inside, between = _stall_times(stalls, main, every, first, last)
    return {
        "elapsed": end - begin,
        "start_skew": first - begin,
        "compute": in_main - inside[-1],
        "other_kernels": in_any - in_main,
        "idle": last - first - in_any - between[-1],
        "end_skew": end - last,
        **dict(zip(INSIDE, _steps(inside), strict=True)),
        **dict(zip(BETWEEN, _steps(between), strict=False)),
    }


def _stall_times(
    stalls: list[Coverage], main: Coverage, every: Coverage, first: Ints, last: Ints
) -> tuple[list[Ints], list[Ints]]:
    """Compute two lists of times (ticks, an array of rows per stall): in main kernels, and outside
    of any kernel.

    Lists are cumulative: the entry of a stall includes all stalls before it.
    """
    inside: list[Ints] = []
    between: list[Ints] = []
    for place, stall in enumerate(stalls):
        if place and stall is stalls[place - 1]:
            inside.append(inside[-1])
            between.append(between[-1])
            continue
        inside.append(stall.common(main).within(first, last))
        between.append(stall.within(first, last) - stall.common(every).within(first, last))
    return inside, between


def _steps(growing: list[Ints]) -> list[Ints]:
    """Compute the differences of consecutive cumulative times, a list of equal length: the first as
    it is, then each minus the times before it.
    """
    return [
        now - before
        for before, now in zip([np.zeros_like(growing[0]), *growing], growing, strict=False)
    ]
