"""Select and order the lanes of a timeline, and compute their positions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis.timeline.counters import CounterTrack
from analysis.timeline.device_time import DeviceTime, device_times
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.levels import is_level, unite_lanes
from schema.frames import Frames, empty
from schema.time_units import NANOSECONDS, NANOSECONDS_PER_S

KERNELS = "kernels"
"""Label of the lane of a core's kernels."""
SYSTEM = "system"
_MAX_ROWS = 32
_STALLS = ("LOCK_STALL", "MEMORY_STALL", "STREAM_STALL", "CASCADE_STALL")
# Events to show for each core, from many lanes to few: the first set that fits is taken.
_CHOICES: tuple[tuple[str, ...], ...] = (
    (KERNELS, *_STALLS, "INSTR_VECTOR"),
    (KERNELS, "LOCK_STALL"),
    (KERNELS,),
)
_GROUP_GAP = 0.6
_KIND_RANKS = {"core": 0, "mem": 1, "memtile": 2, "shim": 3, "device": 0, "graph": 0, "copy": 0}
"""Rank of each kind of track in the order of display."""
_OTHER_KIND = 4
_MATTER = (
    ("device", "devices"),
    ("other", "own rows"),
    ("compiler", "compiler"),
    ("user", "methods"),
    ("graph", "graphs"),
    ("copy", "copies"),
    ("disk", "files"),
    ("gc", "collector"),
)
"""Kinds of a profile's rows and their common names, the most important load first."""


class TimelineRow(NamedTuple):
    """A lane of the timeline: its track, and its label or `kernels`."""

    track: str
    lane: str


@dataclass(frozen=True)
class TimelineData:
    """Data of a timeline; built once per run (events) and method (kernels).

    `kept` and `left_out` index kernels; the names of `left_out` are the reasons. `copies` are names
    of events that move bytes. `named` is True if the events are kernels of a source that names
    them; then lanes are levels.
    """

    events: LaneIndex
    kept: LaneIndex
    left_out: LaneIndex
    iterations: pd.DataFrame
    tracks: pd.DataFrame
    clock_hz: float | None
    unit: str
    markers: pd.DataFrame
    copies: frozenset[str] = frozenset()
    length: int = 0
    named: bool = False
    find_counters: Callable[[], Sequence[CounterTrack]] = tuple

    @classmethod
    def of(
        cls,
        events: LaneIndex,
        frames: Frames,
        copies: Collection[str] = (),
        length: int = 0,
        *,
        named: bool = False,
        find_counters: Callable[[], Sequence[CounterTrack]] = tuple,
    ) -> TimelineData:
        """Build the data from the index of frame `events` and the frames of a run.

        The frames are `kernels`, `iterations`, `tracks`, `run` and `markers`. `copies` are the
        names of a profile's copies. `length` (ticks) is the length of the profile if other views
        have data after its last event. `named`: the source names its kernels, as profiles do, and
        the events are kernels. `find_counters` computes the counters when they are first drawn.
        """
        kernels = frames["kernels"]
        run = frames["run"]
        kept = kernels["kept"].to_numpy(bool)
        unit = str(run["time_unit"].iloc[0]) if len(run) else "cycles"
        clock = run["clock_hz"].iloc[0] if len(run) else None
        # Times in nanoseconds do not depend on the clock in the run's settings.
        clock = NANOSECONDS_PER_S if unit == NANOSECONDS else clock
        return cls(
            events=events,
            kept=LaneIndex.of_kernels(kernels if kept.all() else kernels[kept]),
            left_out=_no_kernels() if kept.all() else _index_left_out(kernels[~kept]),
            iterations=frames["iterations"],
            tracks=frames["tracks"],
            clock_hz=float(clock) if clock is not None and pd.notna(clock) and clock > 0 else None,
            unit=unit,
            markers=frames["markers"],
            copies=frozenset(copies),
            length=length,
            named=named,
            find_counters=find_counters,
        )

    @cached_property
    def counters(self) -> Sequence[CounterTrack]:
        """Counters of the run over time, at most 8; empty for sources without counters."""
        return self.find_counters()

    def without_counters(self) -> TimelineData:
        """Return the same data without counters."""
        # A copy also has the properties that are computed already, such as `extent`.
        shown = copy(self)
        vars(shown)["counters"] = ()
        return shown

    @cached_property
    def unfinished_index(self) -> LaneIndex:
        """Index of the profile's events that had not ended at the end of the capture; empty for
        sources that do not name their kernels.
        """
        if not self.named:
            return _no_kernels()
        return self.events.only(np.flatnonzero(~self.events.closed))

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """Map each track of the timeline to its kind, such as `core` or `device`."""
        return dict(
            zip(self.tracks["track"].astype("str"), self.tracks["kind"].astype("str"), strict=True)
        )

    @cached_property
    def extent(self) -> tuple[int, int]:
        """Window [begin, end) in ticks that shows all events, kernels and markers of the timeline;
        (0, 1) if there are none.
        """
        extents = [index.extent for index in (self.events, self.kept, self.left_out) if len(index)]
        if len(self.markers):
            extents.append((int(self.markers["start"].min()), int(self.markers["start"].max()) + 1))
        if self.named:
            # Times count from 0, as in the memory views.
            extents.append((0, max(1, self.length)))
        return (min(e[0] for e in extents), max(e[1] for e in extents)) if extents else (0, 1)

    @cached_property
    def busy(self) -> tuple[str, LaneIndex] | None:
        """Common name and index (a lane per track) of the most important kind of rows that a
        profile has, in the order of _MATTER (devices first). None for other sources, and if it has
        no rows of a listed kind.
        """
        kinds = self.events.lanes["track"].map(self.kinds)
        for kind, name in _MATTER:
            lanes = np.flatnonzero(kinds == kind)
            if self.named and len(lanes):
                return name, unite_lanes(self.events, lanes)
        return None

    @cached_property
    def device_times(self) -> list[DeviceTime]:
        """Busy time of each device of a profile; [] for other sources."""
        return device_times(self.events, self.tracks, self.copies) if self.named else []

    def rows(self) -> list[TimelineRow]:
        """List every lane of the timeline in display order: cores first, by column and row, kernels
        above the events.

        Rows of a profile are in the order of its tracks, devices first, levels below each other.
        """
        return list(self._rows)

    @cached_property
    def _rows(self) -> Sequence[TimelineRow]:
        kernel_rows = {
            TimelineRow(t, KERNELS)
            for index in (self.kept, self.left_out)
            for t in index.lanes["track"]
        }
        lanes = self.events.lanes
        ordered = [TimelineRow(*pair) for pair in zip(lanes["track"], lanes["lane"], strict=True)]
        rank = _track_rank(self.tracks)
        last = len(rank)
        return sorted(
            [*kernel_rows, *ordered],
            key=lambda row: (rank.get(row.track, last), row.lane != KERNELS),
        )

    @cached_property
    def first_rows(self) -> frozenset[TimelineRow]:
        """Lanes to show at first if no track is selected, see `default_rows`."""
        # Each block of tiles needs them, which took as long as half of a tile.
        return frozenset(_choose_rows(self))


