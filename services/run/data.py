"""What a run's page draws from: its frames and what the analysis makes of them, cached per process."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import pandas as pd

from analysis.aie.core_events import LOCK_STALL
from analysis.aie.iteration_parts import PARTS, IterationTimes, iteration_times
from analysis.aie.pace.pace import Pace, compute_pace
from analysis.aie.window_activity import window_activity
from analysis.derive import derive, headline
from analysis.headline import Headline
from analysis.tiling.advice import Advice
from analysis.tiling.deeploy.network_summary import Network
from analysis.timeline.lanes import LaneIndex
from analysis.timeline.rows import TimelineData
from data_loaders.registry import missing_loader
from schema.choices import METHODS
from schema.diagnostics import Diagnostic, diagnostics_frame, joined_findings
from schema.frames import empty
from schema.run_settings import check_array_overrides
from schema.time_units import NANOSECONDS, NANOSECONDS_PER_S
from services.run.advice import AdviceCache
from services.run.capabilities import Capability
from services.run.frames import frames_on_demand
from services.run.group_failures import UNKNOWN, GroupFailures, KeptFailures
from services.run.memory import MemoryData, has_failures, map_bytes
from services.run.network import summarize_network
from services.run.profile import ProfileData
from services.run.run_frames import RunFrames
from services.run.saved_placements import Kept, kept_of
from services.run.stored_frames import StoredFrames
from services.run.tiling import TilingData
from storage.byte_cache import ByteCache
from storage.frame_bytes import frame_bytes
from storage.repository import Repository
from storage.saved_placements import Heads, SavedPlacement, SavedPlacements

_WINDOWS = 4
_PART_BYTES = 8 * (len(PARTS) + 4) + 48
"""Most that a row of `iteration_parts` takes: its numbers, its index and the name of its track."""
_COUPLING_BYTES = 4 * 8
"""Most that a kernel takes of how cores are coupled."""


@dataclass(frozen=True)
class ArrayAnswers:
    """What is made of a capture's frames when it is first asked for, for as long as the capture is in memory."""

    activity: pd.DataFrame
    events: LaneIndex
    tracks: pd.DataFrame
    kernels: pd.DataFrame
    iterations: pd.DataFrame
    iteration_times: IterationTimes | None

    @cached_property
    def activity_in(self) -> Callable[[tuple[int, int]], pd.DataFrame]:
        """Return what gives frame `activity` over a window of ticks; what several views ask for is made once."""
        return lru_cache(_WINDOWS)(
            lambda window: window_activity(self.activity, self.events, self.tracks, self.kernels, window)
        )

    @cached_property
    def pace(self) -> Pace | None:
        """Return what sets the pace; None where no iteration is measured."""
        times = self.iteration_times
        return None if times is None else compute_pace(times, self.iterations, self.tracks)


