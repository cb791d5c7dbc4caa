"""What a run's page draws from: its frames and what the analysis makes of them, cached per process."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.aie.core_events import LOCK_STALL
from analysis.aie.iteration_parts import PARTS, iteration_parts
from analysis.aie.window_activity import window_activity
from analysis.derive import derive, headline
from analysis.headline import Headline
from analysis.memory.attempt_map import MapFacts
from analysis.memory.index import MemoryIndex
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.levels import stacked
from analysis.timeline.rows import TimelineData
from schema.diagnostics import joined_findings
from schema.frames import complete, empty
from schema.run_settings import check_array_overrides
from schema.time_units import NANOSECONDS, NANOSECONDS_PER_S
from services.capabilities import NAMING, Capability, capabilities, memory_facts
from services.frames import made_on_demand
from services.memory import ATTEMPT_TRACKS, MemoryData, of_attempts
from services.profile import ProfileData
from services.stored_frames import StoredFrames
from storage.byte_cache import ByteCache
from storage.frame_bytes import frame_bytes
from storage.repository import Repository

_FRAMES = (
    *("tracks", "events", "kernels", "iterations", "activity", "markers"),
    *("attempts", "allocations", "steps", "buffer_uses", "launches", "counters"),
)
"""Frames that views read; empty where the run does not have them."""
_WINDOWS = 4
_PART_BYTES = 8 * (len(PARTS) + 4) + 48
"""Most that a row of `iteration_parts` takes: its numbers, its index and the name of its track."""


@dataclass(frozen=True)
class RunData:
    """A run by one method and one set of overrides; `diagnostics` has the loader's and the analysis' findings.

    `frames` names what the run has, stored and derived, `capabilities` what it can show; frames that it does not
    have are empty. `stalls` holds the lock stalls among the events, `reference` the iterations by the reference method.
    """

    run_id: str
    run: pd.DataFrame
    frames: tuple[str, ...]
    capabilities: frozenset[Capability]
    tracks: pd.DataFrame
    kernels: pd.DataFrame
    iterations: pd.DataFrame
    activity: pd.DataFrame
    diagnostics: pd.DataFrame
    headline: Headline
    timeline: TimelineData
    stalls: pd.DataFrame
    reference: pd.DataFrame
    memory: MemoryData
    profile: ProfileData

    @property
    def label(self) -> str:
        """Return what the log calls it."""
        return f"run {self.run_id}"

    @property
    def clock_hz(self) -> float:
        """Return the clock in Hz, NaN where it is not known; of times in ns what makes them seconds."""
        return NANOSECONDS_PER_S if self.unit == NANOSECONDS else float(self.run["clock_hz"].iloc[0])

    @property
    def unit(self) -> str:
        """Return what a tick is."""
        return str(self.run["time_unit"].iloc[0])

    def can(self, *needs: Capability) -> bool:
        """Return whether the run has all of these capabilities."""
        return self.capabilities.issuperset(needs)

    @property
    def shape(self) -> tuple[int, int] | None:
        """Return rows and columns of the cores that share the work."""
        rows, cols = self.run["rows"].iloc[0], self.run["cols"].iloc[0]
        return None if pd.isna(rows) or pd.isna(cols) else (int(rows), int(cols))

    @property
    def bytes(self) -> int:
        """Return about how many bytes of memory it uses, besides the stored frames."""
        own = [self.kernels, self.iterations, self.activity, self.stalls, self.memory.attempts]
        parts = _PART_BYTES * len(self.iterations)
        return sum(map(frame_bytes, own)) + parts + 32 * (len(self.timeline.kept) + len(self.timeline.left_out))

    @cached_property
    def activity_in(self) -> Callable[[tuple[int, int]], pd.DataFrame]:
        """Return what gives frame `activity` over a window of ticks; what several views ask for is made once."""
        return lru_cache(_WINDOWS)(
            lambda window: window_activity(self.activity, self.timeline.events, self.tracks, self.kernels, window)
        )

    @cached_property
    def iteration_parts(self) -> pd.DataFrame:
        """Return where the time of each iteration went on each core, made when it is first asked for."""
        return iteration_parts(self.iterations, self.kernels, self.timeline.events)


def _index_bytes(index: LaneIndex) -> int:
    """Return what an index takes: its columns, and the running sums that it makes on first use."""
    return 48 * len(index)


class RunDataCache:
    """The analyses used last, bounded like the repository's frames; safe to use from several threads."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._data = ByteCache[RunData](repository.cache_bytes, lambda data: data.bytes)
        self._indices = ByteCache[LaneIndex](repository.cache_bytes, _index_bytes)

    def version(self, run_id: str) -> str:
        """Return what changes whenever the run's stored content does; raises RunNotFound."""
        return self._repository.version(run_id)

    def get(self, run_id: str, method: str, overrides: Mapping[str, str]) -> RunData:
        """Return a run's data; raises RunNotFound, and ValueError for a bad override."""
        version = self._repository.version(run_id)
        key = (version, method, tuple(sorted(overrides.items())))
        return self._data.get(key, lambda: self._load(run_id, version, method, overrides))

    def _load(self, run_id: str, version: str, method: str, overrides: Mapping[str, str]) -> RunData:
        stored = StoredFrames(self._repository, run_id)
        check_array_overrides(stored["run"].iloc[0].to_dict(), overrides, self._repository.max_array_tiles)
        made = derive(stored, method, overrides)
        findings = joined_findings(stored["diagnostics"], made["diagnostics"])
        named = bool(NAMING & stored.keys())
        known = _with_blanks(made, stored, named)
        steps = of_attempts(known["events"], known["tracks"])
        events = known["events"][~steps]
        index = self._indices.get(version, lambda: LaneIndex.of_events(stacked(events) if named else events))
        tracks = known["tracks"][known["tracks"]["kind"] != ATTEMPT_TRACKS]
        facts = memory_facts(made["run"], known["allocations"])
        timeline = _timeline(index, known, tracks, named)
        return RunData(
            run_id=run_id,
            run=made["run"],
            frames=tuple(dict.fromkeys([*stored, *made, *made_on_demand([*stored])])),
            capabilities=capabilities([*stored], known.new_child({"events": events}), facts),
            tracks=tracks,
            kernels=known["kernels"],
            iterations=known["iterations"],
            activity=known["activity"],
            diagnostics=findings,
            headline=headline(ChainMap({"diagnostics": findings}, made, stored), method),  # type: ignore[arg-type]
            timeline=timeline,
            stalls=events[events["name"] == LOCK_STALL],
            reference=known.get("reference_iterations", empty("iterations")),
            memory=_memory(known, steps, facts),
            profile=ProfileData(stored, known["kernels"], index, timeline.extent),
        )


