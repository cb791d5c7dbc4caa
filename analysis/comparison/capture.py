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
from schema.array_types import Floats
from schema.comparison import CAPTURE, TILE

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
        """Return the rows of `iteration_parts` in compared iterations, by track and iteration."""
        found = self.parts[self.parts["iteration"].isin(self.measured["iteration"])]
        return found.sort_values(["track", "iteration"], kind="stable", ignore_index=True)

    @cached_property
    def _times(self) -> dict[str, Floats]:
        """Return the ticks of each stall and of both skews, per row of `split`."""
        causes = {**STALLS, "start_skew": ("start_skew",), "end_skew": ("end_skew",)}
        return {name: self.split[[*columns]].to_numpy(np.float64).sum(axis=1) for name, columns in causes.items()}

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
            **self._kernels,
            **self._stalls,
        }
        return {name: made[name] for name in CAPTURE if name in made and len(made[name][0])}

    def of_tile(self, tile: str) -> dict[str, Values]:
        """Return the samples of each metric of TILE that there are some of."""
        made = self._of_tiles.get(tile, {})
        return {name: made[name] for name in TILE if name in made and len(made[name][0])}

    @cached_property
    def _of_tiles(self) -> dict[str, dict[str, Values]]:
        """Return the samples of every core."""
        elapsed, numbers = (self.split[name].to_numpy() for name in ("elapsed", "iteration"))
        found: dict[str, dict[str, Values]] = {}
        for tile, rows in self.split.groupby("track", sort=False).indices.items():
            found[str(tile)] = {
                name: (Samples(time[rows] / elapsed[rows], numbers[rows]), _ratio(time[rows], elapsed[rows]))
                for name, time in self._times.items()
            }
        for name, values in (("median_kernel", self._tile_kernels), ("span", self._tile_spans)):
            for tile, rows in values.groupby(level="track").indices.items():
                own = values.iloc[rows]
                samples = Samples(own.to_numpy(np.float64), own.index.get_level_values("iteration").to_numpy(np.int64))
                found.setdefault(str(tile), {})[name] = samples, self._middles[name].get(str(tile))
        return found

    @cached_property
    def _tile_kernels(self) -> pd.Series[float]:
        """Return the median kernel by track and iteration."""
        return self.durations.groupby(["track", "iteration"])["duration"].median()

    @cached_property
    def _tile_spans(self) -> pd.Series[float]:
        """Return the spans of cores by track and iteration."""
        rows = self.iterations[~of_system(self.iterations)]
        rows = rows[rows["complete"].to_numpy(bool) & rows["iteration"].isin(self.measured["iteration"]).to_numpy(bool)]
        return rows.astype({"track": "str", "span": "float64"}).set_index(["track", "iteration"])["span"].sort_index()

    @cached_property
    def _middles(self) -> dict[str, dict[str, float]]:
        """Return per core its median kernel and its median span."""
        kernels = self.durations.groupby("track")["duration"].median()
        return {"median_kernel": kernels.to_dict(), "span": self._tile_spans.groupby(level="track").median().to_dict()}

    @property
    def _warmup(self) -> Values:
        rows = self.iterations
        chosen = of_system(rows) & rows["complete"].to_numpy(bool) & np.asarray(rows["phase"].array == "warmup", bool)
        rows = rows[chosen & rows["gmacs_per_s"].notna().to_numpy(bool)]
        rate, work = (rows[name].to_numpy(np.float64) for name in ("gmacs_per_s", "work_macs"))
        return Samples(rate, rows["iteration"].to_numpy(np.int64)), mean_rate(work, rate)

    @property
    def _kernels(self) -> dict[str, Values]:
        """Return median and 95th percentile of the kernels per iteration, and of all."""
        durations, grouped = self.durations["duration"], self.durations.groupby("iteration")["duration"]
        made: dict[str, Values] = {}
        for name, share in (("median_kernel", 0.5), ("p95_kernel", 0.95)):
            per = grouped.median() if share == 0.5 else grouped.quantile(share)
            shown = float(durations.quantile(share)) if len(durations) else None
            made[name] = Samples(per.to_numpy(np.float64), per.index.to_numpy(np.int64)), shown
        return made

    @property
    def _stalls(self) -> dict[str, Values]:
        """Return the share of each stall in the time of all cores, per iteration and over all."""
        numbers, place = np.unique(self.split["iteration"].to_numpy(np.int64), return_inverse=True)
        elapsed = self.split["elapsed"].to_numpy(np.float64)
        whole = np.bincount(place, weights=elapsed, minlength=len(numbers))
        return {
            name: (
                Samples(np.bincount(place, weights=self._times[name], minlength=len(numbers)) / whole, numbers),
                _ratio(self._times[name], elapsed),
            )
            for name in STALLS
        }


def _ratio(part: Floats, whole: npt.NDArray[np.generic]) -> float | None:
    total = float(whole.sum(dtype=np.float64))
    return float(part.sum()) / total if total > 0 else None
