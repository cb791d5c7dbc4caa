"""What a run's page draws from: its frames and what the analysis makes of them, cached per process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass

import pandas as pd

from analysis.core_events import LOCK_STALL
from analysis.derive import derive, headline
from analysis.headline import Headline
from analysis.lanes import LaneIndex
from app.run_frames import joined_findings
from components.timeline_rows import TimelineData
from storage.repository import Repository

_MOST_RUNS = 12
"""Analyses kept per process; the frames they rest on are bounded by the repository's own cache."""


@dataclass(frozen=True)
class RunData:
    """A run by one method and one set of overrides; `diagnostics` has the loader's and the analysis' findings.

    `stalls` holds the lock stalls among the events.
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


class RunDataCache:
    """The analyses used last; safe to use from several threads."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._held: OrderedDict[Hashable, object] = OrderedDict()
        self._lock = threading.RLock()

    def get(self, run_id: str, method: str, overrides: Mapping[str, str]) -> RunData:
        """Return a run's data; raises RunNotFound, and ValueError for a bad override."""
        version = self._repository.version(run_id)
        key = (version, method, tuple(sorted(overrides.items())))
        data = self._once(key, lambda: self._load(run_id, version, method, overrides))
        assert isinstance(data, RunData)  # noqa: S101 - keys of three parts hold nothing else
        return data

    def _once(self, key: Hashable, make: Callable[[], object]) -> object:
        """Return what was made for the key, made once however many threads ask."""
        with self._lock:
            if key not in self._held:
                self._held[key] = make()
            self._held.move_to_end(key)
            while len(self._held) > 2 * _MOST_RUNS:
                self._held.popitem(last=False)
            return self._held[key]

    def _load(self, run_id: str, version: str, method: str, overrides: Mapping[str, str]) -> RunData:
        frames = {name: self._repository.frame(run_id, name) for name in self._repository.frame_names(run_id)}
        made = derive(frames, method, overrides)
        index = self._once(("lanes", version), lambda: LaneIndex.of_events(frames["events"]))
        assert isinstance(index, LaneIndex)  # noqa: S101 - so for these keys
        return RunData(
            run_id=run_id,
            run=made["run"],
            tracks=frames["tracks"],
            kernels=made["kernels"],
            iterations=made["iterations"],
            activity=made["activity"],
            diagnostics=joined_findings(frames["diagnostics"], made["diagnostics"]),
            headline=headline(made, method),
            timeline=TimelineData.of(index, made["kernels"], made["iterations"], frames["tracks"], made["run"]),
            stalls=frames["events"][frames["events"]["name"] == LOCK_STALL],
        )