def _with_blanks(
    made: dict[str, pd.DataFrame], stored: Mapping[str, pd.DataFrame], named: bool
) -> ChainMap[str, pd.DataFrame]:
    """Return the derived and the stored frames, and empty ones for what views read and the run lacks."""
    blank = {name: empty(name) for name in _FRAMES}
    blank |= {"kernels": complete("kernels", {"program": []})} if named else {}
    return ChainMap(made, stored, blank)  # type: ignore[arg-type]


def _timeline(index: LaneIndex, known: ChainMap[str, pd.DataFrame], tracks: pd.DataFrame, named: bool) -> TimelineData:
    if not named:
        return TimelineData.of(index, known.new_child({"tracks": tracks}))
    # the events of a profile are its kernels already
    drawn = known.new_child({"tracks": tracks, "kernels": empty("kernels")})
    length = int(known["attempts"]["steps"].max()) if len(known["attempts"]) else 0
    return TimelineData.of(index, drawn, _copies(known["kernels"]), length, named=True)


def _copies(kernels: pd.DataFrame) -> set[str]:
    """Return the names that copies have and kernels do not."""
    name, copy = kernels["name"], kernels["copy"]
    return set(name[copy].unique()) - set(name[~copy].unique())


def _memory(known: Mapping[str, pd.DataFrame], steps: npt.NDArray[np.bool_], facts: MapFacts) -> MemoryData:
    index = MemoryIndex.of(known["attempts"], known["allocations"], known["steps"], known["buffer_uses"], facts)
    return MemoryData(index, known["allocations"], known["steps"], known["buffer_uses"], known["events"][steps])