def default_rows(data: TimelineData, selected_track: str | None = None) -> list[TimelineRow]:
    """List the lanes to show at first, in display order: all lanes if there are at most 32, else
    fewer per core, or per track of a profile. All lanes of the selected track are always among
    them.
    """
    shown = data.first_rows
    return [row for row in data.rows() if row in shown or row.track == selected_track]


def _choose_rows(data: TimelineData) -> Sequence[TimelineRow]:
    """Choose the lanes to show at first if no track is selected."""
    rows = data.rows()
    if len(rows) <= _MAX_ROWS:
        return rows
    if data.named:
        return _by_level(rows)[:_MAX_ROWS]
    cores = set(data.kept.lanes["track"]) | set(data.left_out.lanes["track"]) or {
        row.track for row in rows
    }
    names = dict(
        zip(
            zip(data.events.lanes["track"], data.events.lanes["lane"], strict=True),
            _names(data),
            strict=True,
        )
    )
    chosen: list[TimelineRow] = []
    for choice in _CHOICES:
        chosen = [row for row in rows if row.track in cores and names.get(row, row.lane) in choice]
        if len(chosen) <= _MAX_ROWS:
            break
    return chosen or rows[:_MAX_ROWS]


def _by_level(rows: Sequence[TimelineRow]) -> list[TimelineRow]:
    """Return the rows reordered: the first row of each track, then the second of each track that
    has two, and so on.
    """
    seen: dict[str, int] = {}
    levels = []
    for row in rows:
        seen[row.track] = seen.get(row.track, 0) + 1
        levels.append(seen[row.track])
    return [rows[place] for place in np.argsort(levels, kind="stable")]


def label_parts(row: TimelineRow) -> tuple[str, str]:
    """Return the label of a row as its track and its lane; the lane is "" if it is a level of the
    track.
    """
    return row.track, "" if is_level(*row) else row.lane


def positions(rows: Sequence[TimelineRow], first: float = 0.0) -> np.ndarray:
    """Compute the vertical position of each row, float64, from `first` on: steps of 1, and 0.6 more
    between tracks.
    """
    change = np.array(
        [i > 0 and row.track != rows[i - 1].track for i, row in enumerate(rows)], dtype=float
    )
    return first + np.arange(len(rows)) + np.cumsum(change) * _GROUP_GAP


def lane_numbers(
    index: LaneIndex, rows: Sequence[TimelineRow], kernels: bool
) -> dict[int, TimelineRow]:
    """Map the lane numbers of an index to the rows that show them: only rows of kernels, or only
    other rows if `kernels` is False. Lanes without a row are missing.
    """
    at = index.numbers
    return {at[row]: row for row in rows if row in at and (row.lane == KERNELS) == kernels}


def _names(data: TimelineData) -> list[str]:
    lanes = data.events.lanes
    labels: list[str] = lanes["name"].where(lanes["name"].notna(), lanes["lane"]).tolist()
    return labels


@cache
def _no_kernels() -> LaneIndex:
    """Index without lanes; cached, because nearly every capture has one or two."""
    return LaneIndex.of_kernels(empty("kernels"))


def _index_left_out(kernels: pd.DataFrame) -> LaneIndex:
    """Index kernels that are left out by the reasons."""
    reasons = kernels["reason"].astype("str").fillna("left out")
    return LaneIndex.of_kernels(kernels.assign(name=reasons))


def _track_rank(tracks: pd.DataFrame) -> dict[str, int]:
    """Map each track to its place (from 0) in display order: cores, their memories, memtiles,
    shims, other tracks; within each by column, then row. Devices of a profile are before its hosts.
    """
    # Lists, since the tracks are few: pandas takes a millisecond to sort them.
    names = [str(track) for track in tracks["track"].array]
    places = zip(*(tracks[name].tolist() for name in ("kind", "col", "row")), strict=True)
    keys = [
        (_KIND_RANKS.get(str(kind), _OTHER_KIND), *map(_null_last, (col, row)))
        for kind, col, row in places
    ]
    order = sorted(range(len(names)), key=keys.__getitem__)
    return {names[place]: rank for rank, place in enumerate(order)}


def _null_last(number: object) -> tuple[bool, object]:
    """Return the sort key of a number that may be missing."""
    is_missing = bool(pd.isna(number))
    return is_missing, 0 if is_missing else number
