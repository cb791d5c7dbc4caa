"""Kernel efficiency, system efficiency and efficiency by wall clock, by the script's formulas."""

import pytest

from analysis.aie.efficiency import Efficiency, compute_efficiency
from analysis.aie.gemm import Gemm
from analysis.headline import headline
from tests.support.gemm_trace import TILE, Core, derived, settings

PEAK, CLOCK_GHZ = 64, 1.25
GEMM = Gemm(64, 64, 64, 32, 32, 32, 1, 2, 0, 1, CLOCK_GHZ * 1e9, PEAK, 20.0)


def test_a_capture_of_one_iteration_has_the_numbers_of_the_script():
    slow = {2: 130, 5: 190}
    core = Core().iteration(slow=slow)
    made = headline(derived(core, given=settings(1, 8, 2, warmup=0)))
    gemm = Gemm(8 * TILE, TILE, TILE, TILE, TILE, TILE, 1, 1, 0, 1, CLOCK_GHZ * 1e9, PEAK, 20.0)
    durations = [slow.get(rank, 100) for rank in range(8)]
    total = sum(durations) + 7 * 10
    found = compute_efficiency(gemm, made, None)
    # macs_kernel / avg_diff / PEAK, and macs_total_this_core / total_difference / PEAK
    assert found.kernel == pytest.approx(TILE**3 / (sum(durations) / 8) / PEAK)
    assert found.system == pytest.approx(8 * TILE**3 / total / PEAK)
    assert found.wall_clock is None


def test_the_wall_clock_is_a_share_of_the_peak_of_all_cores():
    found = compute_efficiency(GEMM, {}, 12.5)
    # (M * K * N / (time_us * 1000)) / (PEAK * rows * cols * GHz)
    assert found.wall_clock == pytest.approx(64**3 / 12_500 / (PEAK * 2 * CLOCK_GHZ))
    assert (found.kernel, found.system) == (None, None)


def test_a_time_of_zero_or_an_unknown_grid_has_no_share():
    assert compute_efficiency(GEMM, {}, 0.0).wall_clock is None
    bare = Gemm(64, 64, 64, 32, 32, 32, None, None, 0, 1, CLOCK_GHZ * 1e9, PEAK, 20.0)
    assert compute_efficiency(bare, {"mean_kernel": 0.0}, 1.0) == Efficiency(None, None, None)
