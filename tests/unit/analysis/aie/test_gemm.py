import pandas as pd
import pytest

from analysis.aie.gemm import Gemm, read_gemm
from schema.frames import RUN

KNOWN = {
    "M": 256,
    "K": 128,
    "N": 64,
    "m": 32,
    "k": 32,
    "n": 32,
    "rows": 2,
    "cols": 2,
    "warmup": 1,
    "iterations": 3,
}
REALS = {"clock_hz": 1.25e9, "peak_macs_per_cycle": 64.0, "boundary_factor": 20.0}


def gemm(**more) -> Gemm:
    return read_gemm(dict.fromkeys(RUN.names, pd.NA) | KNOWN | REALS | more)


def test_work_of_gemm_core_and_kernel():
    assert gemm().macs == 256 * 128 * 64
    assert gemm().macs_per_core == 256 * 128 * 64 / 4
    assert gemm().macs_per_kernel == 32**3
    assert gemm().cores == 4
    assert gemm().kernels_per_iteration == 8 * 4 * 2 // 4
    assert gemm().total_iterations == 4


def test_tiles_at_the_border_are_whole_kernels():
    assert gemm(M=250).kernels_per_iteration == 16
    assert gemm(M=224).kernels_per_iteration == 14
    assert gemm(M=32, K=32).kernels_per_iteration is None


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("value", [None, pd.NA, float("nan")])
def test_what_is_not_known_leaves_what_rests_on_it_unknown(name, value):
    got = gemm(**{name: value})
    assert getattr(got, name) is None
    assert (got.macs is None) == (name in "MKN")
    assert (got.macs_per_kernel is None) == (name in "mkn")
    assert (got.cores is None) == (name in ("rows", "cols"))
    assert (got.macs_per_core is None) == (name in ("M", "K", "N", "rows", "cols"))
    assert (got.kernels_per_iteration is None) == (name not in ("warmup", "iterations"))
    assert (got.total_iterations is None) == (name in ("warmup", "iterations"))


def test_sizes_beyond_int64_do_not_overflow():
    assert gemm(M=10**9, K=10**9, N=10**9).macs == 1e27


def test_phases():
    assert [gemm().phase(i) for i in range(6)] == [
        "warmup",
        "perf",
        "perf",
        "perf",
        "extra",
        "extra",
    ]
    assert [gemm(iterations=None).phase(i) for i in (0, 1, 99)] == ["warmup", "perf", "perf"]
    assert gemm(warmup=None).phase(0) == "perf"


def test_rates_are_work_over_time():
    assert gemm().rate(1e6, 1000) == pytest.approx(1250)
    assert gemm(clock_hz=1e9).rate(1e6, 1000) == pytest.approx(1000)
    assert gemm().rate(None, 10) is None
    assert gemm().rate(5.0, 0) is None


def test_utilisation_is_work_over_what_the_peak_allows():
    assert gemm().utilization(6400.0, 100, 1) == 1.0
    assert gemm().utilization(6400.0, 100, 4) == 0.25
    assert gemm().utilization(None, 100, 1) is None
    assert gemm().utilization(1.0, 0, 1) is None
    assert gemm().utilization(1.0, 10, 0) is None
