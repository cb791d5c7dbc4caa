"""Settings of a GEMM run: its sizes, tiling, cores, clock and peak rate."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from schema.run_settings import REAL


@dataclass(frozen=True)
class Gemm:
    """Settings of a GEMM run; None if not set.

    M x K x N is the problem and m x k x n the tile of a core, in elements; `rows` x `cols` is the
    array of cores. `warmup` and `iterations` are numbers of iterations. `clock_hz` is in Hz,
    `peak_macs_per_cycle` in MAC per cycle and core. A pause of `boundary_factor` median kernels or
    more separates iterations.
    """

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
        """MACs of an iteration of the whole GEMM, M x K x N; None if a size is not set."""
        return _product(self.M, self.K, self.N)

    @property
    def macs_per_kernel(self) -> float | None:
        """MACs of a kernel, which computes a tile of m x k x n; None if a size is not set."""
        return _product(self.m, self.k, self.n)

    @property
    def cores(self) -> int | None:
        """Number of cores that share the work, rows x cols; None if either is not set."""
        return None if self.rows is None or self.cols is None else self.rows * self.cols

    @property
    def macs_per_core(self) -> float | None:
        """MACs of an iteration on one core, the whole GEMM's / cores; None if a size or the number
        of cores is unknown.
        """
        return None if self.macs is None or not self.cores else self.macs / self.cores

    @property
    def kernels_per_iteration(self) -> int | None:
        """Kernels of a core per iteration, (M/m)(K/k)(N/n)/cores, each quotient of sizes rounded
        up. None if the tiles do not divide evenly among the cores, or a setting is missing.
        """
        sizes = (self.M, self.K, self.N, self.m, self.k, self.n)
        if any(size is None for size in sizes) or not self.cores:
            return None
        M, K, N, m, k, n = (int(size or 0) for size in sizes)
        tiles = math.ceil(M / m) * math.ceil(K / k) * math.ceil(N / n)
        return tiles // self.cores if tiles % self.cores == 0 else None

    @property
    def total_iterations(self) -> int | None:
        """Number of iterations of the run, warm-up included; None if either number is not set."""
        return (
            None
            if self.warmup is None or self.iterations is None
            else self.warmup + self.iterations
        )

    def phase(self, iteration: int) -> str:
        """Return "warmup", "perf" or "extra" (after the last iteration of the settings) for an
        iteration, counted from 0. Without a number of iterations in the settings no iteration is
        extra; without a number of warm-up iterations none is warm-up.
        """
        warmup = self.warmup or 0
        if iteration < warmup:
            return "warmup"
        return (
            "perf" if self.iterations is None or iteration < warmup + self.iterations else "extra"
        )

    def rate(self, work_macs: float | None, ticks: float) -> float | None:
        """Compute the rate of work (MAC) over ticks of the clock, in GMAC/s; None if the work is
        unknown or the ticks are not above 0.
        """
        return (
            work_macs * (self.clock_hz / 1e9) / ticks
            if work_macs is not None and ticks > 0
            else None
        )

    def utilization(self, work_macs: float | None, ticks: float, cores: int) -> float | None:
        """Compute work (MAC) / the work that `cores` cores do in that many ticks at their peak: 1
        at the peak. None if the work is unknown, or ticks or cores are not above 0.
        """
        return (
            work_macs / (ticks * self.peak_macs_per_cycle * cores)
            if work_macs is not None and ticks * cores > 0
            else None
        )


def _product(*sizes: int | None) -> float | None:
    return (
        None
        if any(size is None for size in sizes)
        else float(math.prod(int(size or 0) for size in sizes))
    )


def read_gemm(run: Mapping[str, object]) -> Gemm:
    """Read the settings from a row of frame `run`; a missing or null column gives None, except
    clock_hz, peak_macs_per_cycle and boundary_factor, which must be numbers (else TypeError).
    """
    values: dict[str, Any] = {name: run.get(name) for name in Gemm.__dataclass_fields__}
    reals: dict[str, Any] = {name: float(values.pop(name)) for name in REAL}
    wholes: dict[str, Any] = {
        name: None if pd.isna(value) else int(value) for name, value in values.items()
    }
    return Gemm(**wholes, **reals)
