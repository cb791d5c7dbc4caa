"""Stored and derived frames of a run as views read them: empty if the run lacks a frame."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import pandas as pd

from analysis.memory.index import MemoryIndex
from analysis.timeline.counters import counter_tracks
from analysis.timeline.executed import with_executions
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.levels import stack_events
from analysis.timeline.open_levels import hold_open_levels
from analysis.timeline.rows import TimelineData
from schema.array_types import Bools
from schema.contents import has_named_kernels
from schema.frames import Frames, complete, empty
from services.run.capabilities import Capability, RunContents
from services.run.memory import ATTEMPT_TRACKS, MemoryData, attempt_event_mask

_FRAMES = (
    *("tracks", "events", "kernels", "iterations", "activity", "markers", "programs"),
    *("attempts", "allocations", "steps", "buffer_uses", "launches", "counters", "tilings"),
    *("event_links", "contexts", "calls", "results", "result_samples"),
)
"""Frames that views read, and that are empty if the run does not have them."""


@dataclass(frozen=True)
class RunFrames:
    """The stored frames of a run, and the frames that the analysis derived (`made`)."""

    stored: Frames
    made: Frames

    @cached_property
    def frame_by_name(self) -> ChainMap[str, pd.DataFrame]:
        """Every frame by its name; a derived frame hides the stored frame of the same name.

        Frames of _FRAMES that the run lacks are empty; other missing names raise KeyError.
        """
        missing = [name for name in _FRAMES if name not in self.made and name not in self.stored]
        blank = {name: empty(name) for name in missing}
        if "kernels" in blank and self.has_named_kernels:
            blank["kernels"] = complete("kernels", {"program": []})
        return ChainMap(dict(self.made), self.stored, blank)  # type: ignore[arg-type]

    @property
    def has_named_kernels(self) -> bool:
        """Whether the source of the run names its kernels, so that it is a profile."""
        return has_named_kernels(self.stored)

    @cached_property
    def steps(self) -> Bools:
        """Mask of the events that are time steps of attempts, a bool for each row of frame
        `events`.
        """
        return attempt_event_mask(self.frame_by_name["events"], self.frame_by_name["tracks"])

    @cached_property
    def events(self) -> pd.DataFrame:
        """Events of the run's timeline, without the time steps of attempts; for profiles they
        include the executions on devices.
        """
        events = self.frame_by_name["events"][~self.steps]
        return (
            with_executions(events, self.frame_by_name["kernels"])
            if self.has_named_kernels
            else hold_open_levels(events, self.frame_by_name["tracks"])
        )

    @cached_property
    def tracks(self) -> pd.DataFrame:
        """Tracks of the run's timeline, without the tracks of attempts."""
        tracks = self.frame_by_name["tracks"]
        return tracks[tracks["kind"] != ATTEMPT_TRACKS]

    @cached_property
    def contents(self) -> RunContents:
        """Names and frames of the run from which the rules decide on its capabilities."""
        return RunContents([*self.stored], self.frame_by_name, lambda: self.events)

    @property
    def capabilities(self) -> frozenset[Capability]:
        """Capabilities of the run whose rules hold."""
        return self.contents.capabilities

    def index(self) -> LaneIndex:
        """Build the index of the timeline's events; those of a profile are stacked into lanes
        first.
        """
        return LaneIndex.of_events(
            stack_events(self.events) if self.has_named_kernels else self.events
        )

    def timeline(self, index: LaneIndex) -> TimelineData:
        """Return the data of the timeline views; `index` has the run's events by lane, as
        `RunFrames.index` returns it.
        """
        frames = self.frame_by_name.new_child({"tracks": self.tracks})
        if not self.has_named_kernels:
            return TimelineData.of(index, frames)
        # the events of a profile already include its kernels, which would be drawn twice
        drawn = frames.new_child({"kernels": empty("kernels")})
        length = int(frames["attempts"]["steps"].max()) if len(frames["attempts"]) else 0
        return TimelineData.of(
            index,
            drawn,
            _copies(frames["kernels"]),
            length,
            named=True,
            find_counters=partial(counter_tracks, frames),
        )

    def memory(self, stored_occupancy: pd.DataFrame | None = None) -> MemoryData:
        """Build the data of the memory views, without saved placements; without attempts if the run
        has none.

        `stored_occupancy` has the rows of frame `occupancy` that are stored.
        """
        frames = self.frame_by_name
        blocks = frames["allocations"]
        steps = frames["steps"]
        uses = frames["buffer_uses"]
        index = MemoryIndex.of(
            frames["attempts"],
            blocks,
            steps,
            uses,
            self.contents.facts,
            stored_occupancy=stored_occupancy,
        )
        events = frames["events"][self.steps]
        numbers = self._attempts_of_file()
        return MemoryData(index, blocks, steps, uses, events, attempts_of_file=numbers)

    def _attempts_of_file(self) -> Mapping[int, int]:
        """Map attempts that the analysis renumbered to the number of the file's attempt that begins
        on the same line; empty if no number differs or frame `attempts` is not both stored and
        derived.
        """
        if "attempts" not in self.stored or "attempts" not in self.made:
            return {}
        own = self.stored["attempts"].dropna(subset="line").drop_duplicates("line")
        both = self.made["attempts"][["attempt", "line"]].merge(
            own[["attempt", "line"]], on="line", suffixes=("", "_of_file")
        )
        moved = both[both["attempt"] != both["attempt_of_file"]]
        numbers = moved["attempt"].tolist()
        return dict(zip(numbers, moved["attempt_of_file"].tolist(), strict=True))


def _copies(kernels: pd.DataFrame) -> set[str]:
    """Return the names that only copies have, among the executions of `kernels`."""
    name = kernels["name"]
    copy = kernels["copy"]
    return set(name[copy].unique()) - set(name[~copy].unique())
