"""Samples of a profile: its steps, its kernels, and the memory of its devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from analysis.comparison.sampled import Samples
from analysis.kernels.step_work import StepWork, find_step_work
from analysis.kernels.steps import find_steps
from analysis.memory.clamped import device_peaks
from schema.array_types import Bools, Floats
from schema.frames import Frames, empty

_NONE = np.empty(0, np.float64)
"""Durations of a kernel without runs."""


@dataclass(frozen=True)
class Profile:
    """Frames of a profile: kernels, markers, programs, `devices` (frame attempts with its numbers),
    `buffers`.

    `buffers` is frame allocations, `uses` is frame buffer_uses, `launches` is frame launches.
    """

    run_id: str
    kernels: pd.DataFrame
    markers: pd.DataFrame
    programs: pd.DataFrame
    devices: pd.DataFrame
    buffers: pd.DataFrame
    uses: pd.DataFrame
    launches: pd.DataFrame
    events: pd.DataFrame = field(default_factory=lambda: empty("events"))
    tracks: pd.DataFrame = field(default_factory=lambda: empty("tracks"))

    @cached_property
    def runs(self) -> pd.DataFrame:
        """Executions of kernels with a duration in the profile, copies left out, sorted by start:
        name (str), start, duration (ns), operations, run, program.
        """
        kernels = self.kernels[~self.kernels["copy"] & self.kernels["duration"].notna()]
        chosen = kernels[["name", "start", "duration", "operations", "run", "program"]]
        typed = chosen.astype(
            {"name": "str", "start": "int64", "duration": "float64", "operations": "float64"}
        )
        return typed.sort_values("start", kind="stable", ignore_index=True)

    @cached_property
    def steps(self) -> StepWork:
        """The counted steps of the profile and the executions in them; no steps without markers."""
        return find_step_work(self._step_frames)

    @property
    def _step_frames(self) -> Frames:
        return {
            "kernels": self.kernels,
            "launches": self.launches,
            "markers": self.markers,
            "events": self.events,
            "tracks": self.tracks,
        }

    @property
    def of_steps(self) -> tuple[Samples, float | None]:
        """Kernel times (ns) of the profile's counted steps as samples, and their median.

        Without steps there are no samples, and the second is the total kernel time of the capture,
        `None` without kernels.
        """
        if not len(self.steps):
            total = float(self.runs["duration"].sum())
            return Samples(_NONE, np.empty(0, np.int64), "step"), total if len(self.runs) else None
        durations = self.kernels["duration"].to_numpy(np.float64, na_value=0.0)
        times = self.steps.sums(durations, self._is_kernel)
        return Samples(times, self.steps.numbers, "step"), float(np.median(times))

    @property
    def _is_kernel(self) -> Bools:
        """Mask of frame `kernels`: executions with a duration, copies left out."""
        is_timed = self.kernels["duration"].notna().to_numpy(bool)
        return np.asarray(~self.kernels["copy"].to_numpy(bool) & is_timed)

    @property
    def step_durations(self) -> tuple[Samples, float | None]:
        """Durations (ns) of the counted steps of the main series, and the typical duration."""
        steps = find_steps(self._step_frames)
        times = steps.durations.astype(np.float64)
        return Samples(times, np.arange(len(times)), "step"), steps.typical_ns

    @property
    def work(self) -> float | None:
        """Median number of operations of the counted steps in which they are known; `None` if they
        are unknown for all steps.
        """
        operations = self.kernels["operations"].to_numpy(np.float64, na_value=np.nan)
        is_known = self._is_kernel & np.isfinite(operations)
        has_known = self.steps.sums(np.ones(len(operations)), is_known) > 0
        known = self.steps.sums(operations, is_known)[has_known]
        return float(np.median(known)) if len(known) else None

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per kernel of the profile in order of first launch: name, source and function (""
        if unknown), operations per run (median), runs (number), program.
        """
        grouped = self.runs.groupby("name", sort=False)
        kernels = grouped.agg(
            operations=("operations", "median"), runs=("run", "size"), program=("program", "first")
        )
        named = self.programs.drop_duplicates("program").set_index("program")[
            ["source", "function"]
        ]
        programs = kernels["program"].to_numpy(np.int64, na_value=-1)
        texts = named.reindex(programs).fillna("").set_axis(kernels.index)
        return kernels.assign(source=texts["source"], function=texts["function"]).reset_index()

    @cached_property
    def durations(self) -> Mapping[str, Floats]:
        """Map each kernel of the profile to its runs' durations in ns, without the first run on
        each device; a kernel without later runs is missing.
        """
        later = self.runs[(self.runs["run"] != 1).to_numpy(bool, na_value=True)]
        return {
            str(name): rows.to_numpy(np.float64) for name, rows in later.groupby("name")["duration"]
        }

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Map each kernel of the profile to its number of runs."""
        return {str(name): int(count) for name, count in self.runs["name"].value_counts().items()}

    @cached_property
    def operator_step_times(self) -> Mapping[str, float]:
        """Map each operator to the time of its executions in a counted step, ns; "" has the
        executions without an operator.
        """
        return self.steps.grouped_time("op", self.kernels, np.ones(len(self.kernels), np.bool_))

    @cached_property
    def copy_counts(self) -> Mapping[str, int]:
        """Map each name of copies with a duration in the profile to their number, by first copy."""
        is_timed = self.kernels["duration"].notna().to_numpy(bool)
        copies = self.kernels[self.kernels["copy"].to_numpy(bool) & is_timed]
        sizes = copies.groupby(copies["name"].astype("str"), sort=False).size()
        return {str(name): int(count) for name, count in sizes.items()}

    @cached_property
    def writers(self) -> pd.Series[str]:
        """Name of the kernel that wrote each buffer first, indexed by attempt and block; buffers
        without a write are missing.
        """
        named = self.launches.set_index("kernel")["name"].astype("str")
        writes = self.uses[self.uses["access"].isin(["w", "rw"])].sort_values(
            "start", kind="stable"
        )
        first = writes.drop_duplicates(["attempt", "block"]).set_index(["attempt", "block"])[
            "kernel"
        ]
        return first.map(named)

    @cached_property
    def kernel_step_times(self) -> Mapping[str, float]:
        """Map each kernel of the counted steps to its time in a step, ns, see `StepWork`."""
        return self.steps.grouped_time("name", self.kernels, ~self.kernels["copy"].to_numpy(bool))

    @cached_property
    def copy_step_times(self) -> Mapping[str, float]:
        """Map each name of copies in the counted steps to their time in a step, ns."""
        return self.steps.grouped_time("name", self.kernels, self.kernels["copy"].to_numpy(bool))

    @property
    def peaks(self) -> Mapping[str, float]:
        """Map each device of the profile to the most bytes alive at once, without buffers of
        invalid (clamped) sizes.
        """
        return device_peaks(self.devices, self.buffers)
