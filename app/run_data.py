"""What a run's page draws from: its frames and what the analysis makes of them, cached per process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from analysis.core_events import LOCK_STALL
from analysis.derive import derive, headline
from analysis.headline import Headline
from analysis.lanes import LaneIndex
from components.timeline_rows import TimelineData
from data_loaders.diagnostics import joined_findings
from storage.byte_cache import ByteCache
from storage.repository import Repository, frame_bytes


@dataclass(frozen=True)
class RunData:
    """A run by one method and one set of overrides; `diagnostics` has the loader's and the analysis' findings.

    `stalls` holds the lock stalls among the events, `reference` the iterations by the reference method.
    """

    run_id: str
    run: pd.DataFrame
    tracks: pd.DataFrame
    kernels: pd.DataFrame
    iterations: pd.DataFrame
    activity: pd.DataFrame
    diagnostics: pd.DataFrame
    headline: Headline
    timeline: TimelineData
    stalls: pd.DataFrame
    reference: pd.DataFrame

    @property
    def clock_hz(self) -> float:
        """Return the clock in Hz."""
        return float(self.run["clock_hz"].iloc[0])

    @property
    def unit(self) -> str:
        """Return what a tick is."""
        return str(self.run["time_unit"].iloc[0])

    @property
    def shape(self) -> tuple[int, int] | None:
        """Return rows and columns of the cores that share the work."""
        rows, cols = self.run["rows"].iloc[0], self.run["cols"].iloc[0]
        return None if pd.isna(rows) or pd.isna(cols) else (int(rows), int(cols))

    @property
    def bytes(self) -> int:
        """Return about what it takes in memory, besides the stored frames."""
        own = (self.kernels, self.iterations, self.activity, self.stalls)
        return sum(map(frame_bytes, own)) + 32 * (len(self.timeline.kept) + len(self.timeline.left_out))


def _index_bytes(index: LaneIndex) -> int:
    """Return what an index takes: its columns, and the running sums that it makes when it is first asked."""
    return 48 * len(index)


class RunDataCache:
    """The analyses used last, bounded like the repository's frames; safe to use from several threads."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._data = ByteCache[RunData](repository.cache_bytes, lambda data: data.bytes)
        self._indices = ByteCache[LaneIndex](repository.cache_bytes, _index_bytes)

    def get(self, run_id: str, method: str, overrides: Mapping[str, str]) -> RunData:
        """Return a run's data; raises RunNotFound, and ValueError for a bad override."""
        version = self._repository.version(run_id)
        key = (version, method, tuple(sorted(overrides.items())))
        return self._data.get(key, lambda: self._load(run_id, version, method, overrides))

    def _load(self, run_id: str, version: str, method: str, overrides: Mapping[str, str]) -> RunData:
        frames = {name: self._repository.frame(run_id, name) for name in self._repository.frame_names(run_id)}
        made = derive(frames, method, overrides)
        findings = joined_findings(frames["diagnostics"], made["diagnostics"])
        index = self._indices.get(version, lambda: LaneIndex.of_events(frames["events"]))
        return RunData(
            run_id=run_id,
            run=made["run"],
            tracks=frames["tracks"],
            kernels=made["kernels"],
            iterations=made["iterations"],
            activity=made["activity"],
            diagnostics=findings,
            headline=headline(made | {"diagnostics": findings}, method),
            timeline=TimelineData.of(index, made["kernels"], made["iterations"], frames["tracks"], made["run"]),
            stalls=frames["events"][frames["events"]["name"] == LOCK_STALL],
            reference=made["reference_iterations"],
        )
