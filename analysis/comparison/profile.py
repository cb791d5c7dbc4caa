"""A profile as samples: its steps, its kernels, and the memory of its devices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from analysis.comparison.sampled import Samples
from analysis.kernels.step_times import series_durations
from analysis.kernels.training_steps import training_steps
from analysis.memory.clamped import device_peaks
from schema.array_types import Floats

_NONE = np.empty(0, np.float64)


@dataclass(frozen=True)
class Profile:
    """A profile's frames: kernels, markers, programs, `devices` (frame attempts with its numbers), `buffers`.

    `buffers` are frame allocations, `uses` frame buffer_uses, `launches` that frame.
    """

    run_id: str
    kernels: pd.DataFrame
    markers: pd.DataFrame
    programs: pd.DataFrame
    devices: pd.DataFrame
    buffers: pd.DataFrame
    uses: pd.DataFrame
    launches: pd.DataFrame

    @cached_property
    def runs(self) -> pd.DataFrame:
        """Return the executions of kernels with a duration, by start: name (str), start, duration, operations, run."""
        kernels = self.kernels[~self.kernels["copy"] & self.kernels["duration"].notna()]
        chosen = kernels[["name", "start", "duration", "operations", "run", "program"]]
        typed = chosen.astype({"name": "str", "start": "int64", "duration": "float64", "operations": "float64"})
        return typed.sort_values("start", kind="stable", ignore_index=True)

    @cached_property
    def steps(self) -> pd.DataFrame:
        """Return frame `training_steps`."""
        return training_steps(self.kernels, self.markers)

    @property
    def of_steps(self) -> tuple[Samples, float | None]:
        """Return the kernel times of the steps, and their median; without markers that of the whole capture."""
        times = self.steps["kernel_time"].to_numpy(np.float64)
        if not len(times):
            total = float(self.runs["duration"].sum())
            return Samples(_NONE, np.empty(0, np.int64), "step"), total if len(self.runs) else None
        return Samples(times, self.steps["step"].to_numpy(np.int64), "step"), float(np.median(times))

    @property
    def step_durations(self) -> tuple[Samples, float | None]:
        """Return the times of the steps of the main series but the first, and their median."""
        times = series_durations(self.markers)[1:].astype(np.float64)
        return Samples(times, np.arange(len(times)), "step"), float(np.median(times)) if len(times) else None

    @property
    def work(self) -> float | None:
        """Return the median operations of a step, None where they are not known."""
        known = self.steps["operations"].to_numpy(np.float64)
        known = known[np.isfinite(known)]
        return float(np.median(known)) if len(known) else None

    @cached_property
    def table(self) -> pd.DataFrame:
        """Return a row per kernel in order of first launch: name, source, function, operations of a run, runs."""
        grouped = self.runs.groupby("name", sort=False)
        found = grouped.agg(operations=("operations", "median"), runs=("run", "size"), program=("program", "first"))
        named = self.programs.drop_duplicates("program").set_index("program")[["source", "function"]]
        known = found["program"].to_numpy(np.int64, na_value=-1)
        texts = named.reindex(known).fillna("").set_axis(found.index)
        return found.assign(source=texts["source"], function=texts["function"]).reset_index()

    @cached_property
    def durations(self) -> Mapping[str, Floats]:
        """Return the durations of each kernel's runs, ns, the first of each device left out."""
        later = self.runs[(self.runs["run"] != 1).to_numpy(bool, na_value=True)]
        return {str(name): rows.to_numpy(np.float64) for name, rows in later.groupby("name")["duration"]}

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Return how often each kernel ran."""
        return {str(name): int(count) for name, count in self.runs["name"].value_counts().items()}

    @cached_property
    def writers(self) -> pd.Series[str]:
        """Return the name of the kernel that wrote each buffer first, by attempt and block."""
        named = self.launches.set_index("kernel")["name"].astype("str")
        writes = self.uses[self.uses["access"].isin(["w", "rw"])].sort_values("start", kind="stable")
        first = writes.drop_duplicates(["attempt", "block"]).set_index(["attempt", "block"])["kernel"]
        return first.map(named)

    def time_of(self, name: str) -> float:
        """Return the time of a kernel in a step, ns: the median of its runs, as often as it runs."""
        runs = self.runs.loc[self.runs["name"] == name, "duration"]
        steady = self.durations.get(name, _NONE)
        typical = float(np.median(steady)) if len(steady) else float(runs.median())
        return typical * len(runs) / max(1, len(self.steps))

    @property
    def peaks(self) -> Mapping[str, float]:
        """Return the most bytes alive at once on each device, buffers of clamped sizes left out."""
        return device_peaks(self.devices, self.buffers)
