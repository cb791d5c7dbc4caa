import pytest

from data_loaders.tpu_mlir.chips import chip_name_in, chip_names_with, clock_of, memory_of
from data_loaders.tpu_mlir.markers import Memory

BM1684X = Memory(64, 64, 262144, 16, 16384)


def test_a_memory_tells_the_chips_that_have_it():
    assert chip_names_with(BM1684X) == "bm1684x or bm1690"
    assert chip_names_with(Memory(16, 2, 32768, 8, 4096)) == "cv180x"
    assert chip_names_with(Memory(1, 1, 1, 1, 1)) == ""


@pytest.mark.parametrize(
    ("hwid", "clock"),
    [("bm1684x", 1e9), ("BM1688", 0.9e9), ("cv186x", 0.9e9), ("bm1684x or bm1690", 1e9), ("bm1688 or sg2380", None)],
)
def test_a_chip_has_a_clock(hwid, clock):
    assert clock_of(hwid) == clock


def test_what_is_no_chip_has_no_memory():
    assert memory_of("bm1684x or bm1690") == BM1684X
    assert memory_of("bm1684x or bm1688") is None
    assert memory_of("npu2") is None
    assert clock_of("") is None


def test_a_chip_is_found_in_a_path_where_its_memory_fits():
    assert chip_name_in("runs/bm1688/yolo_cv186x_F16.log", None) == "cv186x"
    assert chip_name_in("runs/bm1684x/net.log", BM1684X) == "bm1684x"
    assert chip_name_in("runs/BM1684X_bm1688.log", BM1684X) == "bm1684x"
    assert chip_name_in("runs/bm1684xy/bm1688.log", BM1684X) is None
