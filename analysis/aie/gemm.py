"""What a run's settings say about its work: the GEMM, its tiling, its cores, its clock and peak."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from schema.run_settings import REAL


@dataclass(frozen=True)
class Gemm:
    """The settings of a GEMM run; None where not known. Sizes in elements, clock in Hz, peak in MAC/cycle/core."""

    M: int | None
    K: int | None
    N: int | None
    m: int | None
    k: int | None
    n: int | None
    rows: int | None
    cols: int | None
    warmup: int | None
    iterations: int | None
    clock_hz: float
    peak_macs_per_cycle: float
    boundary_factor: float

    @property
    def macs(self) -> float | None:
        """Return the MACs of one iteration of the whole GEMM."""
        return _product(self.M, self.K, self.N)

    @property
    def macs_per_kernel(self) -> float | None:
        """Return the MACs of one kernel: one m x k x n tile."""
        return _product(self.m, self.k, self.n)

    @property
    def cores(self) -> int | None:
        """Return how many cores share the work."""
        return None if self.rows is None or self.cols is None else self.rows * self.cols

    @property
    def macs_per_core(self) -> float | None:
        """Return the MACs of one iteration on one core."""
        return None if self.macs is None or not self.cores else self.macs / self.cores

    @property
    def kernels_per_iteration(self) -> int | None:
        """Return the kernels that one core runs per iteration, (M/m)(K/k)(N/n)/cores; None where that is not whole."""
        sizes = (self.M, self.K, self.N, self.m, self.k, self.n)
        if any(size is None for size in sizes) or not self.cores:
            return None
        M, K, N, m, k, n = (int(size or 0) for size in sizes)
        tiles = math.ceil(M / m) * math.ceil(K / k) * math.ceil(N / n)
        return tiles // self.cores if tiles % self.cores == 0 else None

    @property
    def total_iterations(self) -> int | None:
        """Return how many iterations were run, warm-up included."""
        return None if self.warmup is None or self.iterations is None else self.warmup + self.iterations

    def phase(self, iteration: int) -> str:
        """Return warmup, perf or extra; without a known number of iterations none is extra."""
        warmup = self.warmup or 0
        if iteration < warmup:
            return "warmup"
        return "perf" if self.iterations is None or iteration < warmup + self.iterations else "extra"

    def rate(self, work_macs: float | None, ticks: float) -> float | None:
        """Return GMAC/s of work over ticks; None where either is missing."""
        return work_macs * (self.clock_hz / 1e9) / ticks if work_macs is not None and ticks > 0 else None

    def utilization(self, work_macs: float | None, ticks: float, cores: int) -> float | None:
        """Return work over what `cores` cores can do in that time at their peak."""
        return (
            work_macs / (ticks * self.peak_macs_per_cycle * cores)
            if work_macs is not None and ticks * cores > 0
            else None
        )


def _product(*sizes: int | None) -> float | None:
    return None if any(size is None for size in sizes) else float(math.prod(int(size or 0) for size in sizes))


def gemm_of(run: Mapping[str, object]) -> Gemm:
    """Return the settings in one row of frame `run`."""
    values: dict[str, Any] = {name: run.get(name) for name in Gemm.__dataclass_fields__}
    reals: dict[str, Any] = {name: float(values.pop(name)) for name in REAL}
    wholes: dict[str, Any] = {name: None if pd.isna(value) else int(value) for name, value in values.items()}
    return Gemm(**wholes, **reals)