@dataclass(frozen=True)
class RunData:
    """A run by one method and one set of overrides; `diagnostics` has the loader's and the analysis' findings.

    `frames` names what the run has, stored and derived, `capabilities` what it can show; frames that it does not
    have are empty. `stalls` holds the lock stalls among the events, `reference` the iterations by the reference method.
    `known` are the frames by name. `advice` is on the tile size of the run's GEMM, from other runs of it; only the data
    of a page have it.
    `iteration_times` is None where kernels are not grouped into iterations. `answers` are shared by the data of a page,
    which are made for each request, and those that they are made of.
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
    iteration_times: IterationTimes | None
    timeline: TimelineData
    stalls: pd.DataFrame
    reference: pd.DataFrame
    memory: MemoryData
    profile: ProfileData
    tiling: TilingData
    known: Mapping[str, pd.DataFrame]
    answers: ArrayAnswers
    advice: Advice | None = None

    @property
    def label(self) -> str:
        """Return what the log calls it."""
        return f"run {self.run_id}"

    def frame(self, name: str) -> pd.DataFrame:
        """Return a frame of the schema by its name, stored or derived; empty where the run does not have it."""
        return self.known[name] if name in self.known else empty(name)

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
        """Return about how many bytes of memory it uses now, besides the stored frames."""
        return self._own_bytes + self.memory.kept_bytes

    @cached_property
    def _own_bytes(self) -> int:
        own = [self.kernels, self.iterations, self.activity, self.stalls, self.memory.attempts]
        parts = _PART_BYTES * len(self.iterations) + _COUPLING_BYTES * len(self.kernels)
        lanes = 32 * (len(self.timeline.kept) + len(self.timeline.left_out))
        return sum(map(frame_bytes, own)) + parts + lanes

    @property
    def activity_in(self) -> Callable[[tuple[int, int]], pd.DataFrame]:
        """Return what gives frame `activity` over a window of ticks."""
        return self.answers.activity_in

    @property
    def pace(self) -> Pace | None:
        """Return what sets the pace; None where no iteration is measured."""
        return self.answers.pace

    @property
    def iteration_parts(self) -> pd.DataFrame:
        """Return where the time of each iteration went on each core; empty where the run has no iterations."""
        return empty("iteration_parts") if self.iteration_times is None else self.iteration_times.parts

    @cached_property
    def network(self) -> Network | None:
        """Return what all tiled operators move and need, made when first asked for; None where none are tiled."""
        return summarize_network(self.tiling, self.memory)


def _kept_bytes(kept: Kept) -> int:
    """Return what a kept answer takes, of which nothing is shared with its run."""
    return 1_000 + (0 if kept.amap is None else map_bytes(kept.amap))


def _all_kept_bytes(kept: tuple[Kept, ...]) -> int:
    return sum(map(_kept_bytes, kept))


def _join_kept(data: RunData, kept: tuple[Kept, ...], failures: GroupFailures) -> RunData:
    """Return a run's data with these answers among its attempts, and what is known of why attempts failed."""
    memory = data.memory.with_kept(kept, failures)
    several = {Capability.SEVERAL_ATTEMPTS} if len(memory.listed_attempts) > 1 else set()
    return replace(data, memory=memory, capabilities=data.capabilities | several)


def _iteration_times(frames: RunFrames, index: LaneIndex) -> IterationTimes | None:
    """Return where the time of iterations went; None of a run whose kernels are not grouped into iterations."""
    if Capability.ITERATIONS not in frames.capabilities:
        return None
    return iteration_times(frames.frame_by_name["iterations"], frames.frame_by_name["kernels"], index)


def _missing_reader(source: str) -> pd.DataFrame:
    """Return a finding about a run whose source's plugin is gone; frame `diagnostics`."""
    missing = missing_loader(source)
    if not missing:
        return empty("diagnostics")
    text = f"plugin {source} {missing}: its views are missing, and files of this kind cannot be read"
    return diagnostics_frame([Diagnostic("warning", "plugin_missing", text)])


def _index_bytes(index: LaneIndex) -> int:
    """Return what an index takes: its columns, and the running sums that it makes on first use."""
    return 48 * len(index)


