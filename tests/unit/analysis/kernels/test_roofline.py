import numpy as np
import pytest

from analysis.kernels.kernel_table import kernel_table
from analysis.kernels.roofline import ridge, roof, roofline_rows
from tests.support.profiles import kernels, run

LOW = run("low", 0, 1000, operations=1000, memory_bytes=4000)
HIGH = run("high", 5000, 2000, operations=40_000, memory_bytes=1000)
TABLE = kernel_table(
    kernels(
        LOW,
        HIGH,
        run("unknown", 9000, 9000),
        run("idle", 30_000, 500, operations=0, memory_bytes=8),
        run("registers", 40_000, 100, operations=8, memory_bytes=0),
        run("copy", 50_000, 10, copy=True, copied_bytes=64),
    )
)


def test_kernels_that_compute_on_memory_have_a_place():
    rows = roofline_rows(TABLE)
    assert rows["name"].tolist() == ["high", "low"]
    assert rows["intensity"].tolist() == [40, 0.25]
    assert TABLE["name"].iloc[rows["row"].tolist()].tolist() == rows["name"].tolist()
    assert rows[["attainable", "reached", "bound"]].isna().all(axis=None)


def test_peaks_say_what_bounds_a_kernel_and_how_much_of_it_is_reached():
    rows = roofline_rows(TABLE, 100e9, 10e9)
    assert ridge(100e9, 10e9) == 10
    assert rows["bound"].tolist() == ["compute", "memory"]
    assert rows["attainable"].tolist() == [100e9, 2.5e9]
    assert rows["reached"].tolist() == pytest.approx([20e9 / 100e9, 1e9 / 2.5e9])


@pytest.mark.parametrize(
    ("peaks", "attainable"), [((100e9, None), [100e9, 100e9]), ((None, 10e9), [400e9, 2.5e9])]
)
def test_one_peak_is_a_roof_without_a_bound(peaks, attainable):
    rows = roofline_rows(TABLE, *peaks)
    assert rows["attainable"].tolist() == attainable
    assert rows["bound"].isna().all()


def test_the_roof_bends_at_the_ridge():
    assert roof(100e9, 10e9, [1, 10, 1000]).tolist() == [10e9, 100e9, 100e9]
    assert np.isnan(roof(None, None, [1, 2])).all()


def test_an_empty_table_has_an_empty_roofline():
    assert not len(roofline_rows(kernel_table(kernels()), 1e9, 1e9))
