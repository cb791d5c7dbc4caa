import pytest

from data_loaders.tpu_mlir.chips import chip_clock, chip_memory, find_chip_name, matching_chip_names
from data_loaders.tpu_mlir.markers import Memory

BM1684X = Memory(64, 64, 262144, 16, 16384)


def test_a_memory_tells_the_chips_that_have_it():
    assert matching_chip_names(BM1684X) == "bm1684x or bm1690"
    assert matching_chip_names(Memory(16, 2, 32768, 8, 4096)) == "cv180x"
    assert matching_chip_names(Memory(1, 1, 1, 1, 1)) == ""


@pytest.mark.parametrize(
    ("hwid", "clock"),
    [
        ("bm1684x", 1e9),
        ("BM1688", 0.9e9),
        ("cv186x", 0.9e9),
        ("bm1684x or bm1690", 1e9),
        ("bm1688 or sg2380", None),
    ],
)
def test_a_chip_has_a_clock(hwid, clock):
    assert chip_clock(hwid) == clock


def test_what_is_no_chip_has_no_memory():
    assert chip_memory("bm1684x or bm1690") == BM1684X
    assert chip_memory("bm1684x or bm1688") is None
    assert chip_memory("npu2") is None
    assert chip_clock("") is None


def test_a_chip_is_found_in_a_path_where_its_memory_fits():
    assert find_chip_name("runs/bm1688/yolo_cv186x_F16.log", None) == "cv186x"
    assert find_chip_name("runs/bm1684x/net.log", BM1684X) == "bm1684x"
    assert find_chip_name("runs/BM1684X_bm1688.log", BM1684X) == "bm1684x"
    assert find_chip_name("runs/bm1684xy/bm1688.log", BM1684X) is None
