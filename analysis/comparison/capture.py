"""A capture of an array as samples: its complete perf iterations, and each tile's part of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.aie.gemm import Gemm, gemm_of
from analysis.aie.iteration_parts import BETWEEN, INSIDE
from analysis.aie.iterations import of_system
from analysis.aie.kernel_kinds import MAIN
from analysis.comparison.sampled import Samples
from analysis.headline import mean_rate, measured_iterations
from schema.comparison import CAPTURE, TILE

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

STALLS: Mapping[str, tuple[str, ...]] = {
    f"{inside.removesuffix('_inside')}_stall": (inside, between)
    for inside, between in zip(INSIDE, BETWEEN, strict=False)
}
"""Stall -> its columns of `iteration_parts`."""

Values = tuple[Samples, float | None]
"""Samples, and the number that stands for them."""


@dataclass(frozen=True)
class Capture:
    """A capture's frames by one method: `run` as a record, iterations, kernels, and `parts` (`iteration_parts`).

    `columns` has the column of the array that each core is in.
    """

    run_id: str
    run: Mapping[str, object]
    iterations: pd.DataFrame
    kernels: pd.DataFrame
    parts: pd.DataFrame
    columns: Mapping[str, int]

    @cached_property
    def gemm(self) -> Gemm:
        """Return the GEMM and its tiling."""
        return gemm_of(dict(self.run))

    @cached_property
    def measured(self) -> pd.DataFrame:
        """Return the system's rows that are compared, in order."""
        return self.iterations[measured_iterations(self.iterations)]

    @property
    def cores(self) -> int:
        """Return how many cores those rows rest on."""
        return int(self.measured["cores"].max()) if len(self.measured) else 0

    @cached_property
    def tiles(self) -> list[str]:
        """Return the cores that have iterations, sorted."""
        own = ~of_system(self.iterations)
        return sorted(self.iterations.loc[own, "track"].astype("str").unique())

    @cached_property
    def durations(self) -> pd.DataFrame:
        """Return track (str), iteration and duration (float64) of the main kernels kept in compared iterations."""
        kernels = self.kernels
        chosen = kernels["kept"].to_numpy(bool) & (kernels["name"] == MAIN).to_numpy(bool)
        chosen &= kernels["iteration"].isin(self.measured["iteration"]).to_numpy(bool)
        found = kernels.loc[chosen, ["track", "iteration", "duration"]]
        return found.astype({"track": "str", "iteration": "int64", "duration": "float64"})

    @cached_property
    def split(self) -> pd.DataFrame:
        """Return the rows of `iteration_parts` in compared iterations."""
        return self.parts[self.parts["iteration"].isin(self.measured["iteration"])]

    @cached_property
    def of_run(self) -> dict[str, Values]:
        """Return the samples of each metric of CAPTURE that there are some of."""
        rows = self.measured[self.measured["gmacs_per_s"].notna()]
        numbers = rows["iteration"].to_numpy(np.int64)
        rate, work = (rows[name].to_numpy(np.float64) for name in ("gmacs_per_s", "work_macs"))
        rates = Samples(rate, numbers)
        share = rows["utilization"].to_numpy(np.float64)
        known = share > 0
        cycles = (rows["elapsed"] * rows["cores"]).to_numpy(np.float64)
        utilization = self.gemm.utilization(float(work.sum()), float(cycles.sum()), 1) if known.any() else None
        made: dict[str, Values] = {
            "gmacs_mean": (rates, mean_rate(work, rate)),
            "utilization": (Samples(share[known], numbers[known]), utilization),
            "gmacs_best": (rates, float(rate.max()) if len(rate) else None),
            "gmacs_worst": (rates, float(rate.min()) if len(rate) else None),
            "warmup_gmacs": self._warmup,
            **self._kernels(self.durations),
            **self._stalls(self.split),
        }
        return {name: made[name] for name in CAPTURE if name in made and len(made[name][0])}

    def of_tile(self, tile: str) -> dict[str, Values]:
        """Return the samples of each metric of TILE that there are some of."""
        split = self.split[self.split["track"] == tile].sort_values("iteration")
        own = self.iterations[(self.iterations["track"] == tile).to_numpy(bool)]
        own = own[own["iteration"].isin(split["iteration"])]
        span = own["span"].to_numpy(np.float64)
        made = self._kernels(self.durations[self.durations["track"] == tile]) | self._stalls(split)
        made["span"] = Samples(span, own["iteration"].to_numpy(np.int64)), _middle(span)
        for skew in ("start_skew", "end_skew"):
            made[skew] = _shares(split, (skew,))
        return {name: made[name] for name in TILE if name in made and len(made[name][0])}

    @property
    def _warmup(self) -> Values:
        rows = self.iterations
        chosen = of_system(rows) & rows["complete"].to_numpy(bool) & np.asarray(rows["phase"].array == "warmup", bool)
        rows = rows[chosen & rows["gmacs_per_s"].notna().to_numpy(bool)]
        rate, work = (rows[name].to_numpy(np.float64) for name in ("gmacs_per_s", "work_macs"))
        return Samples(rate, rows["iteration"].to_numpy(np.int64)), mean_rate(work, rate)

    def _kernels(self, durations: pd.DataFrame) -> dict[str, Values]:
        """Return median and 95th percentile per iteration, and of all."""
        grouped = durations.groupby("iteration")["duration"]
        made: dict[str, Values] = {}
        for name, share in (("median_kernel", 0.5), ("p95_kernel", 0.95)):
            per = grouped.quantile(share)
            shown = float(durations["duration"].quantile(share)) if len(durations) else None
            made[name] = Samples(per.to_numpy(np.float64), per.index.to_numpy(np.int64)), shown
        return made

    def _stalls(self, split: pd.DataFrame) -> dict[str, Values]:
        return {name: _shares(split, columns) for name, columns in STALLS.items()}


def _shares(split: pd.DataFrame, columns: tuple[str, ...]) -> Values:
    """Return the share of some parts in the time of all cores, per iteration and over all."""
    time = split[[*columns]].sum(axis=1).groupby(split["iteration"]).sum()
    elapsed = split["elapsed"].groupby(split["iteration"]).sum()
    share = (time / elapsed).to_numpy(np.float64)
    total = float(elapsed.sum())
    return Samples(share, time.index.to_numpy(np.int64)), float(time.sum()) / total if total > 0 else None


def _middle(values: Floats) -> float | None:
    return float(np.median(values)) if len(values) else None
