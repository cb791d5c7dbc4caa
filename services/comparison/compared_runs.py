"""Runs in the form that comparisons use: derived frames with own or changed settings, and samples
of them.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from analysis.aie.iteration_parts import iteration_times, parts_with_waiting, stall_index
from analysis.aie.model.errors import model_errors, predicted_cycles
from analysis.aie.pace.record import StoredPace
from analysis.comparison.capture import Capture, ModelError
from analysis.comparison.plan import Plan
from analysis.comparison.profile import Profile
from analysis.comparison.step_parts import SideParts, side_parts
from analysis.derive import derive_compared
from analysis.memory.allocator import allocator_headline, with_peak_as_extent
from analysis.memory.headline import memory_headline
from analysis.results.numbers import NamedNumbers, named_numbers
from analysis.timeline.open_levels import hold_open_levels
from schema.contents import has_allocator_memory
from schema.frames import Frames
from schema.run_settings import check_array_overrides
from services.run.breakdown import breakdown
from services.run.capture_results import find_stored_pace
from services.run.memory import MemoryData
from services.run.run_frames import RunFrames
from services.run.stored_frames import StoredFrames
from storage.frame_bytes import frame_bytes
from storage.repository import Repository
from storage.stored_run import StoredRun

_RESULTS = ("results", "result_samples")


@dataclass(frozen=True)
class ComparedRun:
    """A run: its catalogue row, the settings that the user changed, its stored frames, and the
    derived frames (`made`).

    `stored_pace` is the pace that the ingest stored, `None` if there is none or if settings were
    changed.
    """

    stored: StoredRun
    settings: Mapping[str, str]
    frames: Frames
    made: Frames
    stored_pace: StoredPace | None = None

    @cached_property
    def record(self) -> dict[str, object]:
        """Dict of the run's facts and used settings by name (`None` if missing), its strategies,
        and the numbers of `errors` and `warnings`.
        """
        run = {str(name): None if pd.isna(value) else value for name, value in self._run.items()}
        used = {name: self._names_in_attempts(name) for name in ("strategy", "search_strategy")}
        return run | used | {"errors": self.stored.errors, "warnings": self.stored.warnings}

    def _names_in_attempts(self, column: str) -> str | None:
        """Join the distinct names in a column of frame `attempts`, such as allocators, sorted and
        separated by commas; None if there are no names.
        """
        attempts = self.run_frames.frame_by_name["attempts"]
        if not len(attempts):
            return None
        names = attempts[column].dropna().astype("str")
        return ", ".join(sorted({name for name in names if name})) or None

    @property
    def id_and_name(self) -> dict[str, str]:
        """Dict with `run_id` and `name` of the run."""
        return {"run_id": self.stored.run_id, "name": str(self.stored.run["name"])}

    @property
    def _run(self) -> dict[str, object]:
        return {str(name): value for name, value in self.made["run"].iloc[0].to_dict().items()}

    @cached_property
    def run_frames(self) -> RunFrames:
        """Stored and derived frames of the run by name, as the views of its page read them."""
        return RunFrames(self.frames, self.made)

    @cached_property
    def memory(self) -> MemoryData:
        """Data of the memory views of the run."""
        return self.run_frames.memory()

    @cached_property
    def bytes(self) -> int:
        """Estimated bytes that the run takes in a cache: derived frames, samples of them, and the
        stored frames of kernels and results that it refers to.
        """
        names = [name for name in ("kernels", *_RESULTS) if name in self.frames]
        stored_bytes = sum(frame_bytes(self.frames[name]) for name in names)
        return 3 * sum(map(frame_bytes, self.made.values())) + 2 * stored_bytes

    @cached_property
    def named_numbers(self) -> NamedNumbers:
        """The named numbers of the run with their samples; without numbers if it has no file of
        results.
        """
        results, samples = (self.run_frames.frame_by_name[name] for name in _RESULTS)
        return named_numbers(self.stored.run_id, results, samples)

    @cached_property
    def capture(self) -> Capture:
        """The run as a capture of an array of cores: derived frames of iterations and kernels,
        exclusive times of parts in ticks (`iteration_times`), and column (of the array) by track.

        The run must have frames `tracks` and `events`. Cores without a known place have no column.
        """
        tracks = self.frames["tracks"]
        events = hold_open_levels(self.frames["events"], tracks)
        iterations = self.made["iterations"]
        kernels = self.made["kernels"]
        placed = np.asarray(tracks["kind"].array == "core", bool)
        placed &= tracks["col"].notna().to_numpy(bool)
        names = map(str, tracks["track"].array[placed].tolist())
        cols = tracks["col"].array[placed].to_numpy(np.int64).tolist()
        columns = dict(zip(names, cols, strict=True))
        parts = self._iteration_parts(events)
        # Settings of the view change kernels and clock, and so what is measured.
        frames = ChainMap(dict(self.made), self.frames)  # type: ignore[arg-type]
        model = ModelError(model_errors(frames), predicted_cycles(frames, "compute"))
        return Capture(self.stored.run_id, self._run, iterations, kernels, parts, columns, model)

    def _iteration_parts(self, events: pd.DataFrame) -> pd.DataFrame:
        """Compute frame `iteration_parts`, from the waiting times of the stored pace if they fit."""
        iterations, kernels = self.made["iterations"], self.made["kernels"]
        stalls = stall_index(events)
        if self.stored_pace is not None:
            parts = parts_with_waiting(iterations, kernels, stalls, self.stored_pace.waiting)
            if parts is not None:
                return parts
        return iteration_times(iterations, kernels, stalls).parts

    @cached_property
    def plan(self) -> Plan:
        """The memory maps of the run with their exact numbers: attempts, allocations and main
        metrics.
        """
        attempts = self.made["attempts"]
        headline = memory_headline(attempts)
        if has_allocator_memory(self.frames):
            headline = allocator_headline(attempts, self.frames["device_memory"])
            attempts = with_peak_as_extent(attempts)
        return Plan(self.stored.run_id, headline, attempts, self.made["allocations"])

    @cached_property
    def step_parts(self) -> SideParts | None:
        """Parts of a step of the run as a profile; None if they are unknown."""
        return _find_parts(self)

    @cached_property
    def profile(self) -> Profile:
        """Samples of the run as a profile: kernels, markers, programs, attempts, allocations,
        buffer uses and launches.
        """
        named = (
            "kernels",
            "markers",
            "programs",
            "attempts",
            "allocations",
            "buffer_uses",
            "launches",
            "events",
            "tracks",
        )
        return Profile(self.stored.run_id, *(self.run_frames.frame_by_name[name] for name in named))


def _find_parts(run: ComparedRun) -> SideParts | None:
    """Compute the parts of a step on the device with the most busy time; None if the source does
    not tell the class of executions, or the run has no devices.
    """
    if not run.profile.kernels["class"].notna().any():
        return None
    found = breakdown(run.run_frames.frame_by_name)
    device = found.busiest
    if device is None:
        return None
    idle = next(row for row in found.idle if row.device == device.spans.device)
    return side_parts(device, idle, found.step_ns, run.profile.operator_step_times)


def compared_run(repository: Repository, run_id: str, settings: Mapping[str, str]) -> ComparedRun:
    """Load a run with the user's settings; derived frames are computed with them.

    Raises RunNotFound, and ValueError if a setting is invalid.
    """
    stored = repository.find_run(run_id)
    frames = StoredFrames(repository, run_id, "comparison")
    # If the store is remote, reading the frames one by one would wait for each of them.
    frames.read_ahead()
    # A setting is limited before anything is computed from it.
    check_array_overrides(stored.run, settings, repository.max_array_tiles)
    made = derive_compared(frames, settings)
    # Settings change the iterations, for which the ingest has no pace.
    is_default = not settings and len(made.get("iterations", ())) > 0
    pace = find_stored_pace(repository.catalogue, run_id, stored.prefix) if is_default else None
    return ComparedRun(stored, dict(settings), frames, made, pace)
