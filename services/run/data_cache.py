"""The cache of the data of runs: it reads and analyses a run when a page first asks for it."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import pandas as pd

from analysis.aie.core_events import LOCK_STALL
from analysis.derive import derive
from analysis.headline import headline
from analysis.timeline.lanes import LaneIndex
from data_loaders.registry import missing_loader
from schema.choices import METHODS
from schema.diagnostics import Diagnostic, diagnostics_frame, joined_findings
from schema.frames import empty
from schema.run_settings import check_array_overrides
from services.run.advice import AdviceCache
from services.run.capabilities import Capability
from services.run.capture_results import CaptureResults, IterationResults, find_stored_pace
from services.run.data import RunData
from services.run.design_results import find_design
from services.run.frames import frames_on_demand
from services.run.group_failures import UNKNOWN, FailureCache, GroupFailures
from services.run.large_maps import NO_LARGE_MAPS, find_large_maps
from services.run.memory import has_failures, map_bytes
from services.run.profile import ProfileData
from services.run.rank_cache import RankCache
from services.run.run_frames import RunFrames
from services.run.saved_placements import CheckedPlacement, fit_placement
from services.run.size_sweep import SweepCache
from services.run.stored_frames import StoredFrames
from services.run.tile_version import tile_version
from services.run.tiling import TilingData
from storage.byte_cache import ByteCache
from storage.repository import Repository
from storage.saved_placements import Heads, SavedPlacement, SavedPlacements


def _saved_bytes(saved: CheckedPlacement) -> int:
    """Estimate the bytes of a saved placement, which shares no memory with its run."""
    return 1_000 + (0 if saved.amap is None else map_bytes(saved.amap))


def _saved_list_bytes(saved: tuple[CheckedPlacement, ...]) -> int:
    return sum(map(_saved_bytes, saved))


def _join_saved(
    data: RunData, saved: tuple[CheckedPlacement, ...], failures: GroupFailures
) -> RunData:
    """Return a copy of the data with these saved placements among its attempts, and the reasons of
    failed attempts.
    """
    memory = data.memory.with_saved(saved, failures)
    several = {Capability.SEVERAL_ATTEMPTS} if len(memory.listed_attempts) > 1 else set()
    return replace(data, memory=memory, capabilities=data.capabilities | several)


def _missing_reader(source: str) -> pd.DataFrame:
    """Return frame `diagnostics` with a finding if the plugin of the run's source is not installed,
    else empty.
    """
    missing = missing_loader(source)
    if not missing:
        return empty("diagnostics")
    text = f"plugin {source} {missing}: its views are not shown, and files of this source cannot be read"
    return diagnostics_frame([Diagnostic("warning", "plugin_missing", text)])


def _index_bytes(index: LaneIndex) -> int:
    """Estimate the bytes of an index: its columns, and the running sums that it computes on first
    use.
    """
    return 48 * len(index)


class RunDataCache:
    """Cache of the run data used last, bounded by the cache of the repository.

    Safe to use from several threads.
    """

    def __init__(self, repository: Repository, failures: FailureCache | None = None) -> None:
        self._repository = repository
        self._failures = failures
        self._data = ByteCache[RunData](repository.cache, lambda data: data.bytes)
        self._indices = ByteCache[LaneIndex](repository.cache, _index_bytes)
        self._saved_rows = SavedPlacements(repository.catalogue)
        self._saved_lists = ByteCache[tuple[CheckedPlacement, ...]](
            repository.cache, _saved_list_bytes
        )
        self._fitted = ByteCache[CheckedPlacement](repository.cache, _saved_bytes)
        self._advices = AdviceCache(repository.catalogue)
        self._sweeps = SweepCache(repository)
        self._ranks = RankCache(repository)

    def version(self, run_id: str) -> str:
        """Return a token that changes whenever the run's stored content does. Raises
        RunNotFound.
        """
        return self._repository.version(run_id)

    def shown_version(self, run_id: str) -> str:
        """Return a token that changes whenever the data of the run's page do.

        The page depends on the stored content, the saved placements, the other runs of its GEMM or
        its job, and the reasons of failed attempts. Raises RunNotFound.
        """
        return f"{self.own_version(run_id)} {self.other_runs(run_id)}"

    def own_version(self, run_id: str) -> str:
        """Return a token that changes whenever the data of the run's page do, except the numbers
        that the page shows of other runs.

        It also changes when the page gets or loses a view of other runs. Raises RunNotFound.
        """
        run = self._repository.find_run(run_id).run
        views = f"{self._sweeps.has_sizes(run):d}{self._ranks.has_peers(run):d}"
        heads = self._saved_rows.heads(run_id)
        return f"{self.version(run_id)} {heads} {views}{self.failures_version(run_id)}"

    def other_runs(self, run_id: str) -> str:
        """Return a token that changes whenever the other runs of the run's GEMM or job do. Raises
        RunNotFound.
        """
        run = self._repository.find_run(run_id).run
        return f"{self._advices.version(run)} {self._sweeps.version(run)}{self._ranks.version(run)}"

    def failures_version(self, run_id: str) -> str:
        """Return a token that changes when the search has explained a run's failed attempts: "
        searched" then, before that "".

        Raises RunNotFound.
        """
        is_searched = self._failures is not None and self._failures.is_known(
            self._repository.version(run_id)
        )
        return " searched" if is_searched else ""

    def get(self, run_id: str, method: str, overrides: Mapping[str, str]) -> RunData:
        """Return a run's data for a method and changed settings, from the cache if it has them.

        Raises RunNotFound, and ValueError if an override is invalid.
        """
        stored = self._repository.find_run(run_id)
        version = stored.prefix
        key = (version, stored.capture_facts, method, tuple(sorted(overrides.items())))
        # maps are computed on first use, so the size of cached data grows
        self._data.measure(key)
        # marks the index as recently used: the cached data refer to it
        self._indices.find(version)
        return self._data.get(
            key,
            lambda: replace(
                self._load(run_id, version, method, overrides), version=tile_version(stored)
            ),
        )

    def with_saved(self, run_id: str, method: str, overrides: Mapping[str, str]) -> RunData:
        """Return a run's data for its page, with saved placements and the advice on its tile size.

        Saved placements of the lab are among its attempts. Numbers, findings and frames are the
        same as those of `get`, which comparisons, exports and gates use. Raises as `get` does.
        """
        # Read before the other runs: if they change meanwhile, the page draws them again.
        data = replace(self.get(run_id, method, overrides), other_runs=self.other_runs(run_id))
        if data.can(Capability.TILING, Capability.ITERATIONS):
            run = data.run.iloc[0].to_dict()
            find_sweep = partial(self._sweeps.get, run) if self._sweeps.has_sizes(run) else None
            # Computed when a view shows it, because each ingest outdates it.
            find_advice = partial(self._advices.get, run)
            data = replace(data, find_advice=find_advice, find_sweep=find_sweep)
        if data.can(Capability.NAMED_KERNELS):
            row = self._repository.find_run(run_id).run
            if self._ranks.has_ranks(row):
                data = replace(data, find_ranks=partial(self._ranks.get, row))
        heads = self._saved_rows.heads(run_id) if data.can(Capability.ADDRESSES) else ()
        # What the search found is of the file's attempts; patches of method reference are others.
        failures = self._cached_failures(data) if method == METHODS[0] else UNKNOWN
        if not heads:
            return data if failures is UNKNOWN else _join_saved(data, (), failures)
        key = (self._repository.version(run_id), method, tuple(sorted(overrides.items())))
        # the joined data refer to all of the run: in a cache of their own they would keep it in
        # memory
        saved = self._saved_lists.get((key, heads), lambda: self._all_fitted(data, key, heads))
        return _join_saved(data, saved, failures)

    def _cached_failures(self, data: RunData) -> GroupFailures:
        """Return the reasons of failed attempts as far as they are cached, UNKNOWN without a cache
        or failed attempts.

        Only tries of an allocator are explained by a search.
        """
        if (
            self._failures is None
            or not data.can(Capability.TRIES)
            or not has_failures(data.memory)
        ):
            return UNKNOWN
        return self._failures.of(self._repository.version(data.run_id))

    def _all_fitted(
        self, data: RunData, key: tuple[object, ...], heads: Heads
    ) -> tuple[CheckedPlacement, ...]:
        def fit_saved(row: SavedPlacement) -> CheckedPlacement:
            return self._fitted.get(
                (key, row.number, row.kept_at), lambda: fit_placement(row, data.memory.index.map)
            )

        rows = [
            row for row in self._saved_rows.of(data.run_id) if (row.number, row.kept_at) in heads
        ]
        return tuple(map(fit_saved, rows))

    def _load(
        self, run_id: str, version: str, method: str, overrides: Mapping[str, str]
    ) -> RunData:
        stored = StoredFrames(self._repository, run_id, "page")
        stored.read_ahead()
        check_array_overrides(
            stored["run"].iloc[0].to_dict(), overrides, self._repository.max_array_tiles
        )
        # A result of the ingest holds for the default method and the settings of the file.
        is_default = method == METHODS[0] and not overrides
        large_maps = (
            find_large_maps(self._repository.catalogue, run_id, version, stored)
            if is_default
            else NO_LARGE_MAPS
        )
        derived = derive(stored, method, overrides, large_maps.derived)
        findings = joined_findings(stored["diagnostics"], derived["diagnostics"])
        frames = RunFrames(stored, derived)
        frame_by_name = frames.frame_by_name
        index = self.index(version, frames)
        timeline = frames.timeline(index)
        stored_pace = (
            find_stored_pace(self._repository.catalogue, run_id, version) if is_default else None
        )
        by_iteration = IterationResults.of(frames, index, stored_pace)
        if Capability.ITERATIONS in frames.capabilities:
            derived["iteration_parts"] = by_iteration.parts
        return RunData(
            run_id=run_id,
            run=derived["run"],
            frames=tuple(dict.fromkeys([*stored, *derived, *frames_on_demand(frames.contents)])),
            capabilities=frames.capabilities,
            tracks=frames.tracks,
            kernels=frame_by_name["kernels"],
            iterations=frame_by_name["iterations"],
            activity=frame_by_name["activity"],
            diagnostics=joined_findings(
                findings, _missing_reader(str(derived["run"]["source"].iloc[0]))
            ),
            headline=headline(ChainMap({"diagnostics": findings}, derived, stored), method),  # type: ignore[arg-type]
            timeline=timeline,
            stalls=frames.events[frames.events["name"] == LOCK_STALL],
            reference=frame_by_name.get("reference_iterations", empty("iterations")),
            memory=frames.memory(large_maps.occupancy),
            profile=ProfileData(stored, frame_by_name["kernels"], index, timeline.extent),
            tiling=TilingData(stored, derived["run"]),
            known=ChainMap({"diagnostics": findings}, derived, stored),  # type: ignore[arg-type]
            results=CaptureResults(
                frame_by_name["activity"],
                timeline.events,
                frames.tracks,
                frame_by_name["kernels"],
                frame_by_name["iterations"],
                by_iteration,
            ),
            design=find_design(stored),
        )

    def index(self, version: str, frames: RunFrames) -> LaneIndex:
        """Return the index of a run's events, from the cache if it has it.

        It depends on the stored content only, so all methods and overrides share it.
        """
        return self._indices.get(version, frames.index)
