"""Kernel efficiency and system efficiency of a GEMM, as shares of the peak rate of its cores.

Source of the formulas: Stream's `postprocess_aie_trace.py` of 2025-08-28, which writes them as
`theoretical_peak_efficiency_kernel_percent` and `.._system_percent` for `postprocess_plots.py`, and
its `postprocess_wallclock_time.py`. They are in percent there, and ratios here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from analysis.aie.gemm import Gemm

_NS_PER_US = 1_000


@dataclass(frozen=True)
class Efficiency:
    """Shares of the peak rate; `None` if unknown.

    `kernel` is m x k x n / mean duration of a main kernel / peak of a core. `system` is the work of
    the measured iterations / their elapsed time / peak of all cores. `wall_clock` is the work of
    an iteration / mean time of a call by the host's clock / peak of all cores.
    """

    kernel: float | None
    system: float | None
    wall_clock: float | None


@dataclass(frozen=True)
class SweptSize:
    """A size of a sweep: its newest run, and the efficiencies of that run."""

    size: int
    run_id: str
    efficiency: Efficiency


@dataclass(frozen=True)
class SizeSweep:
    """A sweep over `dimension` ("M", "K" or "N"), smallest size first.

    `constant` has the other two sizes, `own` is the size of the run that is compared, and
    `peak_gmacs` the peak rate of its cores in GMAC/s.
    """

    dimension: str
    constant: Mapping[str, int]
    own: int
    peak_gmacs: float
    sizes: tuple[SweptSize, ...]


def compute_efficiency(
    gemm: Gemm, headline: Mapping[str, float | None], wall_clock_us: float | None
) -> Efficiency:
    """Compute the efficiencies of a capture from its settings, headline and wall-clock time."""
    mean_kernel = headline.get("mean_kernel")
    return Efficiency(
        None if mean_kernel is None else gemm.utilization(gemm.macs_per_kernel, mean_kernel, 1),
        headline.get("utilization"),
        _by_wall_clock(gemm, wall_clock_us),
    )


def _by_wall_clock(gemm: Gemm, wall_clock_us: float | None) -> float | None:
    if wall_clock_us is None or gemm.cores is None:
        return None
    ticks = wall_clock_us * _NS_PER_US * gemm.clock_hz / 1e9
    return gemm.utilization(gemm.macs, ticks, gemm.cores)
