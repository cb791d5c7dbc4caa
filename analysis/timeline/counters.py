"""Counters over the time of a run, and their level of detail: lowest and highest value per stretch."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from schema.array_types import Floats, Ints
from schema.frames import Frames

BYTES = "bytes"
RATE = "bytes/s"
CALLS = "executions"
_NAMES = {CALLS: "waiting", RATE: "rate"}
"""Unit of a derived counter -> its name."""
DERIVED_UNITS = frozenset(_NAMES)
MAX_TRACKS = 8
"""Maximum number of counters that a timeline draws."""
_MAX_OF_KIND = 2
"""Maximum number of counters of a derived kind that a timeline draws."""
_MEMORY = (" allocated", " reserved", "memory in use", "memory in use, highest", "arena held")
"""Ends of the names of counters that loaders record in bytes; other counters have no known unit."""


@dataclass(frozen=True)
class Steps:
    """A counter in a window, int64 `start` (ticks) ascending: from there to the next start its
    values are between `low` and `high` (float64), which are equal if it does not change.
    """

    start: Ints
    low: Floats
    high: Floats

    def __len__(self) -> int:
        """Return the number of stretches."""
        return len(self.start)


@dataclass(frozen=True)
class CounterTrack:
    """A counter of a device or stream: from each time `at` (ticks, rising) it has a `value` until
    the next; before the first it is not known. `unit` is "" if the file does not tell it. `lanes`
    are the tracks of the executions that it is derived from, () for a counter of the file.
    """

    track: str
    name: str
    unit: str
    at: Ints
    value: Floats
    lanes: tuple[str, ...] = ()

    @property
    def limits(self) -> tuple[float, float]:
        """Lowest and highest value of the whole run, 0 included."""
        return min(0.0, float(self.value.min())), max(0.0, float(self.value.max()))

    def steps(self, window: tuple[int, int], columns: int) -> Steps:
        """Compute at most `columns` + 1 stretches of the window [begin, end) (ticks): every value
        if they are so few, else lowest and highest of equal columns.
        """
        begin, end = window
        first = max(int(np.searchsorted(self.at, begin, "right")) - 1, 0)
        last = int(np.searchsorted(self.at, end, "left"))
        start = np.maximum(self.at[first:last], begin)
        value = self.value[first:last]
        if len(start) <= columns:
            return Steps(start, value, value)
        # As floats, since the product of a long window and a column has more than 64 bits.
        edges = begin + (np.arange(columns) * ((end - begin) / columns)).astype(np.int64)
        return _reduce(start, value, edges[np.append(edges[1:], end) > start[0]])


def _reduce(start: Ints, value: Floats, edges: Ints) -> Steps:
    """Compute lowest and highest value from each edge to the next; equal neighbours are joined."""
    place = np.searchsorted(start, edges, "left")
    # The value at an edge, which holds until the first change in its column.
    carried = value[np.maximum(np.searchsorted(start, edges, "right") - 1, 0)]
    low = carried.copy()
    high = carried.copy()
    changed = np.flatnonzero(np.diff(place, append=len(start)) > 0)
    low[changed] = np.minimum(carried[changed], np.minimum.reduceat(value, place[changed]))
    high[changed] = np.maximum(carried[changed], np.maximum.reduceat(value, place[changed]))
    is_new = np.append(True, (np.diff(low) != 0) | (np.diff(high) != 0))
    return Steps(np.maximum(edges, start[0])[is_new], low[is_new], high[is_new])


def counter_tracks(frames: Frames) -> list[CounterTrack]:
    """List the counters of a run over time: waiting executions, rates of copies, then the counters of the
    file; at most MAX_TRACKS (8), of each derived kind the 2 with most changes.

    Waiting executions and rates are computed as by HTA (Holistic Trace Analysis).
    """
    derived = []
    kernels = frames["kernels"]
    # Only traces of GPUs class their kernels, and only in them hosts wait for queues of a device.
    if "class" in kernels and kernels["class"].notna().any():
        derived = [*_busiest(_queues(frames)), *_busiest(_copy_rates(frames))]
    return [*derived, *_of_file(frames["counters"])][:MAX_TRACKS]


def _busiest(tracks: list[CounterTrack]) -> list[CounterTrack]:
    order = sorted(tracks, key=lambda track: (-len(track.at), track.track, track.name))
    return order[:_MAX_OF_KIND]


def _of_file(counters: pd.DataFrame) -> list[CounterTrack]:
    sampled = counters[counters["start"].notna() & counters["instance"].isna()]
    tracks = []
    for (track, name), rows in sampled.groupby(["track", "name"], observed=True, sort=False):
        unit = BYTES if str(name).endswith(_MEMORY) else ""
        at = rows["start"].to_numpy(np.int64)
        tracks.append(_settle(str(track), str(name), unit, at, rows["value"].to_numpy(np.float64)))
    return [track for track in tracks if track is not None]


def _queues(frames: Frames) -> list[CounterTrack]:
    """Count, for each track, the executions that were launched and have not begun yet."""
    launches = frames["launches"]
    kernels = frames["kernels"]
    if not len(launches) or "launch" not in kernels:
        return []
    called = pd.Series(launches["start"].to_numpy(np.int64), launches["kernel"].to_numpy(np.int64))
    known = kernels[kernels["launch"].notna() & kernels["start"].notna()]
    begin = known["start"].to_numpy(np.int64)
    launch = called.reindex(known["launch"].to_numpy(np.int64)).to_numpy(np.float64)
    # Clocks of host and device may differ: an execution before its launch has not waited.
    waited = np.isfinite(launch) & (launch <= begin)
    tracks = known["track"].astype("str").to_numpy(object)[waited]
    one = np.ones(int(waited.sum()))
    queues = _sums(tracks, CALLS, launch[waited].astype(np.int64), begin[waited], one)
    return [replace(queue, lanes=(queue.track,)) for queue in queues]


def _copy_rates(frames: Frames) -> list[CounterTrack]:
    """Sum the rates of the copies that run at a time, for each name of copies."""
    kernels = frames["kernels"]
    if "memory_rate" not in kernels or "copy" not in kernels:
        return []
    copies = kernels[kernels["copy"].fillna(value=False).astype(bool)]
    copies = copies[copies["memory_rate"].notna() & copies["end"].notna()]
    begin, end = (copies[side].to_numpy(np.int64) for side in ("start", "end"))
    names, tracks = (copies[part].astype("str").to_numpy(object) for part in ("name", "track"))
    rates = _sums(names, RATE, begin, end, copies["memory_rate"].to_numpy(np.float64))
    return [replace(rate, lanes=tuple(pd.unique(tracks[names == rate.track]))) for rate in rates]


def _sums(
    tracks: npt.NDArray[np.object_], unit: str, begin: Ints, end: Ints, amount: Floats
) -> list[CounterTrack]:
    """Sum the amounts that hold from begin to end, for each track."""
    found = []
    codes, uniques = pd.factorize(tracks)
    for code, track in enumerate(uniques.tolist()):
        own = codes == code
        at = np.concatenate([begin[own], end[own]])
        change = np.concatenate([amount[own], -amount[own]])
        order = np.argsort(at, kind="stable")
        summed = np.cumsum(change[order])
        # Sums of rates leave a rest of rounding where no copy runs.
        summed[np.abs(summed) < amount[own].max() * 1e-9] = 0
        found.append(_settle(str(track), _NAMES[unit], unit, at[order], summed))
    return [track for track in found if track is not None]


def _settle(track: str, name: str, unit: str, at: Ints, value: Floats) -> CounterTrack | None:
    """Build a counter of the last finite value at each time; None without a finite value."""
    finite = np.isfinite(value)
    order = np.argsort(at[finite], kind="stable")
    at = at[finite][order]
    value = value[finite][order]
    last = np.append(np.diff(at) > 0, True)[: len(at)]
    return CounterTrack(track, name, unit, at[last], value[last]) if len(at) else None