class RunDataCache:
    """The analyses used last, bounded like the repository's frames; safe to use from several threads."""

    def __init__(self, repository: Repository, failures: KeptFailures | None = None) -> None:
        self._repository = repository
        self._failures = failures
        self._data = ByteCache[RunData](repository.cache, lambda data: data.bytes)
        self._indices = ByteCache[LaneIndex](repository.cache, _index_bytes)
        self._kept = SavedPlacements(repository.catalogue)
        self._all_kept = ByteCache[tuple[Kept, ...]](repository.cache, _all_kept_bytes)
        self._fitted = ByteCache[Kept](repository.cache, _kept_bytes)
        self._advices = AdviceCache(repository.catalogue)

    def version(self, run_id: str) -> str:
        """Return what changes whenever the run's stored content does; raises RunNotFound."""
        return self._repository.version(run_id)

    def shown_version(self, run_id: str) -> str:
        """Return what changes whenever `version` does, the answers kept with the run, or other runs of its GEMM."""
        advice = self._advices.version(self._repository.find_run(run_id).run)
        return f"{self.version(run_id)} {self._kept.heads(run_id)} {advice}{self.failures_version(run_id)}"

    def failures_version(self, run_id: str) -> str:
        """Return what changes when the search has been asked about a run's failed attempts; raises RunNotFound."""
        asked = self._failures is not None and self._failures.is_known(self._repository.version(run_id))
        return " searched" if asked else ""

    def get(self, run_id: str, method: str, overrides: Mapping[str, str]) -> RunData:
        """Return a run's data; raises RunNotFound, and ValueError for a bad override."""
        stored = self._repository.find_run(run_id)
        version = stored.prefix
        key = (version, stored.capture_facts, method, tuple(sorted(overrides.items())))
        self._data.measure(key)  # its maps are made when they are first looked at
        self._indices.find(version)  # in use as long as the data that hold it
        return self._data.get(key, lambda: self._load(run_id, version, method, overrides))

    def with_kept(self, run_id: str, method: str, overrides: Mapping[str, str]) -> RunData:
        """Return a run's data as its page shows them; raises as `get` does.

        Kept answers of the lab are among its attempts, and it has the advice on its tile size. Numbers, findings and
        frames are those of `get`, which comparisons, exports and gates go on with.
        """
        data = self.get(run_id, method, overrides)
        if data.can(Capability.TILING, Capability.ITERATIONS):
            data = replace(data, advice=self._advices.get(data.run.iloc[0].to_dict()))
        heads = self._kept.heads(run_id) if data.can(Capability.ADDRESSES) else ()
        # What the search found is of the file's attempts; patches of method reference are others.
        failures = self._failures_of(data) if method == METHODS[0] else UNKNOWN
        if not heads:
            return data if failures is UNKNOWN else _join_kept(data, (), failures)
        key = (self._repository.version(run_id), method, tuple(sorted(overrides.items())))
        # what is joined holds all of the run, so that it is not cached: the run could never leave memory
        kept = self._all_kept.get((key, heads), lambda: self._all_fitted(data, key, heads))
        return _join_kept(data, kept, failures)

    def _failures_of(self, data: RunData) -> GroupFailures:
        """Return what is known of why attempts failed; the search is asked about tries of an allocator alone."""
        if self._failures is None or not data.can(Capability.TRIES) or not has_failures(data.memory):
            return UNKNOWN
        return self._failures.of(self._repository.version(data.run_id))

    def _all_fitted(self, data: RunData, key: tuple[object, ...], heads: Heads) -> tuple[Kept, ...]:
        def fit_kept(row: SavedPlacement) -> Kept:
            return self._fitted.get((key, row.number, row.kept_at), lambda: kept_of(row, data.memory.index.map))

        rows = [row for row in self._kept.of(data.run_id) if (row.number, row.kept_at) in heads]
        return tuple(map(fit_kept, rows))

    def _load(self, run_id: str, version: str, method: str, overrides: Mapping[str, str]) -> RunData:
        stored = StoredFrames(self._repository, run_id, "page")
        stored.read_ahead()
        check_array_overrides(stored["run"].iloc[0].to_dict(), overrides, self._repository.max_array_tiles)
        made = derive(stored, method, overrides)
        findings = joined_findings(stored["diagnostics"], made["diagnostics"])
        frames = RunFrames(stored, made)
        known = frames.frame_by_name
        index = self.index(version, frames)
        timeline = frames.timeline(index)
        times = _iteration_times(frames, index)
        made |= {} if times is None else {"iteration_parts": times.parts}
        return RunData(
            run_id=run_id,
            run=made["run"],
            frames=tuple(dict.fromkeys([*stored, *made, *frames_on_demand(frames.contents)])),
            capabilities=frames.capabilities,
            tracks=frames.tracks,
            kernels=known["kernels"],
            iterations=known["iterations"],
            activity=known["activity"],
            diagnostics=joined_findings(findings, _missing_reader(str(made["run"]["source"].iloc[0]))),
            headline=headline(ChainMap({"diagnostics": findings}, made, stored), method),  # type: ignore[arg-type]
            iteration_times=times,
            timeline=timeline,
            stalls=frames.events[frames.events["name"] == LOCK_STALL],
            reference=known.get("reference_iterations", empty("iterations")),
            memory=frames.memory(),
            profile=ProfileData(stored, known["kernels"], index, timeline.extent),
            tiling=TilingData(stored, made["run"]),
            known=ChainMap({"diagnostics": findings}, made, stored),  # type: ignore[arg-type]
            answers=ArrayAnswers(
                known["activity"], timeline.events, frames.tracks, known["kernels"], known["iterations"], times
            ),
        )

    def index(self, version: str, frames: RunFrames) -> LaneIndex:
        """Return the index of a run's events, which are those of its stored content alone."""
        return self._indices.get(version, frames.index)
