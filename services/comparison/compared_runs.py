"""Runs as they are compared: what is derived of each, by its own settings or a user's, and made samples of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from analysis.aie.iteration_parts import parts_by_events
from analysis.comparison.capture import Capture
from analysis.comparison.plan import Plan
from analysis.comparison.profile import Profile
from analysis.derive import derive_compared
from analysis.memory.headline import memory_headline
from schema.run_settings import check_array_overrides
from services.run.memory import MemoryData
from services.run.run_frames import RunFrames
from services.run.stored_frames import StoredFrames
from storage.frame_bytes import frame_bytes
from storage.repository import Repository
from storage.stored_run import StoredRun


@dataclass(frozen=True)
class ComparedRun:
    """A run: its row, the settings that a user gave, its stored frames, and what the analysis makes of them."""

    stored: StoredRun
    settings: Mapping[str, str]
    frames: Mapping[str, pd.DataFrame]
    made: Mapping[str, pd.DataFrame]

    @property
    def record(self) -> dict[str, object]:
        """Return its settings as computed with, and how many errors and warnings it has."""
        run = {str(name): None if pd.isna(value) else value for name, value in self._run.items()}
        used = {name: self._names_in_attempts(name) for name in ("strategy", "search_strategy")}
        return run | used | {"errors": self.stored.errors, "warnings": self.stored.warnings}

    def _names_in_attempts(self, column: str) -> str | None:
        """Join the names in a column of frame `attempts`, such as allocators; None without names."""
        attempts = self.run_frames.frame_by_name["attempts"]
        names = attempts[column].dropna().astype("str")
        return ", ".join(sorted({name for name in names if name})) or None

    @property
    def id_and_name(self) -> dict[str, str]:
        """Return its id and its name."""
        return {"run_id": self.stored.run_id, "name": str(self.stored.run["name"])}

    @property
    def _run(self) -> dict[str, object]:
        return {str(name): value for name, value in self.made["run"].iloc[0].to_dict().items()}

    @cached_property
    def run_frames(self) -> RunFrames:
        """Return its frames as views read them."""
        return RunFrames(self.frames, self.made)

    @cached_property
    def memory(self) -> MemoryData:
        """Return what the views of memory draw from."""
        return self.run_frames.memory()

    @property
    def bytes(self) -> int:
        """Return about how many bytes of memory it takes: what was made, samples of it, frames that it keeps."""
        kept = frame_bytes(self.frames["kernels"]) if "kernels" in self.frames else 0
        return 3 * sum(map(frame_bytes, self.made.values())) + 2 * kept

    @cached_property
    def capture(self) -> Capture:
        """Return a capture of an array as samples."""
        tracks, events = self.frames["tracks"], self.frames["events"]
        iterations, kernels = self.made["iterations"], self.made["kernels"]
        placed = tracks.loc[tracks["col"].notna() & (tracks["kind"] == "core"), ["track", "col"]]
        columns = dict(zip(placed["track"].astype("str"), placed["col"].astype(int), strict=True))
        parts = parts_by_events(iterations, kernels, events)
        return Capture(self.stored.run_id, self._run, iterations, kernels, parts, columns)

    @cached_property
    def plan(self) -> Plan:
        """Return memory maps as exact numbers."""
        attempts = self.made["attempts"]
        return Plan(self.stored.run_id, memory_headline(attempts), attempts, self.made["allocations"])

    @cached_property
    def profile(self) -> Profile:
        """Return a profile as samples."""
        named = ("kernels", "markers", "programs", "attempts", "allocations", "buffer_uses", "launches")
        return Profile(self.stored.run_id, *(self.run_frames.frame_by_name[name] for name in named))


def compared_run(repository: Repository, run_id: str, settings: Mapping[str, str]) -> ComparedRun:
    """Return a run with a user's settings; raises RunNotFound, and ValueError (one sentence) for a bad setting."""
    stored, frames = repository.find_run(run_id), StoredFrames(repository, run_id, "comparison")
    frames.read_ahead()
    check_array_overrides(stored.run, settings, repository.max_array_tiles)
    return ComparedRun(stored, dict(settings), frames, derive_compared(frames, settings))
