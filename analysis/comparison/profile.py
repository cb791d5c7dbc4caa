"""Samples of a profile: its steps, its kernels, and the memory of its devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from analysis.comparison.sampled import Samples
from analysis.kernels.steps import find_steps
from analysis.kernels.training_steps import training_steps
from analysis.memory.clamped import device_peaks
from schema.array_types import Floats
from schema.frames import empty

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
    def steps(self) -> pd.DataFrame:
        """Frame `training_steps` of the profile: a row per window between markers in which kernels
        ran; empty without markers.
        """
        return training_steps(self.kernels, self.markers)

    @property
    def of_steps(self) -> tuple[Samples, float | None]:
        """Kernel times (ns) of the profile's steps as samples, and their median.

        Without steps there are no samples, and the second is the total kernel time of the capture,
        `None` without kernels.
        """
        times = self.steps["kernel_time"].to_numpy(np.float64)
        if not len(times):
            total = float(self.runs["duration"].sum())
            return Samples(_NONE, np.empty(0, np.int64), "step"), total if len(self.runs) else None
        return Samples(times, self.steps["step"].to_numpy(np.int64), "step"), float(
            np.median(times)
        )

    @property
    def step_durations(self) -> tuple[Samples, float | None]:
        """Durations (ns) of the counted steps of the main series, and the typical duration."""
        frames = {"kernels": self.kernels, "launches": self.launches, "markers": self.markers}
        steps = find_steps(frames | {"events": self.events})
        times = steps.durations.astype(np.float64)
        return Samples(times, np.arange(len(times)), "step"), steps.typical_ns

    @property
    def work(self) -> float | None:
        """Median number of operations of a step of the profile; `None` if unknown for all steps."""
        operations = self.steps["operations"].to_numpy(np.float64)
        # A step with unknown operations has NaN.
        operations = operations[np.isfinite(operations)]
        return float(np.median(operations)) if len(operations) else None

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

    def time_per_step(self, name: str) -> float:
        """Compute the time of a kernel per step in ns: the median duration of its runs (without
        first runs if there are later runs) times its runs per step. NaN for an unknown kernel.
        """
        runs = self.runs.loc[self.runs["name"] == name, "duration"]
        steady = self.durations.get(name, _NONE)
        typical = float(np.median(steady)) if len(steady) else float(runs.median())
        return typical * len(runs) / max(1, len(self.steps))

    @property
    def peaks(self) -> Mapping[str, float]:
        """Map each device of the profile to the most bytes alive at once, without buffers of
        invalid (clamped) sizes.
        """
        return device_peaks(self.devices, self.buffers)
