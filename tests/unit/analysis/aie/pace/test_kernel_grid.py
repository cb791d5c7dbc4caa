"""Main kernels of a capture by iteration and core."""

import numpy as np
import pandas as pd
import pytest

from analysis.aie.kernel_markers import DUPLICATE_START
from analysis.aie.pace.kernel_grid import KernelGrid, fill_lost_times
from analysis.derive import derive
from tests.support.gemm_trace import frames
from tests.support.paced_trace import KERNEL, KERNELS, TILES, array_cores, array_settings


@pytest.mark.parametrize("marker", ["INSTR_EVENT_0", "INSTR_EVENT_1"])
def test_a_kernel_that_lost_a_marker_lasts_as_long_as_the_others(marker):
    cores = array_cores()
    cores[1].lose(marker, 2 * KERNELS + 3)
    kernels = derive(frames(*cores, given=array_settings()), "robust")["kernels"]
    assert kernels["duration"].isna().any()
    filled = fill_lost_times(kernels)
    assert len(filled) == len(kernels)
    assert (filled["end"] - filled["start"] == KERNEL).all()


def test_iterations_with_fewer_kernels_on_a_core_have_no_row():
    kernels = derive(frames(*array_cores(), given=array_settings()), "robust")["kernels"]
    lost = np.flatnonzero((kernels["track"] == "core 3,1") & (kernels["iteration"] == 2))[3]
    cores = tuple(f"core {tile}" for tile in TILES)
    grid = KernelGrid.of(kernels.drop(kernels.index[lost]), np.array([1, 2, 3, 4]), cores)
    assert grid.rows.tolist() == [0, 2, 3]
    assert grid.counts[1, cores.index("core 3,1")] == KERNELS - 1


def test_repeated_markers_are_no_kernels():
    kernels = derive(frames(*array_cores(), given=array_settings()), "robust")["kernels"]
    unknown = pd.array([pd.NA], dtype=kernels["end"].dtype)
    repeated = kernels.iloc[[5]].assign(end=unknown, reason=DUPLICATE_START)
    with_repeated = pd.concat([kernels.astype({"reason": "object"}), repeated], ignore_index=True)
    assert len(fill_lost_times(with_repeated)) == len(kernels)
