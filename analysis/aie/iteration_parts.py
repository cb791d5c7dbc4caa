"""Where the time of each iteration went on each core: kernels, stalls, pauses, and waiting for the other cores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from types import MappingProxyType

import numpy as np
import pandas as pd

from analysis.aie.activity import Coverage
from analysis.aie.iterations import SYSTEM
from analysis.aie.kernel_kinds import MAIN
from analysis.timeline.lanes import LaneIndex
from schema.array_types import Bools, Ints

STALLS: Mapping[str, str] = MappingProxyType(
    {"lock": "LOCK_STALL", "memory": "MEMORY_STALL", "stream": "STREAM_STALL", "cascade": "CASCADE_STALL"}
)
"""Stall -> its event, in the order in which time that several of them cover is attributed."""
INSIDE = tuple(f"{stall}_inside" for stall in STALLS)
BETWEEN = (*(f"{stall}_between" for stall in STALLS), "idle")
PARTS = ("start_skew", "compute", *INSIDE, "other_kernels", *BETWEEN, "end_skew")
"""Columns of `iteration_parts` that add up to `elapsed`."""

_NONE = np.empty(0, np.int64)


def iteration_parts(iterations: pd.DataFrame, kernels: pd.DataFrame, events: LaneIndex) -> pd.DataFrame:
    """Return a row per core and complete iteration: the elapsed time of the system's iteration in exclusive parts.

    Columns: track (str), iteration, work_macs (float64), elapsed and PARTS (int64, ticks). `start_skew` and `end_skew`
    lie before the core's first kernel and after its last one; `compute` is time in main kernels without a stall;
    `*_inside` are stalls in main kernels, `*_between` stalls outside of any kernel, each tick given to the first stall
    of STALLS that covers it; `other_kernels` is time in kernels of other kinds; `idle` is the rest, also the time of
    kernels whose markers were lost. Cores of an iteration are those that its system row rests on.
    O((kernels + iterations) log events).
    """
    rows = _core_rows(iterations)
    ran, stalls = _Kernels.of(kernels), _Stalls(events)
    times = [rows[name].to_numpy(np.int64) for name in ("begin", "stop", "first_start", "last_end")]
    columns = {name: np.zeros(len(rows), np.int64) for name in ("elapsed", *PARTS)}
    tracks = rows["track"].tolist()
    for track, own in _spans(tracks):
        made = _track_parts([time[own] for time in times], *ran.covered(track), stalls.covered(track))
        for name, values in made.items():
            columns[name][own] = values
    return rows[["track", "iteration", "work_macs"]].assign(**columns)


def parts_by_events(iterations: pd.DataFrame, kernels: pd.DataFrame, events: pd.DataFrame) -> pd.DataFrame:
    """Return `iteration_parts` of frames, where no index of the events is there."""
    stalls = events[events["name"].isin(list(STALLS.values()))]
    return iteration_parts(iterations, kernels, LaneIndex.of_events(stalls))


def _core_rows(iterations: pd.DataFrame) -> pd.DataFrame:
    """Return the complete iterations of cores, with begin and end of the system's iteration."""
    frame = iterations.astype({"track": "str"})
    frame = frame[frame["complete"].astype(bool) & frame["first_start"].notna() & frame["last_end"].notna()]
    system = frame.loc[frame["track"] == SYSTEM, ["iteration", "first_start", "last_end"]]
    system = system.rename(columns={"first_start": "begin", "last_end": "stop"})
    cores = frame.loc[frame["track"] != SYSTEM, ["track", "iteration", "work_macs", "first_start", "last_end"]]
    return cores.merge(system, on="iteration").sort_values(["track", "iteration"], kind="stable", ignore_index=True)


def _spans(tracks: list[str]) -> Iterator[tuple[str, slice]]:
    """Give each track and its rows, which lie together."""
    first = 0
    for track, rows in groupby(tracks):
        last = first + len(list(rows))
        yield track, slice(first, last)
        first = last


@dataclass(frozen=True)
class _Kernels:
    """When main kernels and kernels of any kind run, those of a track together."""

    start: Ints
    end: Ints
    is_main: Bools
    rows: Mapping[str, Ints]

    @classmethod
    def of(cls, kernels: pd.DataFrame) -> _Kernels:
        start, end = (kernels[name].to_numpy(np.int64, na_value=0) for name in ("start", "end"))
        whole = np.flatnonzero((kernels["start"].notna() & kernels["end"].notna()).to_numpy(bool))
        code, tracks = pd.factorize(kernels["track"].array[whole])
        order = np.argsort(code, kind="stable")
        limits = np.searchsorted(code[order], np.arange(len(tracks) + 1))
        rows = {str(track): whole[order[limits[at] : limits[at + 1]]] for at, track in enumerate(tracks)}
        return cls(start, end, (kernels["name"] == MAIN).to_numpy(bool), rows)

    def covered(self, track: str) -> tuple[Coverage, Coverage]:
        """Return what the main kernels of a track cover, and what all do."""
        every = self.rows.get(track, _NONE)
        main = every[self.is_main[every]]
        return Coverage.of(self.start[main], self.end[main]), Coverage.of(self.start[every], self.end[every])


class _Stalls:
    """When cores wait for what."""

    def __init__(self, events: LaneIndex) -> None:
        self._events = events
        self._wanted = [np.flatnonzero(events.names == name) for name in STALLS.values()]
        self._lanes: dict[str, list[slice]] = {}
        offset = events.offset.tolist()
        for lane, track in enumerate(events.lanes["track"].tolist()):
            self._lanes.setdefault(str(track), []).append(slice(offset[lane], offset[lane + 1]))

    def covered(self, track: str) -> list[Coverage]:
        """Return what the first stall covers, the first two together, and so on; the same object where none is new."""
        start, end = [_NONE], [_NONE]
        found = [Coverage.of(_NONE, _NONE)]
        for wanted in self._wanted:
            before = len(start)
            for span in self._lanes.get(track, []) if len(wanted) else []:
                chosen = np.isin(self._events.code[span], wanted)
                if chosen.any():
                    start.append(self._events.start[span][chosen])
                    end.append(self._events.end[span][chosen])
            is_new = len(start) > before
            found.append(Coverage.of(np.concatenate(start), np.concatenate(end)) if is_new else found[-1])
        return found[1:]


def _track_parts(times: list[Ints], main: Coverage, every: Coverage, stalls: list[Coverage]) -> dict[str, Ints]:
    """Return the columns of a track's rows; `times` are begin and end of the system, then of the core."""
    begin, end, first, last = times
    in_main, in_any = main.within(first, last), every.within(first, last)
    inside, between = _stalled(stalls, main, every, first, last)
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


def _stalled(
    stalls: list[Coverage], main: Coverage, every: Coverage, first: Ints, last: Ints
) -> tuple[list[Ints], list[Ints]]:
    """Return the time of each stall and those before it in main kernels, and outside of any kernel."""
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
    """Return what each adds to those before it."""
    return [now - before for before, now in zip([np.zeros_like(growing[0]), *growing], growing, strict=False)]
