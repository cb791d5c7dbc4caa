"""Where the time of each iteration went on each core: kernels, stalls, pauses, and waiting for the other cores."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pandas as pd

from analysis.aie.activity import Coverage
from analysis.aie.core_events import Ints
from analysis.aie.iterations import SYSTEM
from analysis.aie.kernel_kinds import MAIN
from analysis.timeline.lanes import LaneIndex

STALLS: Mapping[str, str] = MappingProxyType(
    {"lock": "LOCK_STALL", "memory": "MEMORY_STALL", "stream": "STREAM_STALL", "cascade": "CASCADE_STALL"}
)
"""Stall -> its event, in the order in which time that several of them cover is attributed."""
INSIDE = tuple(f"{stall}_inside" for stall in STALLS)
BETWEEN = (*(f"{stall}_between" for stall in STALLS), "idle")
PARTS = ("start_skew", "compute", *INSIDE, "other_kernels", *BETWEEN, "end_skew")
"""Columns of `iteration_parts` that add up to `elapsed`."""


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
    parts = [
        _track_parts(part, kernels[kernels["track"] == track], _stalls(events, str(track)))
        for track, part in rows.groupby("track", sort=False)
    ]
    columns = ["track", "iteration", "work_macs", "elapsed", *PARTS]
    return pd.concat(parts, ignore_index=True)[columns] if parts else rows.reindex(columns=columns)


def _core_rows(iterations: pd.DataFrame) -> pd.DataFrame:
    """Return the complete iterations of cores, with begin and end of the system's iteration."""
    frame = iterations.astype({"track": "str"})
    frame = frame[frame["complete"].astype(bool) & frame["first_start"].notna() & frame["last_end"].notna()]
    system = frame.loc[frame["track"] == SYSTEM, ["iteration", "first_start", "last_end"]]
    system = system.rename(columns={"first_start": "begin", "last_end": "stop"})
    cores = frame.loc[frame["track"] != SYSTEM, ["track", "iteration", "work_macs", "first_start", "last_end"]]
    return cores.merge(system, on="iteration").sort_values(["track", "iteration"], kind="stable", ignore_index=True)


def _stalls(events: LaneIndex, track: str) -> list[Coverage]:
    """Return what the first stall covers, the first two together, and so on, on one track."""
    lanes = np.flatnonzero((events.lanes["track"].astype("str") == track).to_numpy(bool))
    spans = [slice(int(events.offset[lane]), int(events.offset[lane + 1])) for lane in lanes]
    none = np.empty(0, np.int64)
    start, end, found = [none], [none], []
    for name in STALLS.values():
        wanted = np.flatnonzero(events.names == name)
        for span in spans:
            chosen = np.isin(events.code[span], wanted)
            start.append(events.start[span][chosen])
            end.append(events.end[span][chosen])
        found.append(Coverage.of(np.concatenate(start), np.concatenate(end)))
    return found


def _track_parts(rows: pd.DataFrame, kernels: pd.DataFrame, stalls: list[Coverage]) -> pd.DataFrame:
    whole = kernels[kernels["start"].notna() & kernels["end"].notna()]
    main, every = _covered(whole[whole["name"] == MAIN]), _covered(whole)
    begin, end, first, last = (rows[name].to_numpy(np.int64) for name in ("begin", "stop", "first_start", "last_end"))
    in_main, in_any = main.within(first, last), every.within(first, last)
    inside = [stall.common(main).within(first, last) for stall in stalls]
    between = [stall.within(first, last) - stall.common(every).within(first, last) for stall in stalls]
    return rows.assign(
        elapsed=end - begin,
        start_skew=first - begin,
        compute=in_main - inside[-1],
        other_kernels=in_any - in_main,
        idle=last - first - in_any - between[-1],
        end_skew=end - last,
        **dict(zip(INSIDE, _steps(inside), strict=True)),
        **dict(zip(BETWEEN, _steps(between), strict=False)),
    )


def _covered(kernels: pd.DataFrame) -> Coverage:
    return Coverage.of(kernels["start"].to_numpy(np.int64), kernels["end"].to_numpy(np.int64))


def _steps(growing: list[Ints]) -> list[Ints]:
    """Return what each adds to those before it."""
    return [now - before for before, now in zip([np.zeros_like(growing[0]), *growing], growing, strict=False)]
