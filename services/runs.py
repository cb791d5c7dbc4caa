"""What a run's page draws from: its frames and what the analysis makes of them, cached per process."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import pandas as pd

from analysis.aie.core_events import LOCK_STALL
from analysis.aie.iteration_parts import PARTS, iteration_parts
from analysis.aie.window_activity import window_activity
from analysis.derive import derive, headline
from analysis.headline import Headline
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.rows import TimelineData
from schema.diagnostics import joined_findings
from schema.frames import empty
from schema.run_settings import check_array_overrides
from schema.time_units import NANOSECONDS, NANOSECONDS_PER_S
from services.capabilities import Capability
from services.frames import made_on_demand
from services.lab.kept import Kept, kept_of
from services.memory import MemoryData, map_bytes
from services.profile import ProfileData
from services.run_frames import RunFrames
from services.stored_frames import StoredFrames
from services.tiling import TilingData
from storage.byte_cache import ByteCache
from storage.frame_bytes import frame_bytes
from storage.kept_answers import Heads, KeptAnswer, KeptAnswers
from storage.repository import Repository

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
    tiling: TilingData

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


def _kept_bytes(kept: Kept) -> int:
    """Return what a kept answer takes, of which nothing is shared with its run."""
    return 1_000 + (0 if kept.amap is None else map_bytes(kept.amap))


def _all_kept_bytes(kept: tuple[Kept, ...]) -> int:
    return sum(map(_kept_bytes, kept))


def _joined(data: RunData, kept: tuple[Kept, ...]) -> RunData:
    """Return a run's data with these answers among its attempts."""
    memory = data.memory.with_kept(kept)
    several = {Capability.SEVERAL_ATTEMPTS} if len(memory.listed) > 1 else set()
    return replace(data, memory=memory, capabilities=data.capabilities | several)


def _index_bytes(index: LaneIndex) -> int:
    """Return what an index takes: its columns, and the running sums that it makes on first use."""
    return 48 * len(index)


class RunDataCache:
    """The analyses used last, bounded like the repository's frames; safe to use from several threads."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._data = ByteCache[RunData](repository.cache_bytes, lambda data: data.bytes)
        self._indices = ByteCache[LaneIndex](repository.cache_bytes, _index_bytes)
        self._kept = KeptAnswers(repository.catalogue)
        self._all_kept = ByteCache[tuple[Kept, ...]](repository.cache_bytes, _all_kept_bytes)
        self._fitted = ByteCache[Kept](repository.cache_bytes, _kept_bytes)

    def version(self, run_id: str) -> str:
        """Return what changes whenever the run's stored content does; raises RunNotFound."""
        return self._repository.version(run_id)

    def shown_version(self, run_id: str) -> str:
        """Return what changes whenever `version` does, or the answers that are kept with the run."""
        return f"{self.version(run_id)} {self._kept.heads(run_id)}"

    def get(self, run_id: str, method: str, overrides: Mapping[str, str]) -> RunData:
        """Return a run's data; raises RunNotFound, and ValueError for a bad override."""
        version = self._repository.version(run_id)
        key = (version, method, tuple(sorted(overrides.items())))
        return self._data.get(key, lambda: self._load(run_id, version, method, overrides))

    def with_kept(self, run_id: str, method: str, overrides: Mapping[str, str]) -> RunData:
        """Return a run's data with the kept answers of the lab among its attempts; raises as `get` does.

        Numbers, findings and frames are those of `get`, which comparisons, exports and gates go on with.
        """
        data = self.get(run_id, method, overrides)
        heads = self._kept.heads(run_id) if data.can(Capability.ADDRESSES) else ()
        if not heads:
            return data
        key = (self._repository.version(run_id), method, tuple(sorted(overrides.items())))
        # what is joined holds all of the run, so that it is not cached: the run could never leave memory
        return _joined(data, self._all_kept.get((key, heads), lambda: self._all_fitted(data, key, heads)))

    def _all_fitted(self, data: RunData, key: tuple[object, ...], heads: Heads) -> tuple[Kept, ...]:
        def fitted(row: KeptAnswer) -> Kept:
            return self._fitted.get((key, row.number, row.kept_at), lambda: kept_of(row, data.memory.index.map))

        rows = [row for row in self._kept.of(data.run_id) if (row.number, row.kept_at) in heads]
        return tuple(map(fitted, rows))

    def _load(self, run_id: str, version: str, method: str, overrides: Mapping[str, str]) -> RunData:
        stored = StoredFrames(self._repository, run_id)
        check_array_overrides(stored["run"].iloc[0].to_dict(), overrides, self._repository.max_array_tiles)
        made = derive(stored, method, overrides)
        findings = joined_findings(stored["diagnostics"], made["diagnostics"])
        frames = RunFrames(stored, made)
        known = frames.known
        index = self.index(version, frames)
        timeline = frames.timeline(index)
        return RunData(
            run_id=run_id,
            run=made["run"],
            frames=tuple(dict.fromkeys([*stored, *made, *made_on_demand([*stored], [*made])])),
            capabilities=frames.capabilities,
            tracks=frames.tracks,
            kernels=known["kernels"],
            iterations=known["iterations"],
            activity=known["activity"],
            diagnostics=findings,
            headline=headline(ChainMap({"diagnostics": findings}, made, stored), method),  # type: ignore[arg-type]
            timeline=timeline,
            stalls=frames.events[frames.events["name"] == LOCK_STALL],
            reference=known.get("reference_iterations", empty("iterations")),
            memory=frames.memory(),
            profile=ProfileData(stored, known["kernels"], index, timeline.extent),
            tiling=TilingData(stored, made["run"]),
        )

    def index(self, version: str, frames: RunFrames) -> LaneIndex:
        """Return the index of a run's events, which are those of its stored content alone."""
        return self._indices.get(version, frames.index)
